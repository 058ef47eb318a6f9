// The page in a real browser, beside the program: the same answers, messages and reports; no request; saving, stopping,
// dark paper, small screens, the keyboard.
//
//   node browser_test.mjs PAGE STAROPE NPM_FOLDER CHROMIUM     exit code 77: no browser here
//
// STAROPE_SCREENSHOTS=FOLDER keeps pictures of what was seen; STAROPE_ONLY=WORDS runs the tests that have these in their names.
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
// (glibc), and Eigen adds in vectors of two in the program and one by one here. The library's own kernels and random numbers have
// the same bits (make webtest runs their tests in WebAssembly).
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
    await context.setOffline(true);
    await picture(page, "start-light-1280");
    await page.evaluate(() => {
      window.told = [];
      new MutationObserver(() => window.told.push(document.getElementById("logs-status").textContent)).observe(document.getElementById("logs-status"), { childList: true });
    });
    await drop(page, "cartpole.csv");
    assert.ok((await page.evaluate(() => window.told)).some((text) => /^Reading cartpole.csv, 2.6 MB; it takes up to about \d+ MB of memory/.test(text)));
    assert.match(await page.locator("#summary").innerText(), /1,000 episodes[^]*22,015 steps/);
    assert.equal(await page.locator("#file").evaluate((field) => field.files[0].name), "cartpole.csv");
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
      await page.waitForFunction(() => document.activeElement.id === "evaluate");
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
    await page.waitForFunction(() => /of 3: auto/.test(document.getElementById("answer-status").textContent), null, long);
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
    const examples = page.locator(".examples button");
    assert.ok((await examples.count()) >= 29);
    await page.locator("#examples > summary").click();  // closed since the paste
    await page.locator("#further summary").click();
    for (const example of await examples.all()) {
      if (!(await example.isVisible())) await page.locator("#examples > summary").click();
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

  async "everything works by keyboard alone"(browser) {
    const { page, context, wrong } = await open(browser);
    const at = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    const tab_to = async (where, most = 80) => {
      for (let i = 0; i < most; ++i) {
        if ((await at()) === where) return;
        await page.keyboard.press("Tab");
      }
      assert.fail(`${where} cannot be reached by the keyboard`);
    };
    await tab_to("file", 2);
    await tab_to("Paste a table", 2);
    await tab_to("maintenance", 10);
    await page.keyboard.press("Enter");
    await settled(page);
    assert.match(await page.locator("#logs-status").innerText(), /^maintenance.csv: 200 episodes/);
    await page.waitForFunction(() => document.activeElement.id === "seen-title");  // not lost with the list of examples
    await tab_to("Columns: which one is what", 10);
    await page.keyboard.press("Enter");
    await tab_to("menu-t");
    await page.keyboard.press("ArrowDown");  // "not used"
    await page.waitForFunction(() => document.getElementById("menu-t")?.value === "-" && document.activeElement.id === "menu-t", null, long);
    await settled(page);
    await tab_to("gamma");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("0.9");
    await page.keyboard.press("Enter");  // evaluates
    await page.locator("#answer").waitFor({ state: "visible", ...long });
    assert.equal(await at(), "answer-title");
    assert.ok(await page.locator("#answer-title").evaluate((title) => Math.abs(title.getBoundingClientRect().top) < 60), "the answer is out of sight");
    for (const id of ["save-report", "save-json", "save-text", "command", "copy"]) await tab_to(id, 4);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.getElementById("answer-status").textContent === "Copied.");
    await page.keyboard.press("Tab");  // into the report
    assert.equal(await page.evaluate(() => document.activeElement.id), "report");
    await page.evaluate(() => document.activeElement.blur());
    await tab_to("estimators");
    await page.keyboard.type("auto(seeds=40)");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "cancel");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "evaluate");
    assert.match(await page.locator("#answer-status").innerText(), /Stopped/);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  // What a screen reader is told: the tree of accessibility, as the browser makes it.
  async "everything has a name and a role"(browser) {
    const { page, context, wrong } = await open(browser);
    await page.locator("#paste summary").click();
    await drop(page, "small.csv");
    await page.locator("#columns summary").click();
    await page.locator("#estimators").fill("naive,wpdis");
    await evaluated(page);
    const session = await context.newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const seen = nodes.filter((node) => !node.ignored).map((node) => [node.role?.value, (node.name?.value ?? "").trim()]);
    const roles = ["button", "textbox", "combobox", "checkbox", "Iframe", "DisclosureTriangle", "region", "link", "columnheader", "heading"];
    assert.deepEqual(seen.filter(([role, name]) => roles.includes(role) && name === ""), []);
    for (const expected of [["heading", "What would another policy have earned?"], ["region", "1. The logs"], ["region", "4. The answer"],
                            ["combobox", "reward --reward"], ["textbox", "Discount --gamma"], ["button", "Evaluate"], ["Iframe", "Report of the evaluation"],
                            ["button", "A CSV or TSV file with one row per step: drop it here, or choose it."]])
      assert.ok(seen.some(([role, name]) => role === expected[0] && name.startsWith(expected[1])), `${expected} is not among\n${seen.filter(([role]) => role === expected[0]).join("\n")}`);
    const inside = await page.frames().find((frame) => frame !== page.mainFrame()).evaluate(() =>
      [...document.querySelectorAll("figure, svg.marks, canvas.marks")].filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim())).length);
    assert.equal(inside, 0);
    const live = await page.evaluate(() => ["logs-status", "answer-status", "problem", "refusal"].map((id) => document.getElementById(id).getAttribute("role")));
    assert.deepEqual(live, ["status", "status", "alert", "alert"]);
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("h1,h2,h3")].map((h) => h.tagName)), ["H1", "H2", "H2", "H2", "H2"]);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "an example brings its discount, and takes it away again"(browser) {
    const { page, context, wrong } = await open(browser);
    const gamma = page.locator("#gamma"), example = (name) => page.locator(".examples button", { hasText: new RegExp(`^${name}$`) });
    const take = async (name) => {
      if (!(await example(name).isVisible())) await page.locator("#examples > summary").click();
      await example(name).click();
      await page.waitForFunction((begin) => document.getElementById("logs-status").textContent.startsWith(begin), `${name}.csv: `, long);
    };
    const about = (name) => example(name).locator("xpath=..").textContent();
    await take("gridworld-8x8");
    const discount = /discount ([\d.]+), true value/.exec(await about("gridworld-8x8"))[1];
    assert.equal(await gamma.inputValue(), discount);
    await take("cartpole");
    assert.equal(await gamma.inputValue(), "");
    await take("gridworld-8x8");
    await drop(page, "small.csv");
    assert.equal(await gamma.inputValue(), "");
    await gamma.fill("0.8");
    await drop(page, "grid.csv");
    assert.equal(await gamma.inputValue(), "0.8");
    assert.deepEqual(wrong, []);
    await context.close();
  },
};

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
  await browser.close();
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
