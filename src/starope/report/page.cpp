#include "starope/report/page.hpp"

#include <fmt/format.h>

#include "starope/report/embedded.hpp"

namespace starope {
namespace {

// Nothing is loaded or sent, and no script runs but the four of this page, known by their hashes. The charts interpret
// their expressions instead of compiling them, so that nothing need be evaluated; their marks carry styles.
std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action "
      "'none'",
      script_hashes());
}

std::string chart_html(const Chart& chart, const std::string& id) {
  std::string html = "<div class=\"panel\">";
  if (!chart.title.empty()) html += "<h4>" + escape_html(chart.title) + "</h4>";
  html += fmt::format(
      "<div class=\"chart\" id=\"{0}\" tabindex=\"0\" role=\"img\" aria-label=\"{1}\"></div>"
      "<script type=\"application/json\" class=\"spec\" data-for=\"{0}\">{2}</script>"
      "<button type=\"button\" class=\"svg\" data-for=\"{0}\" aria-label=\"Save the chart {3} as SVG\">SVG</button>"
      "</div>\n",
      id, escape_html(chart.description), escape_script_json(chart.spec),
      escape_html(chart.title.empty() ? id : chart.title));
  return html;
}

std::string charts_html(const Figure& figure) {
  std::string html;
  for (std::size_t i = 0; i < figure.charts.size(); ++i) {
    const Chart& chart = figure.charts[i];
    if (i == 0 || chart.group != figure.charts[i - 1].group) {
      if (i > 0) html += "</div>\n";
      if (!chart.group.empty()) html += "<h3 class=\"group\">" + escape_html(chart.group) + "</h3>";
      html += fmt::format("<div class=\"panels columns-{}\">", figure.columns);
    }
    html += chart_html(chart, fmt::format("{}-{}", figure.id, i + 1));
  }
  return html.empty() ? html : html + "</div>\n";
}

std::string figure_html(const Figure& figure) {
  std::string html = fmt::format("<section id=\"{}\"><h2>{}</h2>\n<figure>", figure.id, escape_html(figure.title));
  if (!figure.caption.empty()) html += "<figcaption>" + escape_html(figure.caption) + "</figcaption>\n";
  html += charts_html(figure);
  if (!figure.table.columns.empty()) {
    html += fmt::format(
        "<details{}><summary>Table: {}</summary>\n"
        "<button type=\"button\" class=\"csv\" data-name=\"{}\">Save as CSV</button>\n{}</details>",
        figure.open_table ? " open" : "", escape_html(figure.title), figure.id, table_html(figure.table));
  }
  return html + "</figure></section>\n";
}

std::string contents(const Page& page) {
  if (page.figures.size() < 2) return {};
  std::string html = "<nav aria-label=\"Contents\"><ul>";
  for (const Figure& figure : page.figures) {
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>", figure.id, escape_html(figure.title));
  }
  return html + "</ul></nav>\n";
}

std::string answer_html(const Page& page) {
  std::string html;
  for (const std::string& paragraph : page.answer) html += "<p class=\"answer\">" + escape_html(paragraph) + "</p>\n";
  return html;
}

std::string notes_html(const Page& page) {
  std::string html;
  for (const Note& note : page.notes) {
    html += fmt::format("<p class=\"note {}\"><strong>{}:</strong> {}</p>\n", escape_html(note.severity),
                        escape_html(note.label.empty() ? note.severity : note.label), escape_html(note.text));
  }
  return html;
}

}  // namespace

std::string page_html(const Page& page) {
  const ChartRuntime runtime = chart_runtime();
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  html += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<title>{}</title>\n", policy(),
                      escape_html(page.title));
  html.append("<style>\n").append(page_style()).append("</style>\n</head>\n<body>\n<main>\n");
  html += "<h1>" + escape_html(page.title) + "</h1>\n";
  html += page.notes_first ? notes_html(page) + answer_html(page) : answer_html(page) + notes_html(page);
  for (const std::string& paragraph : page.lead) html += "<p>" + escape_html(paragraph) + "</p>\n";
  html += contents(page);
  for (const HtmlTable& table : page.tables) html += table_html(table);
  for (const Figure& figure : page.figures) html += figure_html(figure);
  html +=
      "</main>\n<footer><p>Written by starope. The charts are drawn by Vega, Vega-Lite and Vega-Embed, whose license "
      "is in the source of this page. Nothing is loaded from the network.</p></footer>\n";
  html.append("<!--\n").append(runtime.license).append("-->\n");
  for (const std::string_view part : {runtime.vega, runtime.vega_lite, runtime.vega_embed, page_script()}) {
    html.append("<script>").append(part).append("</script>\n");
  }
  return html + "</body>\n</html>\n";
}

}  // namespace starope
