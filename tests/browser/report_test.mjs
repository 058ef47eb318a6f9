// Reports in a real browser: charts have marks, nothing is loaded, nothing complains, dark paper, small screens, the
// keyboard, downloads, and names that try to be markup.
//
//   node report_test.mjs STAROPE NPM_FOLDER CHROMIUM       exit code 77: no browser here
//
// STAROPE_SCREENSHOTS=FOLDER keeps pictures of what was seen.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [starope, npm, chromium] = process.argv.slice(2);
const playwright = path.join(npm, "node_modules", "playwright-core");
if (!fs.existsSync(playwright) || !fs.existsSync(chromium)) {
  console.log("skipped: tools/install_dependencies.sh browser installs what is missing");
  process.exit(77);
}
const { chromium: driver } = createRequire(import.meta.url)(playwright);

const EVIL = "<script>window.evil=1</script>";
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "starope-browser-"));
const run = (...words) => execFileSync(starope, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });

function write_reports() {
  run("study", "smoke", "--trials", "3", "-o", "smoke");
  run("report", "smoke", "-o", "study.html");
  // A domain, a file and a column that try to be markup.
  const rows = [`episode,${EVIL},y,action,reward,behavior_prob,target_prob,ward`];
  for (let i = 0; i < 60; ++i) {
    for (let t = 0; t < 4; ++t) rows.push(`${i},${(i * 7 + t) % 5},${t},${i % 2},${t % 2},0.5,${i % 2 ? 0.7 : 0.3},${i % 3 ? EVIL : "b"}`);
  }
  fs.writeFileSync(path.join(folder, "logs.csv"), rows.join("\n") + "\n");
  const star = "star(clusters=4,clip=1)";
  run("evaluate", "logs.csv", "--state", `${EVIL},y`, "--estimators", `naive,wis,is,${star}`, "--report", "evaluation.html");
  run("evaluate", "logs.csv", "--state", `${EVIL},y`, "--estimators", "auto,naive,wis,wpdis", "--by", "ward", "--report", "answer.html");
  run("evaluate", "logs.csv", "--state", `${EVIL},y`, "--estimators", "wis,naive", "--behavior", "estimate", "--below", "1", "--report", "risk.html");
  run("compare", "logs.csv", "--estimator", "wpdis", "--state", "y", "--target-prob", "target_prob", "--target-prob", "behavior_prob",
      "--report", "compare.html");
  fs.writeFileSync(path.join(folder, "evil.toml"), `sizes = [5]\ntrials = 3\nestimators = ["naive", "pdis", "star(clusters=2|3,clip=1|2)"]
[[domain]]\nname = "${EVIL}"\ndomain = "model-win"\n`);
  run("study", "evil.toml", "-o", "evil");
  run("report", "evil/results.jsonl", "-o", "evil.html");
}

