// The page in a real browser, beside the program: the same answers, messages and reports; no request; saving, stopping,
// dark paper, small screens, the keyboard.
//
//   node browser_test.mjs PAGE STAROPE NPM_FOLDER CHROMIUM     exit code 77: no browser here
//
// STAROPE_SCREENSHOTS=FOLDER keeps pictures of what was seen. STAROPE_MEASURE=1 also says how long 100,000 steps and a file
// of 200 MB take, here and in the program.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [html, starope, npm, chromium] = process.argv.slice(2).map((argument) => path.resolve(argument));
const playwright = path.join(npm, "node_modules", "playwright-core");
if (!fs.existsSync(playwright) || !fs.existsSync(chromium)) {
  console.log("skipped: tools/install_dependencies.sh browser installs what is missing");
  process.exit(77);
}
const { chromium: driver } = createRequire(import.meta.url)(playwright);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "starope-page-"));
const in_folder = (name) => path.join(folder, name);
const run = (...words) => execFileSync(starope, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", maxBuffer: 1 << 28 });
const long = { timeout: 300000 };

// Not to the bit: exp, log and pow of the browser's library (musl) round the last digit otherwise than those of the program's
// (glibc). Sums, products, random numbers and the order of all of them are the same.
const NEAR = 1e-9;

function make_logs() {
  run("simulate", "cartpole", "--episodes", "1000", "--seed", "1", "-o", "cartpole.csv");
  run("simulate", "cartpole", "--episodes", "200", "--seed", "3", "-o", "small.csv");
  run("simulate", "gridworld-8x8", "--episodes", "300", "--seed", "1", "-o", "grid.csv");
  const text = fs.readFileSync(in_folder("small.csv"), "utf8");
  const rows = text.split("\n");
  // Without the columns of all probabilities, which would do instead of those of the logged actions.
  const kept = rows[0].split(",").map((name) => !/_probs_\d+$/.test(name));
  const few = rows.map((row) => row.split(",").filter((_, i) => kept[i]).join(",")).join("\n");
  fs.writeFileSync(in_folder("renamed.csv"), few.replace(/\breward\b/, "points").replace(/\btarget_prob\b/, "wanted <b>"));
  const without = (change) => [rows[0], change(rows[1]), ...rows.slice(2)].join("\n");
  const broken = {
    "not-a-number.csv": without((row) => row.replace(/^[^,]*,[^,]*,[^,]*/, (begin) => begin.replace(/[^,]*$/, "much"))),
    "short-row.csv": without((row) => row.split(",").slice(0, 4).join(",")),
    "empty.csv": "",
    "header-only.csv": rows[0] + "\n",
    "no-table.csv": "these are\njust words\n",
    "semicolons.csv": text.replaceAll(",", ";"),
    "twice.csv": text.replace("episode,", "episode,episode,"),
    "torn.csv": [...rows.slice(0, 40), ...rows.slice(1, 3), ""].join("\n"),
  };
  for (const [name, bytes] of Object.entries(broken)) fs.writeFileSync(in_folder(name), bytes);
  return Object.keys(broken);
}

// What the program says about a file, without its name in front.
function complaint(name, ...words) {
  const done = spawnSync(starope, ["evaluate", name, ...words], { cwd: folder, encoding: "utf8" });
  assert.notEqual(done.status, 0, `${name} is not broken`);
  const said = done.stderr.split("\n").filter((line) => !line.startsWith("starope: without --estimators")).join("\n");
  return said.replace(/^starope: /, "").trim();
}

async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const url = pathToFileURL(html).href;
  const wrong = [], requests = [];
  page.on("console", (message) => wrong.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error}`));
  // A blob is made by the page itself, and about:srcdoc is the frame of the report.
  page.on("request", (request) => { if (request.url() !== url && !/^(blob:|about:srcdoc)/.test(request.url())) requests.push(request.url()); });
  await page.goto(url);
  return { page, context, wrong, requests };
}

async function picture(page, name) {
  if (!process.env.STAROPE_SCREENSHOTS) return;
  await page.screenshot({ path: path.join(process.env.STAROPE_SCREENSHOTS, `${name}.png`), fullPage: true });
}

async function drop(page, name, as = name) {
  const handle = await page.evaluateHandle(([text, file]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], file));
    return data;
  }, [fs.readFileSync(in_folder(name), "utf8"), as]);
  await page.dispatchEvent("#drop", "drop", { dataTransfer: handle });
  await settled(page);
}

const settled = (page) => page.waitForFunction(() => /(steps?\.|cannot be used)/.test(document.getElementById("logs-status").textContent), null, long);

// A message of the page, without the word for how bad it is.
const told = async (page, place) => (await page.locator(place).innerText()).replace(/^\w+: /, "").trim();

async function evaluated(page) {
  await page.locator("#evaluate").click();
  await page.locator("#answer:not([hidden]), #refusal p").first().waitFor({ state: "visible", ...long });
  assert.equal(await told(page, "#refusal"), "");
  await page.frameLocator("#report").locator("html[data-drawn]").waitFor({ state: "attached", ...long });
}

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(button).click()]);
  return [download.suggestedFilename(), fs.readFileSync(await download.path(), "utf8")];
}

let worst = 0, same = 0, compared = 0;

// Two trees with the same words, and numbers that are near each other.
function expect_near(found, expected, where) {
  if (typeof expected === "number") {
    const away = Math.abs(found - expected) / Math.max(Math.abs(expected), 1e-300);
    ++compared;
    if (found === expected) ++same;
    else worst = Math.max(worst, away);
    assert.ok(found === expected || away <= NEAR, `${where}: ${found} instead of ${expected}`);
  } else if (expected !== null && typeof expected === "object") {
    assert.deepEqual(Object.keys(found), Object.keys(expected), where);
    for (const key of Object.keys(expected)) expect_near(found[key], expected[key], `${where}.${key}`);
  } else {
    assert.equal(found, expected, where);
  }
}

let broken = [];

const tests = {
  async "a dropped log has the answer, the JSON and the report of the program, and nothing is requested"(browser) {
    const { page, context, wrong, requests } = await open(browser);
    await picture(page, "start-light-1280");
    await drop(page, "cartpole.csv");
    assert.match(await page.locator("#summary").innerText(), /1,000 episodes[^]*22,015 steps/);
    await picture(page, "recognized-light-1280");
    await evaluated(page);
    await picture(page, "answer-light-1280");
    const [json_name, json] = await saved(page, "#save-json");
    assert.equal(json_name, "cartpole.json");
    expect_near(JSON.parse(json), JSON.parse(run("evaluate", "cartpole.csv", "--json")), "cartpole");

    const command = await page.locator("#command").inputValue();
    assert.equal(command, "starope evaluate cartpole.csv --report report.html");
    const printed = run(...command.split(" ").slice(1));
    assert.equal((await saved(page, "#save-text"))[1], printed);

    const [report_name, report] = await saved(page, "#save-report");
    assert.equal(report_name, "cartpole-report.html");
    fs.writeFileSync(in_folder("saved.html"), report);
    const other = await context.newPage();
    const texts = [];
    for (const name of ["saved.html", "report.html"]) {
      await other.goto(pathToFileURL(in_folder(name)).href);
      await other.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
      texts.push(await other.evaluate(() => ({ text: document.querySelector("main").innerText, drawn: document.documentElement.dataset.drawn })));
    }
    assert.ok(Number(texts[0].drawn) >= 4);
    assert.equal(texts[0].drawn, texts[1].drawn);
    assert.equal(texts[0].text, texts[1].text);
    assert.deepEqual(wrong, []);
    assert.deepEqual(requests, []);
    await context.close();
  },

  async "discount, horizon and estimators reach the library"(browser) {
    const { page, context, wrong } = await open(browser);
    await page.locator("#file").setInputFiles(in_folder("grid.csv"));
    await settled(page);
    await page.locator("#gamma").fill("0.95");
    await page.locator("#horizon").fill("12");
    await page.locator("#estimators").fill("auto,wpdis,star(phi=identity,clip=2),mb");
    await evaluated(page);
    const command = await page.locator("#command").inputValue();
    assert.equal(command, "starope evaluate grid.csv --gamma 0.95 --horizon 12 --estimators 'auto,wpdis,star(phi=identity,clip=2),mb' --report report.html");
    const expected = run("evaluate", "grid.csv", "--gamma", "0.95", "--horizon", "12", "--estimators", "auto,wpdis,star(phi=identity,clip=2),mb", "--json");
    expect_near(JSON.parse((await saved(page, "#save-json"))[1]), JSON.parse(expected), "grid");
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "renamed columns are mapped by menus, with the messages of the program"(browser) {
    const { page, context, wrong } = await open(browser);
    await drop(page, "renamed.csv");
    assert.equal(await told(page, "#problem"), complaint("renamed.csv"));
    assert.ok(await page.locator("#field-reward").evaluate((field) => field.classList.contains("wrong")));
    assert.ok(await page.locator("#question").isHidden());
    await picture(page, "renamed-light-1280");
    await page.locator("#menu-reward").selectOption({ label: "points" });
    await page.waitForFunction(() => document.querySelector("#field-target_prob.wrong"), null, long);
    assert.equal(await told(page, "#problem"), complaint("renamed.csv", "--reward", "points"));
    await page.locator("#menu-target_prob").selectOption({ label: "wanted <b>" });
    await page.waitForFunction(() => document.getElementById("problem").textContent === "", null, long);
    await evaluated(page);
    assert.equal(await page.locator("#command").inputValue(), "starope evaluate renamed.csv --reward points --target-prob 'wanted <b>' --report report.html");
    const expected = run("evaluate", "renamed.csv", "--reward", "points", "--target-prob", "wanted <b>", "--json");
    expect_near(JSON.parse((await saved(page, "#save-json"))[1]), JSON.parse(expected), "renamed");
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "bad files and slips are told in the words of the program"(browser) {
    const { page, context, wrong } = await open(browser);
    for (const name of broken) {
      await drop(page, name);
      assert.equal(await told(page, "#problem"), complaint(name), name);
    }
    await drop(page, "small.csv");
    for (const [field, text, flag] of [["#gamma", "1.5", "--gamma"], ["#horizon", "none", "--horizon"], ["#estimators", "autto", "--estimators"]]) {
      await page.locator(field).fill(text);
      await page.locator("#evaluate").click();
      await page.locator("#refusal p").waitFor(long);
      assert.equal(await told(page, "#refusal"), complaint("small.csv", flag, text).split("\n")[0], field);
      await page.locator(field).fill("");
    }
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "an evaluation can be stopped, and asked again"(browser) {
    const { page, context, wrong } = await open(browser);
    await drop(page, "cartpole.csv");
    await page.locator("#estimators").fill("auto,auto(seeds=12),wpdis");
    await page.locator("#evaluate").click();
    await page.waitForFunction(() => /of 3: auto/.test(document.getElementById("progress-text").textContent), null, long);
    assert.ok(await page.locator("#evaluate").isDisabled());
    await picture(page, "running-light-1280");
    await page.locator("#cancel").click();
    assert.match(await page.locator("#answer-status").innerText(), /Stopped/);
    assert.ok(await page.locator("#running").isHidden());
    assert.ok(await page.locator("#answer").isHidden());
    await page.locator("#estimators").fill("wpdis");
    await evaluated(page);
    const expected = run("evaluate", "cartpole.csv", "--estimators", "wpdis", "--json");
    expect_near(JSON.parse((await saved(page, "#save-json"))[1]), JSON.parse(expected), "again");
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "a pasted table and every example are read"(browser) {
    const { page, context, wrong, requests } = await open(browser);
    await page.locator("#paste summary").click();
    const rows = fs.readFileSync(in_folder("small.csv"), "utf8").split("\n").filter((row) => /^(episode|\d),/.test(row));
    await page.locator("#pasted").fill(rows.join("\n").replaceAll(",", "\t"));
    await page.locator("#use-pasted").click();
    await settled(page);
    assert.match(await page.locator("#logs-status").innerText(), /^pasted.tsv: 10 episodes/);
    const examples = page.locator("#example-list button");
    assert.ok((await examples.count()) >= 10);
    for (const example of await examples.all()) {
      if (!(await example.isVisible())) await page.locator("#examples summary").click();
      const name = await example.innerText();
      await example.click();
      await page.waitForFunction((begin) => document.getElementById("logs-status").textContent.startsWith(begin), `${name}.csv: `, long);
      assert.equal(await page.locator("#problem").innerText(), "", name);
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(requests, []);
    await context.close();
  },

  async "a table that is too large is refused before it is read"(browser) {
    const { page, context, wrong } = await open(browser);
    await page.evaluate((text) => {
      const part = new Blob([text.repeat(200)]);
      const data = new DataTransfer();
      data.items.add(new File([text, ...Array(Math.ceil(3.5e9 / part.size)).fill(part)], "huge.csv"));
      document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, fs.readFileSync(in_folder("small.csv"), "utf8"));
    await settled(page);
    assert.match(await page.locator("#problem").innerText(), /huge\.csv has 3\.5 GB: to evaluate it takes about .* of memory, and a page in a browser has .*Use the program/);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "no script runs but those of the page, and nothing can be fetched"(browser) {
    const { page, context } = await open(browser);
    const ran = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "window.injected = 1";
      document.body.append(script);
      const evaluated = await new Promise((answer) => setTimeout(() => {
        try { answer(new Function("return true")()); } catch { answer(false); }
      }, 0));
      const fetched = await fetch("https:" + "//elsewhere.invalid/").then(() => "fetched", (error) => error.name);
      const refused = await new Promise((answer) => {
        document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => effectiveDirective === "img-src" && answer(effectiveDirective));
        new Image().src = "https:" + "//elsewhere.invalid/a.png";
      });
      return { injected: window.injected ?? 0, evaluated, fetched, refused };
    });
    assert.deepEqual(ran, { injected: 0, evaluated: false, fetched: "TypeError", refused: "img-src" });
    await context.close();
  },

  async "a phone needs no sideways scrolling, and dark paper has light ink"(browser) {
    const { page, context, wrong } = await open(browser, { viewport: { width: 375, height: 740 }, colorScheme: "dark" });
    await picture(page, "start-dark-375");
    await drop(page, "small.csv");
    await page.locator("#columns summary").click();
    await picture(page, "columns-dark-375");
    await page.locator("#estimators").fill("auto,naive,wis,wpdis,star(clusters=8)");
    await evaluated(page);
    await picture(page, "answer-dark-375");
    const seen = await page.evaluate(() => {
      const light = (color) => color.match(/[\d.]+/g).slice(0, 3).reduce((sum, x) => sum + Number(x), 0) / 3;
      const inside = document.getElementById("report").contentDocument;
      const style = (node) => ({ paper: light(getComputedStyle(node).backgroundColor), ink: light(getComputedStyle(node).color) });
      return { width: document.documentElement.scrollWidth, inner: inside.documentElement.scrollWidth, frame: document.getElementById("report").clientWidth,
               high: document.getElementById("report").clientHeight - inside.documentElement.scrollHeight,
               page: style(document.body), report: style(inside.body) };
    });
    assert.ok(seen.width <= 375, `${seen.width} pixels wide`);
    assert.ok(seen.inner <= seen.frame, `the report is ${seen.inner} pixels wide in ${seen.frame}`);
    assert.ok(seen.high >= 0, "the report has a second scroll bar");
    for (const each of [seen.page, seen.report]) assert.ok(each.paper < 60 && each.ink > 180, JSON.stringify(seen));
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "everything works by keyboard and has a name"(browser) {
    const { page, context, wrong } = await open(browser);
    const tab_to = async (id, most = 80) => {
      for (let i = 0; i < most; ++i) {
        if ((await page.evaluate(() => document.activeElement.id)) === id) return;
        await page.keyboard.press("Tab");
      }
      assert.fail(`${id} cannot be reached by the keyboard`);
    };
    await tab_to("file");
    await page.keyboard.press("Tab");
    await page.evaluate(() => document.querySelector("#example-list button").focus());
    await page.keyboard.press("Enter");
    await settled(page);
    await page.evaluate(() => document.querySelector("#columns summary").focus());
    await page.keyboard.press("Enter");
    await tab_to("menu-t");
    await page.keyboard.press("ArrowDown");  // "not used"
    await page.waitForFunction(() => document.getElementById("menu-t")?.value === "-" && document.activeElement.id === "menu-t", null, long);
    await settled(page);
    await tab_to("gamma");
    await page.keyboard.type("0.9");
    await page.keyboard.press("Enter");  // evaluates
    await page.locator("#answer").waitFor({ state: "visible", ...long });
    assert.equal(await page.evaluate(() => document.activeElement.id), "answer-title");
    for (const id of ["save-report", "save-json", "save-text", "command", "copy"]) await tab_to(id, 4);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, textarea, iframe, progress, summary")]
      .filter((e) => !(e.labels?.[0]?.textContent || e.getAttribute("aria-label") || e.title || e.textContent).trim()).map((e) => e.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    const levels = await page.evaluate(() => [...document.querySelectorAll("h1,h2,h3")].map((h) => Number(h.tagName[1])));
    assert.deepEqual(levels, [1, 2, 2, 2, 2]);
    assert.deepEqual(wrong, []);
    await context.close();
  },
};

// How long the page and the program take; said, never asserted.
async function measure(browser) {
  run("simulate", "cartpole", "--episodes", "4600", "--seed", "5", "-o", "many.csv");
  run("simulate", "cartpole", "--episodes", "77000", "--seed", "6", "-o", "large.csv");
  for (const [name, estimators] of [["many.csv", "auto"], ["large.csv", "naive,wpdis"], ["large.csv", "auto"]]) {
    const { page, context } = await open(browser);
    const size = fs.statSync(in_folder(name)).size;
    const begun = performance.now();
    await page.locator("#file").setInputFiles(in_folder(name));
    await settled(page);
    const read = performance.now();
    await page.locator("#estimators").fill(estimators);
    await page.locator("#evaluate").click();
    await page.locator("#answer, #refusal p").first().waitFor({ state: "visible", timeout: 1200000 });
    const done = performance.now();
    const what = await page.locator("#logs-status").innerText(), refused = await told(page, "#refusal");
    const before = performance.now();
    run("evaluate", name, "--estimators", estimators, "--threads", "1", "--report", "timed.html");
    const program = performance.now() - before;
    const seconds = (x) => (x / 1000).toFixed(1);
    console.log(`measured ${what} ${(size / 1e6).toFixed(0)} MB, ${estimators}: opened in ${seconds(read - begun)} s, evaluated in ` +
                `${seconds(done - read)} s; the program with one thread ${seconds(program)} s; ratio ${((done - read) / program).toFixed(2)}` +
                `${refused && `; refused: ${refused}`}`);
    await context.close();
  }
}

let failed = 0;
try {
  broken = make_logs();
  const browser = await driver.launch({ executablePath: chromium, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
  for (const [name, test] of Object.entries(tests)) {
    if (process.env.STAROPE_ONLY && !name.includes(process.env.STAROPE_ONLY)) continue;
    try {
      await test(browser);
      console.log(`ok      ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack.slice(0, 2000)}`);
    }
  }
  console.log(`${compared} numbers compared with the program's: ${same} to the bit, the others within ${worst.toExponential(1)}`);
  if (process.env.STAROPE_MEASURE) await measure(browser);
  await browser.close();
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
