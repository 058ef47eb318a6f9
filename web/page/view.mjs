// Pieces of the page. Texts come from files and are set as texts, never as markup.
import { count_text, number_text } from "./format.mjs";
import { value_of } from "./columns.mjs";

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function note(severity, text, label = severity) {
  return element("p", { className: `note ${severity}` }, element("strong", {}, `${label}:`), ` ${text}`);
}

function facts(inspection) {
  const list = [
    ["episodes", count_text(inspection.episodes, "episode")],
    ["steps", count_text(inspection.steps, "step")],
    ["length of an episode", `${number_text(inspection.length.mean)} on average, at most ${inspection.length.max}`],
    ["state", state_text(inspection.state)],
    ["actions", action_text(inspection.action)],
    ["return of an episode", `${number_text(inspection.return.mean)} on average`],
  ];
  return element("dl", { className: "facts" },
                 ...list.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))));
}

function state_text(state) {
  if (!state) return "none";
  return state.kind === "discrete" ? count_text(state.distinct, "distinct id") : count_text(state.dimension, "number");
}

function action_text(action) {
  if (!action) return "not logged";
  return action.kind === "discrete" ? count_text(action.count, "action") : `${count_text(action.dimension, "number")} per action`;
}

function roles_table(columns) {
  const rows = columns.recognized.map((each) => element("tr", {}, element("td", {}, each.name), element("td", {}, each.role)));
  const head = element("tr", {}, ...["column of the file", "is used as"].map((text) => element("th", { scope: "col" }, text)));
  return element("details", {}, element("summary", {}, `Columns in use: ${columns.recognized.length}`),
                 element("div", { className: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))));
}

// What was read of a table.
export function summary(seen) {
  const { inspection, findings } = seen;
  const parts = [facts(inspection), ...findings.map((each) => note(each.severity, each.text)), roles_table(inspection.columns)];
  if (inspection.columns.ignored.length)
    parts.push(element("p", { className: "quiet" }, `Not used: ${inspection.columns.ignored.join(", ")}`));
  parts.push(element("details", {}, element("summary", {}, "Everything that was seen, as starope inspect prints it"), element("pre", { tabIndex: 0 }, seen.text)));
  return parts;
}

function boxes(menu, choose) {
  const list = element("div", { className: "boxes" });
  const given = new Set(menu.given);
  const all = () => [...list.querySelectorAll("input:checked")].map((box) => box.value);
  for (const { text } of menu.choices) {
    const box = element("input", { type: "checkbox", value: text, checked: given.has(text) });
    box.addEventListener("change", () => choose(menu.name, all()));
    list.append(element("label", {}, box, ` ${text}`));
  }
  const found = given.size ? "" : ` None checked: by name${menu.found?.length ? `, ${menu.found.join(", ")}` : ""}.`;
  return element("fieldset", { className: "field", id: `field-${menu.name}` },
                 element("legend", {}, `${menu.name} `, element("code", {}, menu.flag)), list,
                 element("p", { className: "quiet" }, menu.explanation + "." + found));
}

function flag_box(menu, choose) {
  const box = element("input", { type: "checkbox", id: `menu-${menu.name}`, checked: menu.given[0] === "true" });
  box.addEventListener("change", () => choose(menu.name, box.checked ? ["true"] : undefined));
  return element("div", { className: "field", id: `field-${menu.name}` },
                 element("label", { htmlFor: box.id }, box, ` ${menu.name} `, element("code", {}, menu.flag)),
                 element("p", { className: "quiet" }, menu.explanation));
}

function select(menu, choose_value) {
  const list = element("select", { id: `menu-${menu.name}`, "aria-describedby": `about-${menu.name}` });
  for (const { value, text } of menu.choices) list.append(element("option", { value }, text));
  list.value = value_of(menu.given);
  list.addEventListener("change", () => choose_value(menu.name, list.value));
  return element("div", { className: "field", id: `field-${menu.name}` },
                 element("label", { htmlFor: list.id }, `${menu.name} `, element("code", {}, menu.flag)), list,
                 element("p", { className: "quiet", id: `about-${menu.name}` }, menu.explanation));
}

// The menus of all columns. choose(name, values) is told the values, choose_value(name, value) the value of a menu.
export function menu_fields(menus, choose, choose_value) {
  const make = { columns: (menu) => boxes(menu, choose), flag: (menu) => flag_box(menu, choose) };
  return element("div", { className: "fields" }, ...menus.map((menu) => (make[menu.kind] ?? ((each) => select(each, choose_value)))(menu)));
}

export function save(text, type, name) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Shows a report in its frame, as high as it is. Its links lead to places in itself, which an address would not find.
export function show_report(frame, html) {
  frame.onload = () => {
    const inside = frame.contentDocument;
    const fit = () => { frame.style.height = `${Math.ceil(inside.documentElement.getBoundingClientRect().height) + 4}px`; };
    new ResizeObserver(fit).observe(inside.documentElement);
    inside.addEventListener("click", (event) => {
      const place = event.target.closest('a[href^="#"]')?.getAttribute("href").slice(1);
      if (place === undefined) return;
      event.preventDefault();
      inside.getElementById(place)?.scrollIntoView();
    });
  };
  frame.srcdoc = html;
}