// Opens a page and collects everything that should not happen.
async function open(browser, name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const url = pathToFileURL(path.join(folder, name)).href;
  const wrong = [];
  page.on("console", (message) => wrong.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error}`));
  page.on("request", (request) => { if (request.url() !== url) wrong.push(`request: ${request.url()}`); });
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined, null, { timeout: 60000 });
  if (process.env.STAROPE_SCREENSHOTS) {
    const look = `${name.replace(".html", "")}-${options.colorScheme ?? "light"}-${options.viewport?.width ?? 1280}.png`;
    await page.screenshot({ path: path.join(process.env.STAROPE_SCREENSHOTS, look), fullPage: true });
  }
  return { page, context, wrong };
}

// For every chart: how many data it has, how many marks were drawn, and whether a coordinate is no number.
const charts = (page) => page.evaluate(() => [...document.querySelectorAll("script.spec")].map((source) => {
  const svg = document.getElementById(source.dataset.for).querySelector("svg");
  const marks = svg ? svg.querySelectorAll("g.role-mark > path, g.role-mark > line, g.role-mark > text, g.role-mark > g > path").length : 0;
  return {
    id: source.dataset.for,
    data: JSON.parse(source.textContent).data.values.length,
    marks,
    bad: svg ? /NaN|Infinity/.test(svg.outerHTML) : true,
    width: svg ? svg.getBoundingClientRect().width : 0,
    label: document.getElementById(source.dataset.for).getAttribute("aria-label"),
  };
}));

const tests = {
  async "charts have a mark for every datum"(browser) {
    for (const [name, least] of [["study.html", 8], ["evaluation.html", 4], ["answer.html", 6], ["risk.html", 4], ["compare.html", 2], ["evil.html", 3]]) {
      const { page, context, wrong } = await open(browser, name);
      const drawn = await charts(page);
      assert.ok(drawn.length >= least, `${name}: ${drawn.length} charts`);
      for (const chart of drawn) {
        const lines = { weights: 1, risk: 4 };  // one mark for each, however many points it has
        const expected = lines[chart.id.split("-")[0]] ?? chart.data;
        assert.ok(chart.marks >= expected, `${name} ${chart.id}: ${chart.marks} marks for ${chart.data} data`);
        assert.ok(!chart.bad, `${name} ${chart.id}: a coordinate is not a number`);
        assert.ok(chart.width > 100, `${name} ${chart.id}: ${chart.width} pixels wide`);
        assert.ok(chart.label.length > 20, `${name} ${chart.id}: says nothing to who cannot see it`);
      }
      assert.deepEqual(wrong, [], name);
      await context.close();
    }
  },

  async "dark paper has light ink, also in the charts, and follows a change"(browser) {
    const { page, context, wrong } = await open(browser, "study.html", { colorScheme: "dark" });
    const brightness = () => page.evaluate(() => {
      const light = (color) => color.match(/[\d.]+/g).slice(0, 3).reduce((sum, x) => sum + Number(x), 0) / 3;
      const label = document.querySelector(".chart svg g.role-axis-label text");
      return { paper: light(getComputedStyle(document.body).backgroundColor), ink: light(getComputedStyle(document.body).color),
               label: light(getComputedStyle(label).fill) };
    });
    const dark = await brightness();
    assert.ok(dark.paper < 60 && dark.ink > 180 && dark.label > 120, JSON.stringify(dark));
    const before = await page.evaluate(() => getComputedStyle(document.querySelector(".chart svg g.role-axis-label text")).fill);
    await page.emulateMedia({ colorScheme: "light" });
    await page.waitForFunction((old) => {
      const label = document.querySelector(".chart svg g.role-axis-label text");
      return label && getComputedStyle(label).fill !== old;
    }, before);
    const light = await brightness();
    assert.ok(light.paper > 240 && light.ink < 80 && light.label < 130, JSON.stringify(light));
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "a phone needs no sideways scrolling"(browser) {
    for (const name of ["study.html", "evaluation.html", "answer.html", "risk.html", "compare.html"]) {
      const { page, context, wrong } = await open(browser, name, { viewport: { width: 360, height: 740 } });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${name} is ${width} pixels wide`);
      for (const chart of await charts(page)) assert.ok(chart.width <= 360, `${name} ${chart.id}`);
      assert.deepEqual(wrong, [], name);
      await context.close();
    }
  },

  async "the answer and its verdict come first, and no table scrolls sideways at 1,200 pixels"(browser) {
    for (const name of ["evaluation.html", "answer.html", "risk.html", "compare.html"]) {
      const { page, context, wrong } = await open(browser, name, { viewport: { width: 1200, height: 900 } });
      const seen = await page.evaluate(() => ({
        first: document.querySelector("h1 + p")?.className,
        verdict: document.querySelector("p.note strong")?.textContent ?? "",
        wide: [...document.querySelectorAll("details")].map((each) => { each.open = true; return each; })
          .flatMap((each) => [...each.querySelectorAll(".scroll")])
          .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.closest("section").id),
      }));
      assert.equal(seen.first, "answer", name);
      if (name !== "compare.html") assert.match(seen.verdict, /^(Supported|Doubtful|Not answerable from these logs):$/);
      assert.deepEqual(seen.wide, [], name);
      assert.deepEqual(wrong, [], name);
      await context.close();
    }
  },

  async "no script runs but those of the page, and nothing is evaluated"(browser) {
    const { page, context, wrong } = await open(browser, "evaluation.html");
    assert.deepEqual(wrong, []);
    const ran = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "window.injected = 1";
      document.body.append(script);
      const button = document.createElement("button");
      button.setAttribute("onclick", "window.injected = 2");
      document.body.append(button);
      button.click();
      // Later, because what the driver runs itself may evaluate.
      const evaluated = await new Promise((answer) => setTimeout(() => {
        try { answer(new Function("return true")()); } catch { answer(false); }
      }, 0));
      const base = document.createElement("base");
      base.href = "https:" + "//elsewhere.invalid/";
      document.head.append(base);
      return { injected: window.injected ?? 0, evaluated, moved: document.baseURI.startsWith("https:") };
    });
    assert.deepEqual(ran, { injected: 0, evaluated: false, moved: false });
    await context.close();
  },

  async "names are only names"(browser) {
    for (const name of ["evaluation.html", "evil.html"]) {
      const { page, context, wrong } = await open(browser, name);
      assert.equal(await page.evaluate(() => window.evil), undefined);
      const text = await page.evaluate(() => document.querySelector("main").textContent);
      assert.ok(text.includes(EVIL), `${name} does not show the name`);
      assert.deepEqual(wrong, [], name);
      await context.close();
    }
  },

  async "tables and charts can be saved"(browser) {
    const { page, context, wrong } = await open(browser, "study.html");
    const saved = async (action) => {
      const [download] = await Promise.all([page.waitForEvent("download"), action()]);
      return [download.suggestedFilename(), fs.readFileSync(await download.path(), "utf8")];
    };
    await page.locator("#errors details summary").click();
    const [table, csv] = await saved(() => page.locator("#errors button.csv").click());
    assert.equal(table, "errors.csv");
    assert.ok(csv.startsWith("domain,episodes,estimator,"));
    const rows = await page.locator("#errors tbody tr").count();
    assert.equal(csv.trim().split("\n").length, rows + 1);
    assert.ok(csv.includes('"star(clusters='));  // commas inside a cell are quoted
    const [chart, svg] = await saved(() => page.locator("#errors button.svg").first().click());
    assert.equal(chart, "errors-1.svg");
    assert.ok(svg.startsWith("<svg") && svg.includes("</svg>"));
    assert.deepEqual(wrong.filter((line) => !line.startsWith("request: blob:")), []);
    await context.close();
  },

  async "everything can be reached by keyboard and is named"(browser) {
    const { page, context } = await open(browser, "evaluation.html");
    const reached = new Set();
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement.classList[0] ?? document.activeElement.tagName));
    }
    for (const what of ["A", "chart", "svg", "csv", "SUMMARY"]) assert.ok(reached.has(what), `${what} of ${[...reached]}`);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, a, [role=img]")]
      .filter((e) => !(e.getAttribute("aria-label") || e.textContent).trim()).length);
    assert.equal(nameless, 0);
    assert.equal(await page.evaluate(() => document.querySelectorAll("th:not([scope])").length), 0);
    assert.equal(await page.evaluate(() => document.querySelectorAll("table:not([aria-label])").length), 0);
    // What is entered only to be scrolled is named by a label; rows of the estimates by their estimators.
    assert.equal(await page.evaluate(() => document.querySelectorAll("div[tabindex]:not([aria-label])").length), 0);
    assert.ok(await page.evaluate(() => document.querySelectorAll("tbody th[scope=row]").length) > 0);
    const levels = await page.evaluate(() => [...document.querySelectorAll("h1,h2,h3,h4")].map((h) => Number(h.tagName[1])));
    assert.equal(levels.filter((level) => level === 1).length, 1);
    await context.close();
  },
};

let failed = 0;
try {
  write_reports();
  const browser = await driver.launch({ executablePath: chromium, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(browser);
      console.log(`ok      ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  await browser.close();
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
