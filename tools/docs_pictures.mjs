// The pictures of the documentation: charts of the program's own reports and answers, drawn as SVG files.
//
//   node tools/docs_pictures.mjs build/bin/starope build/npm docs/pictures
//
// Run it when answers or charts have changed (`make docs-pictures`), and look at what it made.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [starope, npm, out] = process.argv.slice(2).map((name) => path.resolve(name));
if (out === undefined) {
  console.error("usage: node tools/docs_pictures.mjs STAROPE NPM_FOLDER OUT");
  process.exit(2);
}
const library = (name) => import(pathToFileURL(path.join(npm, "node_modules", name)).href);
const vega = await library("vega/build/vega.module.js");
const lite = await library("vega-lite/build/index.js");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "starope-pictures-"));
const run = (...words) => execFileSync(starope, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });

const ink = "#1f2328", quiet = "#57606a", line = "#d0d7de", font = "system-ui, -apple-system, 'Segoe UI', sans-serif";
const config = {
  background: "#ffffff",
  font,
  padding: 8,
  style: { "guide-label": { fill: quiet, font }, "guide-title": { fill: ink, font, fontWeight: 500 } },
  axis: { domainColor: quiet, tickColor: quiet, gridColor: line, labelFontSize: 12, titleFontSize: 12 },
  legend: { labelColor: quiet, titleColor: ink },
  view: { stroke: "transparent" },
  text: { fill: ink, font },
  rule: { stroke: ink },
};

// A chart as a file. Numbers are rounded: the digits behind are not seen, and differ between machines.
async function draw(name, spec) {
  const style = { ...spec.config?.style, ...config.style };
  const compiled = lite.compile({ ...spec, config: { ...spec.config, ...config, style } }).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logLevel: vega.Warn });
  const svg = (await view.toSVG()).replace(/-?\d+\.\d{3,}/g, (number) => String(Math.round(100 * Number(number)) / 100));
  fs.writeFileSync(path.join(out, `${name}.svg`), svg + "\n");
  console.log(`${name}.svg: ${svg.length} bytes`);
}

// The charts of a report, by the id of the element they are drawn in.
function charts(report) {
  const page = fs.readFileSync(path.join(folder, report), "utf8");
  const found = new Map();
  for (const [, attributes, text] of page.matchAll(/<script([^>]*class="spec"[^>]*)>([\s\S]*?)<\/script>/g)) {
    found.set(attributes.match(/data-for="([^"]+)"/)[1], JSON.parse(text));
  }
  return found;
}

function of_width(spec, width) {
  return { ...spec, width };
}

fs.mkdirSync(out, { recursive: true });
run("simulate", "cartpole", "--episodes", "1000", "--seed", "1", "-o", "cartpole.csv");
const truth = 39.2967;  // what simulate says of the target policy
const answer = JSON.parse(run("evaluate", "cartpole.csv", "--json", "--report", "answer.html"));

await draw("answer", {
  width: 520,
  height: { step: 34 },
  data: { values: answer.estimates.map((each) => ({ estimator: each.estimator, value: each.value, ...each.interval })) },
  encoding: { y: { field: "estimator", type: "nominal", sort: null, title: null, axis: { ticks: false, domain: false, labelFontSize: 14, labelPadding: 10 } } },
  layer: [
    { mark: { type: "rule", strokeWidth: 4, color: "#0969da", opacity: 0.5 },
      encoding: { x: { field: "lower", type: "quantitative", title: "steps per episode, with 95 % intervals", scale: { domain: [10, 50] }, axis: { values: [10, 20, 30, 40, 50] } }, x2: { field: "upper" } } },
    { mark: { type: "point", filled: true, size: 110, opacity: 1, color: "#0969da" }, encoding: { x: { field: "value", type: "quantitative" } } },
    { data: { values: [{ truth }] }, mark: { type: "rule", strokeDash: [6, 4], strokeWidth: 1.5 }, encoding: { x: { field: "truth", type: "quantitative" }, y: null } },
    { data: { values: [{ truth }] }, mark: { type: "text", align: "left", dx: 5, dy: 4, baseline: "top", fontSize: 12 },
      encoding: { x: { field: "truth", type: "quantitative" }, y: { value: 58 }, text: { value: "true value, 39.3" } } },
  ],
});
const evaluation = charts("answer.html");
await draw("families", of_width(evaluation.get("families-1-1"), 640));
await draw("weights", of_width(evaluation.get("weights-1"), 520));
fs.rmSync(folder, { recursive: true });

// How long others take, as multiples of ours on a logarithmic axis; what benchmarks/peers.py has measured.
const peers = JSON.parse(fs.readFileSync(new URL("../benchmarks/peers.json", import.meta.url), "utf8"));
await draw("peers", {
  data: { values: peers.groups.flatMap((group) => group.tasks.map((each) => ({
    work: group.work, task: each.task, ours: each.task.startsWith("starope"), times: each.processor.median / group.tasks[0].processor.median }))) },
  facet: { row: { field: "work", type: "nominal", sort: null, title: null, header: { labelAngle: 0, labelAlign: "left", labelAnchor: "start", labelOrient: "top", labelFontSize: 12, labelFontWeight: 600 } } },
  resolve: { scale: { y: "independent" } },
  spec: {
    width: 340,
    height: { step: 20 },
    encoding: {
      y: { field: "task", type: "nominal", sort: null, title: null, axis: { labelLimit: 360, ticks: false, domain: false } },
      x: { field: "times", type: "quantitative", scale: { type: "log", domain: [0.05, 20] }, axis: { values: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20], format: "~g" },
           title: "processor time as a multiple of the first row; left is faster" },
      color: { field: "ours", type: "nominal", legend: null, scale: { domain: [true, false], range: ["#0969da", "#8c959f"] } },
    },
    layer: [
      { mark: { type: "rule", strokeWidth: 1.5, strokeDash: [4, 3] }, encoding: { x: { datum: 1 }, y: null, color: { value: "#57606a" } } },
      { mark: { type: "point", filled: true, size: 100, opacity: 1 } },
    ],
  },
});
