// Which column is what: the menus that the page shows, and what the program is told. Nothing here knows of a page.

// The beginnings of numbered columns: p_0, p_1, ... have "p".
export function prefixes(names) {
  const found = new Set();
  for (const name of names) {
    const match = /^(.*?)_?0$/.exec(name);
    if (match && match[1] && names.some((other) => other !== name && other === name.replace(/0$/, "1"))) found.add(match[1]);
  }
  return [...found];
}

// Which columns of the table have a role now. The reader tells roles one by one: "state_0", "behavior_probs_1". Undefined
// where it could not tell any.
export function found_columns(option, recognized) {
  if (!recognized) return undefined;
  const canonical = option.name;
  const numbered = new RegExp(`^${canonical}_\\d+$`);
  return recognized.filter((each) => each.role === canonical || (option.kind !== "column" && numbered.test(each.role))).map((each) => each.name);
}

function automatic_text(option, found) {
  if (option.kind === "kind") return "automatic";
  if (!found) return "by name";
  return found.length ? `by name: ${found.length > 3 ? `${found[0]} to ${found[found.length - 1]}` : found.join(", ")}` : "by name: none";
}

// One menu for every option: what can be chosen, what is chosen, and what its name finds.
// `said`: what was chosen before, {name: [value, ...]}.
export function menus(options, names, recognized, said) {
  return options.map((option) => {
    const found = said[option.name] ? undefined : found_columns(option, recognized);
    const given = said[option.name] ?? [];
    const automatic = { value: "", text: automatic_text(option, found) };
    const column = names.map((name) => ({ value: `=${name}`, text: name }));
    const choices = {
      column: [automatic, { value: "-", text: "not used" }, ...column],
      columns: column,
      prefix: [automatic, { value: "-", text: "not used" }, ...prefixes(names).map((name) => ({ value: `=${name}`, text: `${name}_0, ${name}_1, ...` }))],
      kind: [automatic, { value: "=discrete", text: "discrete: ids" }, { value: "=continuous", text: "continuous: numbers" }],
      flag: [],
    }[option.kind];
    return { ...option, choices, found, given };
  });
}

// What a menu says once a value was chosen in it: the values of the option, or nothing where its name decides.
export function chosen(value) {
  if (value === "") return undefined;
  return value === "-" ? [""] : [value.slice(1)];
}

// The value of a menu that says this.
export function value_of(given) {
  if (given.length === 0) return "";
  return given[0] === "" ? "-" : `=${given[0]}`;
}

// `said` after one more choice, without those that say nothing.
export function with_choice(said, name, values) {
  const all = { ...said };
  if (values === undefined || values.length === 0) delete all[name];
  else all[name] = values;
  return all;
}

// Choices that a new table can keep: those whose columns it has.
export function still_possible(said, names) {
  const there = new Set(names);
  return Object.fromEntries(Object.entries(said).filter(([, values]) =>
    values.every((value) => value === "" || there.has(value) || there.has(`${value}_0`) || ["true", "discrete", "continuous"].includes(value))));
}

// The option that an error is about: the message calls it by its flag.
export function option_of_error(error, options) {
  const flags = options.filter((option) => new RegExp(`${option.flag}(?![\\w-])`).test(error.message));
  const exact = options.find((option) => option.name === error.column);
  return (exact ?? flags[0])?.name;
}
