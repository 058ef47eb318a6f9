#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starope {

// Text for HTML, inside elements and inside quoted attributes.
std::string escape_html(std::string_view text);

// JSON for a <script type="application/json">: no "<" is left that could end the element, and it still parses to the
// same value. (JSON has "<" only inside strings, where \u003c is the same character.)
std::string escape_script_json(std::string_view json);

// A table of texts. Numbers are flush right.
struct HtmlTable {
  struct Column {
    std::string title{};
    bool numeric = false;
  };
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<std::vector<std::string>> rows{};  // escaped by the page
};
std::string table_html(const HtmlTable& table);

// "1.23e-05", "0.0123", "1234.5": for tables and tooltips, also read by spreadsheets.
std::string short_number(double x);
// The same; empty where there is none.
std::string short_number(const std::optional<double>& x);

}  // namespace starope
