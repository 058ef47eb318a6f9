// How long the page takes beside the program with one thread: said, never asserted.
//
//   node measure.mjs PAGE STAROPE NPM_FOLDER CHROMIUM [ROUNDS]
//
// Both in turn, on the same logs: reading, evaluating and writing the report. Clock, and processor time of all processes of the
// browser, which also counts what it compiles beside. On a busy machine read the latter.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [html, starope, npm, chromium] = process.argv.slice(2, 6).map((argument) => path.resolve(argument));
const rounds = Number(process.argv[6] ?? 3);
const { chromium: driver } = createRequire(import.meta.url)(path.join(npm, "node_modules", "playwright-core"));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "starope-measure-"));

// Logs, estimators, how often.
const QUESTIONS = [["many.csv", "auto", rounds], ["large.csv", "naive,wpdis", 1], ["large.csv", "auto,naive,wis,wpdis", 1]];

// Seconds of clock and processor of a program.
function run(...words) {
  const timed = execFileSync("bash", ["-c", 'TIMEFORMAT="%R %U %S"; { time "$@" >/dev/null 2>&1; } 2>&1', "bash", starope, ...words],
                             { cwd: folder, encoding: "utf8" });
  const [clock, user, system] = timed.trim().split("\n").pop().split(" ").map(Number);
  return { clock, processor: user + system };
}

// Processor seconds of a process and all that it started and that are still there.
function processor_of(root) {
  const ticks = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  const parent = new Map(), used = new Map();
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
      parent.set(Number(pid), Number(fields[1]));
      used.set(Number(pid), Number(fields[11]) + Number(fields[12]));
    } catch { /* it ended meanwhile */ }
  }
  const below = (pid) => { while (pid > 1 && pid !== root) pid = parent.get(pid) ?? 0; return pid === root; };
  return [...used].filter(([pid]) => below(pid)).reduce((sum, [, count]) => sum + count, 0) / ticks;
}

async function in_page(browser, root, name, estimators) {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(html).href);
  const begun = performance.now();
  await page.locator("#file").setInputFiles(path.join(folder, name));
  await page.waitForFunction(() => /steps?\.$/.test(document.getElementById("logs-status").textContent), null, { timeout: 600000 });
  const opened = (performance.now() - begun) / 1000;
  await page.locator("#estimators").fill(estimators);
  const before = processor_of(root), start = performance.now();
  await page.locator("#evaluate").click();
  await page.locator("#answer:not([hidden]), #refusal p").first().waitFor({ state: "visible", timeout: 3600000 });
  const result = { opened, clock: (performance.now() - start) / 1000, processor: processor_of(root) - before,
                   what: await page.locator("#logs-status").innerText(), refused: await page.locator("#refusal").innerText() };
  await page.close();
  return result;
}

const server = await driver.launchServer({ executablePath: chromium, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
try {
  run("simulate", "cartpole", "--episodes", "4600", "--seed", "5", "-o", "many.csv");
  run("simulate", "cartpole", "--episodes", "77000", "--seed", "6", "-o", "large.csv");
  const browser = await driver.connect(server.wsEndpoint());
  for (const [name, estimators, times] of QUESTIONS) {
    for (let i = 0; i < times; ++i) {
      const page = await in_page(browser, server.process().pid, name, estimators);
      const program = run("evaluate", name, "--estimators", estimators, "--threads", "1", "--report", "timed.html");
      const text = (x) => x.toFixed(1), ratio = (of) => (page[of] / program[of]).toFixed(2);
      console.log(`${page.what} ${estimators}, ${(fs.statSync(path.join(folder, name)).size / 1e6).toFixed(0)} MB, load ${os.loadavg()[0].toFixed(1)}: ` +
                  `page clock ${text(page.clock)} s, processor ${text(page.processor)} s (opened in ${text(page.opened)} s); ` +
                  `program ${text(program.clock)} s, ${text(program.processor)} s; ratio ${ratio("clock")}, ${ratio("processor")}` +
                  `${page.refused && `; refused: ${page.refused}`}`);
    }
  }
} finally {
  await server.close();
  fs.rmSync(folder, { recursive: true, force: true });
}
