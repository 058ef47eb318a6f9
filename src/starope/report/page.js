// Draws every chart of the page in the colors of the page, again when those change, and saves charts and tables.
(() => {
  "use strict";
  const views = new Map();

  function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function config() {
    const ink = style("--ink"), quiet = style("--quiet"), line = style("--line"), panel = style("--panel");
    const font = getComputedStyle(document.body).fontFamily;
    return {
      background: "transparent",
      font,
      style: {
        halo: { fill: panel, stroke: panel, strokeWidth: 5, strokeJoin: "round" },  // behind words that a line would cross
        "guide-label": { fill: quiet, font }, "guide-title": { fill: ink, font, fontWeight: 500 },
      },
      axis: { domainColor: quiet, tickColor: quiet, gridColor: line, labelFontSize: 11, titleFontSize: 11 },
      legend: { labelColor: quiet, titleColor: ink, labelFontSize: 11, titleFontSize: 11 },
      header: { labelColor: ink, titleColor: ink },
      view: { stroke: "transparent" },
      text: { fill: ink, font },
      rule: { stroke: ink },
    };
  }

  async function draw(source) {
    const id = source.dataset.for;
    const chart = document.getElementById(id);
    const old = views.get(id);
    if (old) old.finalize();
    try {
      const spec = JSON.parse(source.textContent);
      const result = await vegaEmbed(chart, spec, { ast: true, renderer: "svg", actions: false, config: config() });
      views.set(id, result);
      // The element around it has the description; what is inside would only repeat single marks.
      const svg = chart.querySelector("svg");
      if (svg) svg.setAttribute("aria-hidden", "true");
    } catch (error) {
      chart.textContent = "This chart could not be drawn; the table below has its numbers.";
      console.error(error);
    }
  }

  async function draw_all() {
    for (const source of document.querySelectorAll("script.spec")) await draw(source);
    document.documentElement.dataset.drawn = String(views.size);
  }

  function save(text, type, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function csv(table) {
    const quote = (text) => (/[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
    return [...table.rows].map((row) => [...row.cells].map((cell) => quote(cell.textContent)).join(",")).join("\n") + "\n";
  }

  for (const button of document.querySelectorAll("button.svg")) {
    button.addEventListener("click", async () => {
      const result = views.get(button.dataset.for);
      if (result) save(await result.view.toSVG(), "image/svg+xml", button.dataset.for + ".svg");
    });
  }
  for (const button of document.querySelectorAll("button.csv")) {
    button.addEventListener("click", () => {
      save(csv(button.parentElement.querySelector("table")), "text/csv", button.dataset.name + ".csv");
    });
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw_all);
  draw_all();
})();
