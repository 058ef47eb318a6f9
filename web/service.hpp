#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "starope/evaluate.hpp"

namespace starope::web {

// What the page in the browser asks of the library: JSON in, JSON out, and nothing that needs a browser, so that it is
// tested like everything else. An error is an answer too: {"error": {"message": ..., "code": ..., "column": ...}} with
// the message of the program.
//
// A request is what a command line would say:
//   {"columns": {"reward": ["points"], "t": [""]},     names of column_options with their values; only what is said
//    "gamma": "0.99", "horizon": "50",                 texts as typed; empty or absent: the default
//    "estimators": "auto,wpdis"}
struct Table {
  std::string name{};  // of the file, for messages; its ending tells the format
  std::string_view bytes{};
};

// What there is to choose: {"version": ..., "columns": [{"name", "flag", "kind", "explanation"}, ...]}. The kind is
// column, columns, prefix, kind or flag.
std::string offers();

// Before all of a table of this size is there, of its first bytes: {"names": of its columns, "memory": bytes that
// reading and evaluating will take}. An error where that is more than a page has.
std::string expectation(const Table& beginning, std::int64_t size, std::string_view request);

// What was recognized: {"inspection": starope.inspect/1, "text": ..., "findings": [{"severity", "text"}], "usual": the
// estimators that are asked where none is named}, beside an error where an evaluation would miss a column.
std::string look(const Table& table, std::string_view request);

// The answer: {"report": HTML, "json": starope.evaluate/1 as a text, "text": ..., "command": the command line that
// gives the same}.
std::string answer(const Table& table, std::string_view request,
                   const std::function<void(const EvaluateProgress&)>& progress = {});

}  // namespace starope::web
