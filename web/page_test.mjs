// The parts of the page that need no browser: node --test page_test.mjs
import assert from "node:assert/strict";
import test from "node:test";

import { chosen, found_columns, menus, option_of_error, prefixes, still_possible, value_of, with_choice } from "./page/columns.mjs";
import { Engine, Stopped } from "./page/engine.mjs";
import { count_text, number_text, pasted_name, seconds_text, size_text, stem } from "./page/format.mjs";

const options = [
  { name: "episode", flag: "--episode", kind: "column", explanation: "" },
  { name: "state", flag: "--state", kind: "columns", explanation: "" },
  { name: "behavior_prob", flag: "--behavior-prob", kind: "column", explanation: "" },
  { name: "behavior_probs", flag: "--behavior-probs", kind: "prefix", explanation: "" },
  { name: "state_kind", flag: "--state-kind", kind: "kind", explanation: "" },
  { name: "sort", flag: "--sort", kind: "flag", explanation: "" },
];
const names = ["episode", "state_0", "state_1", "p_0", "p_1", "q0"];
const recognized = [{ name: "episode", role: "episode" }, { name: "state_0", role: "state_0" }, { name: "state_1", role: "state_1" }];
const menu = (name, said = {}, known = recognized) => menus(options, names, known, said).find((each) => each.name === name);

test("menus offer every column, nothing, and what the name finds", () => {
  const episode = menu("episode");
  assert.deepEqual(episode.choices.map((each) => each.text), ["by name: episode", "not used", ...names]);
  assert.equal(menu("behavior_prob").choices[0].text, "by name: none");
  assert.equal(menu("episode", {}, null).choices[0].text, "by name");  // the reader could not tell
  assert.deepEqual(menu("state").found, ["state_0", "state_1"]);
  assert.deepEqual(menu("state").choices.map((each) => each.text), names);
});

test("a column whose name is a sign of a menu is still a column", () => {
  for (const name of ["", "-", "=x", "not used"]) {
    if (name !== "") assert.deepEqual(chosen(`=${name}`), [name]);
    assert.deepEqual(chosen(value_of([name])), [name]);
  }
  assert.equal(chosen(""), undefined);
  assert.equal(value_of([]), "");
});

test("prefixes are those of columns that are numbered from 0", () => {
  assert.deepEqual(prefixes(names), ["state", "p"]);
  assert.deepEqual(prefixes(["a_1", "a_2", "b0", "b1", "0", "1"]), ["b"]);
  assert.deepEqual(menu("behavior_probs").choices.map((each) => each.value), ["", "-", "=state", "=p"]);
});

test("numbered roles belong to lists, not to the column of that name", () => {
  const probs = [{ name: "p_0", role: "behavior_probs_0" }, { name: "p", role: "behavior_prob" }];
  assert.deepEqual(found_columns(options[2], probs), ["p"]);
  assert.deepEqual(found_columns(options[3], probs), ["p_0"]);
});

test("only what says something is said", () => {
  let said = with_choice({}, "reward", ["points"]);
  said = with_choice(said, "t", [""]);
  assert.deepEqual(said, { reward: ["points"], t: [""] });
  assert.deepEqual(with_choice(said, "reward", undefined), { t: [""] });
  assert.deepEqual(with_choice(said, "state", []), said);
});

test("a new table keeps the choices that it has columns for", () => {
  const said = { reward: ["points"], t: [""], behavior_probs: ["p"], target_probs: ["gone"], sort: ["true"], state: ["a", "points"] };
  assert.deepEqual(still_possible(said, ["points", "p_0"]), { reward: ["points"], t: [""], behavior_probs: ["p"], sort: ["true"] });
});

test("an error leads to the menu it is about", () => {
  assert.equal(option_of_error({ message: "Pass --behavior-prob NAME", column: "" }, options), "behavior_prob");
  assert.equal(option_of_error({ message: "is missing", column: "episode" }, options), "episode");
  assert.equal(option_of_error({ message: "row 3: is not a number", column: "x" }, options), undefined);
});

test("numbers are texts for people", () => {
  assert.equal(count_text(1, "episode"), "1 episode");
  assert.equal(count_text(12345, "step"), "12,345 steps");
  assert.equal(size_text(999), "999 bytes");
  assert.equal(size_text(1500), "1.5 kB");
  assert.equal(size_text(200_000_000), "200 MB");
  assert.equal(seconds_text(12.7), "12 s");
  assert.equal(seconds_text(125), "2 min 5 s");
  assert.equal(number_text(21.83712), "21.84");
  assert.equal(number_text(null), "unknown");
  assert.equal(pasted_name("a\tb\n1,2"), "pasted.tsv");
  assert.equal(pasted_name("a,b\n1\t2"), "pasted.csv");
  assert.equal(stem("C:\\logs\\day 1.csv"), "day 1");
});

// A worker that answers at once, but for what it is told to wait for.
class Worker {
  constructor(log) { this.log = log; log.push("made"); }
  postMessage({ id, what }) {
    this.log.push(what);
    if (what === "answer") return this.onmessage({ data: { kind: "progress", number: 1, total: 2, estimator: "auto" } });
    queueMicrotask(() => this.onmessage({ data: what === "fail" ? { id, kind: "failed", message: "no" } : { id, result: what } }));
  }
  terminate() { this.log.push("ended"); }
}

test("the engine starts once, tells progress, and ends what is stopped", async () => {
  const log = [], progress = [];
  const engine = new Engine(() => new Worker(log), async () => new ArrayBuffer(4));
  engine.on_progress = ({ estimator }) => progress.push(estimator);
  assert.equal(await engine.ask("look"), "look");
  assert.equal(await engine.ask("look"), "look");
  await assert.rejects(engine.ask("fail"), /no/);
  const waiting = engine.ask("answer");
  await new Promise((go) => setTimeout(go, 0));
  engine.stop();
  await assert.rejects(waiting, Stopped);
  assert.equal(engine.worker, undefined);
  assert.equal(await engine.ask("look"), "look");  // with a new worker
  assert.deepEqual(log, ["made", "start", "look", "look", "fail", "answer", "ended", "made", "start", "look"]);
  assert.deepEqual(progress, ["auto"]);
});
