#include "starope/report/html.hpp"

#include <fmt/format.h>

#include <cmath>

#include "starope/base/assert.hpp"

namespace starope {

std::string escape_html(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string escape_script_json(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string table_html(const HtmlTable& table) {
  // A part of the page that can be scrolled can be entered by keyboard, so it has a name; the first cell of a row, if
  // it is no number, is the name of that row.
  std::string name = table.caption;
  if (name.empty()) {
    name = "Table:";
    for (const HtmlTable::Column& column : table.columns) name += ' ' + column.title;
  }
  std::string html =
      fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table aria-label=\"{0}\">",
                  escape_html(name));
  if (!table.caption.empty()) html += "<caption>" + escape_html(table.caption) + "</caption>";
  html += "<thead><tr>";
  for (const HtmlTable::Column& column : table.columns) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", column.numeric ? " class=\"number\"" : "",
                        escape_html(column.title));
  }
  html += "</tr></thead><tbody>";
  for (const std::vector<std::string>& row : table.rows) {
    STAROPE_ASSERT(row.size() == table.columns.size());
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool numeric = table.columns[i].numeric;
      html += i == 0 && !numeric
                  ? fmt::format("<th scope=\"row\">{}</th>", escape_html(row[i]))
                  : fmt::format("<td{}>{}</td>", numeric ? " class=\"number\"" : "", escape_html(row[i]));
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div>\n";
}

std::string short_number(double x) {
  if (!std::isfinite(x)) return "";
  return fmt::format("{:.4g}", x);
}

std::string short_number(const std::optional<double>& x) {
  return x ? short_number(*x) : "";
}

}  // namespace starope
