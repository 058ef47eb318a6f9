#pragma once

#include <string>
#include <vector>

#include "starope/report/html.hpp"

namespace starope {

// A Vega-Lite specification with what a reader needs around it.
struct Chart {
  std::string group{};        // charts of one group stand in rows of their own, under its name; may be empty
  std::string title{};        // above the chart; may be empty
  std::string description{};  // for who does not see it: what it shows, in a sentence
  std::string spec{};         // JSON
};

// One or more charts with one caption, and the numbers behind them as a table.
struct Figure {
  std::string id{};  // letters, digits and dashes
  std::string title{};
  std::string caption{};
  std::vector<Chart> charts{};
  int columns = 1;  // 1, 2 or 4 charts side by side where there is room
  HtmlTable table{};
  bool open_table = false;  // shown at once
};

struct Note {
  std::string severity{};  // "info", "warning", "critical", "good"
  std::string text{};
  std::string label{};  // before the text; empty: the severity
};

struct Page {
  std::string title{};
  std::vector<std::string> answer{};  // paragraphs, the first thing that is read; behind them the notes
  std::vector<std::string> lead{};    // paragraphs behind that
  std::vector<Note> notes{};
  bool notes_first = false;         // before the answer, which is none
  std::vector<HtmlTable> tables{};  // before the figures
  std::vector<Figure> figures{};
};

// One self-contained HTML file. All texts are escaped here. FileError where the build has no chart runtime.
std::string page_html(const Page& page);

}  // namespace starope
