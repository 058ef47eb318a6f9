// Texts that people read, of numbers. Nothing here knows of a page.

export function count_text(number, noun) {
  return `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;
}

export function size_text(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  let size = bytes, unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    ++unit;
  }
  return `${unit > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

export function seconds_text(seconds) {
  return seconds < 90 ? `${Math.floor(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

// With up to four significant digits.
export function number_text(x) {
  return x === null || x === undefined ? "unknown" : Number(x.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 });
}

// The name of a table that has none: spreadsheets hand over tabs.
export function pasted_name(text) {
  const line = text.split("\n", 1)[0];
  return line.split("\t").length > line.split(",").length ? "pasted.tsv" : "pasted.csv";
}

// "logs/day 1.csv" -> "day 1"
export function stem(name) {
  const last = name.split(/[\\/]/).pop();
  return last.replace(/\.[^.]*$/, "") || "table";
}
