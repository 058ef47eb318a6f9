#include "service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "failure.hpp"
#include "memory.hpp"
#include "starope/error.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate/inspection_source.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/inspect.hpp"
#include "starope/io.hpp"
#include "starope/io/column_options.hpp"
#include "starope/io/column_roles.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/open.hpp"
#include "starope/problem.hpp"
#include "starope/report.hpp"
#include "starope/version.hpp"

namespace starope::web {
namespace {

constexpr Seed usual_seed{0};

struct Question {
  io::ReadOptions columns{};
  ProblemOptions problem{};
  std::string gamma{}, horizon{}, estimators{};  // as typed
};

std::string text_in(const Json& request, const char* name) {
  const Json& text = member_or_null(request, name);
  return text.is_string() ? text.get<std::string>() : std::string();
}

Question question_of(std::string_view request) {
  const Json json = Json::parse(request);
  Question question{
      .gamma = text_in(json, "gamma"), .horizon = text_in(json, "horizon"), .estimators = text_in(json, "estimators")};
  for (const auto& [name, values] : member_or_null(json, "columns").items())
    say_option(question.columns, {name, values.get<std::vector<std::string>>()});
  if (!question.gamma.empty()) question.problem.discount = cli::parse_discount("--gamma", question.gamma);
  if (!question.horizon.empty()) question.problem.horizon = cli::parse_horizon("--horizon", question.horizon);
  return question;
}

Json error_json(const std::string& message, const std::string& code, const std::string& column = {}) {
  return {{"error", {{"message", message}, {"code", code}, {"column", column}}}};
}

Json error_json(const DataError& error) {
  return error_json(error.what(), error.code(), error.problem().at.column);
}

// What is missing is said, not refused, as by `starope inspect`.
io::ReadOptions lenient(const Question& question) {
  io::ReadOptions columns = question.columns;
  columns.need_state = columns.need_behavior = columns.need_target = false;
  return columns;
}

io::ReadOptions to_evaluate(const Question& question) {
  io::ReadOptions columns = question.columns;
  columns.need_state = false;  // the estimators that need states say so themselves
  return columns;
}

// The names of the columns, of a table or of its beginning; none where it is no table: who reads it will say why.
std::vector<std::string> names_in(const Table& table) {
  constexpr std::size_t some = std::size_t{1} << 18;
  const auto delimiter = io::delimiter_of(table.name, table.bytes);
  if (!delimiter) return {};
  std::string_view records = table.bytes;
  if (records.size() >= some) records = records.substr(0, io::end_of_records(records.substr(0, some)));
  io::CsvOptions options;
  options.delimiter = *delimiter;
  try {
    return io::CsvTable(io::InputFile(records, table.name), options).names();
  } catch (const DataError&) {
    return {};
  }
}

// The answer, or why there is none. The same words as in the program.
template <class Do>
std::string answered(const Do& work) {
  try {
    return json_text(work());
  } catch (const DataError& error) {
    return json_text(error_json(error));
  } catch (const Error& error) {
    return json_text(error_json(error.what(), error.code()));
  } catch (const cli::UsageError& error) {
    return json_text(error_json(error.what(), "usage"));
  } catch (const std::bad_alloc&) {
    return json_text(error_json(out_of_memory(), "memory"));
  } catch (const std::exception& error) {
    return json_text(error_json(
        fmt::format("internal error: {}. This is a defect of starope; please report it.", error.what()), "internal"));
  }
}

struct KindOf {
  const io::ColumnOption& option;
  const char* operator()(std::optional<std::string> io::ReadOptions::*) const {
    return std::string_view(option.value) == "PREFIX" ? "prefix" : "column";
  }
  const char* operator()(std::vector<std::string> io::ReadOptions::*) const { return "columns"; }
  const char* operator()(bool io::ReadOptions::*) const { return "flag"; }
  const char* operator()(std::string io::ReadOptions::*) const { return nullptr; }  // of DuckDB, which is not here
  template <class Kind>
  const char* operator()(Kind io::ReadOptions::*) const {
    return "kind";
  }
};

// As a shell reads it.
std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./,=:%@+").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string command_line(const Table& table, const Question& question) {
  std::string command = "starope evaluate " + shell_word(table.name);
  const auto say = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) command += " " + flag + " " + shell_word(value);
  };
  for (const io::SaidOption& said : io::said_options(question.columns)) {
    std::string values;
    for (const std::string& value : said.values) values += (values.empty() ? "" : ",") + value;
    command += " " + io::flag_of(said.name);
    if (said.name != "sort") command += " " + shell_word(values);
  }
  say("--gamma", question.gamma);
  say("--horizon", question.horizon);
  say("--estimators", question.estimators);
  return command + " --report report.html";
}

