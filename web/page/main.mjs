// The page: a table comes in, is looked at, and is evaluated on request.
import { menus, chosen, with_choice, still_possible, option_of_error } from "./columns.mjs";
import { Engine, Stopped } from "./engine.mjs";
import { count_text, pasted_name, seconds_text, size_text, stem } from "./format.mjs";
import { element, menu_fields, note, save, show_report, summary } from "./view.mjs";

const at = (id) => document.getElementById(id);

async function unpacked(id) {
  const packed = Uint8Array.from(atob(at(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const worker_address = URL.createObjectURL(new Blob([at("worker-source").textContent], { type: "text/javascript" }));
const engine = new Engine(() => new Worker(worker_address), () => unpacked("engine-bytes"));

const state = {
  offers: undefined,   // what there is to choose
  table: undefined,    // {blob, name}
  open_in: undefined,  // the worker that has it
  names: [],           // of its columns
  said: {},            // what was chosen in the menus
  recognized: undefined,  // which columns have a role, if that is known
  proposed: "",        // the discount that an example brought along
  taken: 0,            // counts tables and choices: an answer to an older one is not shown
  result: undefined,
};

// What is asked when a table is looked at, and when it is evaluated.
function about_columns() {
  return JSON.stringify({ columns: state.said });
}
function question() {
  return JSON.stringify({ columns: state.said, gamma: at("gamma").value.trim(), horizon: at("horizon").value.trim(),
                          estimators: at("estimators").value.trim() });
}

// `changed`: the menu that was used, if one was.
function show_menus(error, changed) {
  const options = state.offers?.columns ?? [];
  const { id, value } = document.activeElement ?? {};
  const choose = (name, values) => {
    state.said = with_choice(state.said, name, values);
    look(name).catch((error) => failed(at("problem"), error));
  };
  at("menus").replaceChildren(menu_fields(menus(options, state.names, state.recognized, state.said), choose,
                                          (name, value) => choose(name, chosen(value))));
  const wrong = error && option_of_error(error, options);
  if (wrong) at(`field-${wrong}`)?.classList.add("wrong");
  // The menus are new; who used one of them by keyboard is still there.
  if (changed) (at(id) ?? [...at(`field-${changed}`).querySelectorAll("input")].find((box) => box.value === value))?.focus();
}

function show_problem(place, error) {
  place.replaceChildren(...(error ? [note("critical", error.message, "error")] : []));
}

// What is in the table, now that this menu was used.
async function look(changed) {
  const number = ++state.taken;
  if (!at("logs-status").textContent.startsWith("Reading")) at("logs-status").textContent = `Reading ${state.table.name} ...`;
  at("answer").hidden = true;
  show_problem(at("refusal"));
  await open();
  const seen = await engine.ask("look", { request: about_columns() });
  if (number !== state.taken) return;
  state.recognized = seen.inspection?.columns.recognized;
  show_problem(at("problem"), seen.error);
  at("summary").replaceChildren(...(seen.inspection ? summary(seen) : []));
  at("seen").hidden = false;
  at("question").hidden = Boolean(seen.error);
  if (seen.usual) at("estimators").placeholder = seen.usual;
  at("logs-status").textContent = seen.error ? `${state.table.name} cannot be used yet.`
    : `${state.table.name}: ${count_text(seen.inspection.episodes, "episode")}, ${count_text(seen.inspection.steps, "step")}.`;
  show_menus(seen.error, changed);
  if (seen.error) at("columns").open = true;
}

// Hands the table to the worker, unless it has it. An error where it is too large.
async function open() {
  if (engine.worker && state.open_in === engine.worker) return;
  state.offers = await engine.start();
  const worker = engine.worker;
  const expected = await engine.ask("open", { blob: state.table.blob, name: state.table.name, request: about_columns() });
  if (expected.error) throw new Error(expected.error.message);
  state.open_in = worker;
  state.names = expected.names;
}

engine.on_expected = ({ memory }) => {
  const { blob, name } = state.table;
  if (memory && at("logs-status").textContent.startsWith("Reading"))
    at("logs-status").textContent = `Reading ${name}, ${size_text(blob.size)}; it takes up to about ${size_text(memory)} of memory ...`;
};

// A failure of the page itself, or a table that is too large for it.
function failed(place, error) {
  if (error instanceof Stopped) return;
  show_problem(place, error);
  engine.stop();
}

// The true value of an example is of its discount. What was typed stays for a table of one's own, what an example brought does not.
function propose(gamma, always = false) {
  if (always || at("gamma").value === state.proposed) at("gamma").value = gamma;
  state.proposed = gamma;
}

async function take(blob, name) {
  if (!at("running").hidden) stop();
  if (engine.waiting.size > 0) engine.stop();
  const said = state.said;
  Object.assign(state, { table: { blob, name }, open_in: undefined, said: {}, recognized: undefined, result: undefined });
  at("logs-status").textContent = `Reading ${name}, ${size_text(blob.size)} ...`;
  at("examples").open = false;  // what comes next is what matters now
  at("answer").hidden = true;
  try {
    await open();
    state.said = still_possible(said, state.names);
    await look();
  } catch (error) {
    if (error instanceof Stopped) return;
    failed(at("problem"), error);
    at("summary").replaceChildren();
    at("menus").replaceChildren();
    at("seen").hidden = false;
    at("question").hidden = true;
    at("logs-status").textContent = `${name} cannot be used.`;
  }
}

// ---- The question ---------------------------------------------------------------------------------------------------

let clock;

function running(yes) {
  at("running").hidden = !yes;
  at("cancel").hidden = !yes;
  at("evaluate").disabled = yes;
  clearInterval(clock);
  if (!yes) return;
  const begun = performance.now();
  at("answer-status").textContent = "Reading the table";
  at("progress").removeAttribute("value");
  const tell = () => { at("progress-text").textContent = seconds_text((performance.now() - begun) / 1000); };
  engine.on_progress = ({ number, total, estimator }) => {
    at("answer-status").textContent = `Evaluating ${number} of ${total}: ${estimator}`;
    if (number > 1) at("progress").value = (number - 1) / total;
  };
  tell();
  clock = setInterval(tell, 500);
}

function stop() {
  engine.stop();
  running(false);
  at("answer-status").textContent = "Stopped. Nothing was kept.";
  at("evaluate").focus();
}

async function evaluate() {
  if (!state.table || !at("running").hidden) return;
  show_problem(at("refusal"));
  at("answer").hidden = true;
  running(true);
  at("cancel").focus();
  try {
    await open();
    const begun = performance.now();
    const result = await engine.ask("answer", { request: question() });
    const seconds = (performance.now() - begun) / 1000;
    if (result.error) {
      show_problem(at("refusal"), result.error);
      at("answer-status").textContent = "";
      return;
    }
    show_answer(result, seconds);
  } catch (error) {
    failed(at("refusal"), error);
  } finally {
    running(false);
    if (at("answer").hidden) at("evaluate").focus();  // the focus was on the button that cancels
  }
}

function show_answer(result, seconds) {
  state.result = result;
  at("answer").hidden = false;
  at("command").value = result.command;
  show_report(at("report"), result.report);
  at("answer-status").textContent = `${result.answered ? "Evaluated" : "No estimator could answer"} in ${seconds_text(Math.max(seconds, 1))}.`;
  at("answer-title").focus({ preventScroll: true });
  at("answer-title").scrollIntoView();
}

// ---- What people do -------------------------------------------------------------------------------------------------

function take_own(blob, name) {
  propose("");
  take(blob, name);
}

at("file").addEventListener("change", () => { if (at("file").files[0]) take_own(at("file").files[0], at("file").files[0].name); });
at("use-pasted").addEventListener("click", () => {
  const text = at("pasted").value;
  at("file").value = "";
  take_own(new Blob([text]), pasted_name(text));
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    at("drop").classList.toggle("over", kind === "dragover");
    const file = kind === "drop" && event.dataTransfer?.files[0];
    if (!file) return;
    at("file").files = event.dataTransfer.files;  // so that its name stands there
    take_own(file, file.name);
  });
}
for (const example of document.querySelectorAll("script.example")) {
  const { name, title, about, gamma, further } = example.dataset;
  const button = element("button", { type: "button" }, title);
  button.addEventListener("click", async () => {
    propose(gamma, true);
    at("file").value = "";
    await take(new Blob([await unpacked(example.id)]), name);
    if (document.activeElement === document.body) at("seen-title").focus();  // the list is closed, and the button with it
  });
  at(further === undefined ? "example-list" : "further-list").append(element("li", {}, button, element("p", { className: "quiet" }, about)));
}
at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  evaluate();
});
at("menus").addEventListener("submit", (event) => event.preventDefault());
at("cancel").addEventListener("click", stop);
at("save-report").addEventListener("click", () => save(state.result.report, "text/html", `${stem(state.table.name)}-report.html`));
at("save-json").addEventListener("click", () => save(state.result.json, "application/json", `${stem(state.table.name)}.json`));
at("save-text").addEventListener("click", () => save(state.result.text, "text/plain", `${stem(state.table.name)}.txt`));
at("copy").addEventListener("click", async () => {
  let copied = true;
  try {
    await navigator.clipboard.writeText(at("command").value);
  } catch {  // no permission, or no clipboard for pages of this kind
    at("command").select();
    copied = document.execCommand("copy");
    if (copied) at("copy").focus();
  }
  at("answer-status").textContent = copied ? "Copied." : "The browser does not let this page copy; the text is selected.";
});