std::vector<RequestedEstimator> estimators_of(const Question& question, const Problem& problem) {
  const std::vector<std::string> asked{question.estimators.empty() ? default_estimators(problem.data())
                                                                   : question.estimators};
  return request_estimators(expand_all(asked, &problem), estimator_files(), usual_seed);
}

}  // namespace

std::string offers() {
  return answered([] {
    Json columns = Json::array();
    for (const io::ColumnOption& each : io::column_options()) {
      const char* const kind = std::visit(KindOf{each}, each.field);
      if (kind == nullptr) continue;
      columns.push_back(
          {{"name", each.name}, {"flag", io::flag_of(each.name)}, {"kind", kind}, {"explanation", each.explanation}});
    }
    return Json{{"version", STAROPE_VERSION}, {"columns", std::move(columns)}};
  });
}

std::string expectation(const Table& beginning, std::int64_t size, std::string_view request) {
  return answered([&] {
    const auto values = io::memory_needed(beginning.bytes, size, beginning.name, lenient(question_of(request)));
    const std::int64_t needed = memory_for(size, values);
    if (needed > most_memory) return error_json(too_large(beginning.name, size, needed), "memory");
    return Json{{"names", names_in(beginning)}, {"memory", needed}};
  });
}

std::string look(const Table& table, std::string_view request) {
  return answered([&] {
    const Question question = question_of(request);
    const io::ReadResult read = io::read_bytes(table.bytes, table.name, lenient(question));
    Inspection inspection =
        inspect(read.data, {.discount = question.problem.discount, .ends_logged = ends_are_logged(read.summary)});
    describe_source(inspection, read.summary, read.findings);
    Json findings = Json::array();
    for (const Finding& each : inspection.findings)
      findings.push_back({{"severity", name(each.severity)}, {"text", sentence(each)}});
    Json seen{{"inspection", Json::parse(to_json(inspection))},
              {"text", text(inspection)},
              {"findings", std::move(findings)},
              {"usual", default_estimators(read.data)}};
    // What an evaluation would miss is said now, with what there is.
    try {
      match_columns(names_in(table), to_evaluate(question), table.name);
    } catch (const DataError& error) {
      seen.update(error_json(error));
    }
    return seen;
  });
}

std::string answer(const Table& table, std::string_view request,
                   const std::function<void(const EvaluateProgress&)>& progress) {
  return answered([&] {
    const Question question = question_of(request);
    // A slip in the estimators should not cost the time to read the data.
    if (!question.estimators.empty())
      request_estimators(expand_all({question.estimators}, nullptr), estimator_files(), usual_seed);
    io::ReadResult read = io::read_bytes(table.bytes, table.name, to_evaluate(question));
    const Problem problem = make_problem(read.data, question.problem);
    Evaluation evaluation =
        evaluate(problem, estimators_of(question, problem),
                 EvaluateOptions{
                     .details = true, .file = table.name, .findings = std::move(read.findings), .progress = progress});
    std::string report = evaluation_report(evaluation);
    evaluation.ess_by_step.clear();  // details of the report, which JSON has only where they are asked for
    evaluation.processes.clear();
    return Json{{"report", std::move(report)},
                {"json", to_json(evaluation)},
                {"text", text(evaluation)},
                {"answered", any_answered(evaluation)},
                {"command", command_line(table, question)}};
  });
}

}  // namespace starope::web
