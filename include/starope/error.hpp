#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "starope/version.hpp"

namespace starope {

// Everything starope throws. `code` is stable and meant for programs, what() is meant for people.
class STAROPE_API Error : public std::runtime_error {
 public:
  const std::string& code() const noexcept { return code_; }

 protected:
  Error(std::string code, const std::string& message) : std::runtime_error(message), code_(std::move(code)) {}

 private:
  std::string code_;
};

// A wrong call: an option, a name or a parameter that cannot be meant.
class STAROPE_API InvalidArgument : public Error {
 public:
  explicit InvalidArgument(const std::string& message) : Error("invalid_argument", message) {}
};

// Work that nobody can wait for or that does not fit into memory: says what it would cost. Refused before it begins.
class STAROPE_API TooMuchWork : public Error {
 public:
  explicit TooMuchWork(const std::string& message) : Error("too_much_work", message) {}
};

// A file that cannot be opened, read or written.
class STAROPE_API FileError : public Error {
 public:
  explicit FileError(const std::string& message) : Error("file_error", message) {}
};

// Where in the data something is wrong. What is unknown stays empty. Rows are 1-based and count the header,
// as editors and spreadsheets do; steps are 0-based.
struct DataLocation {
  std::string file{};
  std::optional<std::int64_t> row{};
  std::string episode{};
  std::optional<std::int64_t> step{};
  std::string column{};
};

// Wrong data: names the place, the value, the rule it breaks, and what to do.
class STAROPE_API DataError : public Error {
 public:
  struct Problem {
    std::string code{};  // stable: "bad_number", "missing_column", ...
    DataLocation at{};
    std::optional<std::string> value{};  // as it stands in the data
    std::string rule{};                  // "must be in (0, 1]"
    std::string remedy{};                // an imperative sentence
  };
  explicit DataError(Problem problem);
  // The first of several: `others` are the next ones in the data, `more` further rows are wrong behind them.
  DataError(Problem first, std::vector<Problem> others, std::int64_t more);
  const Problem& problem() const noexcept { return problem_; }
  const std::vector<Problem>& others() const noexcept { return others_; }
  std::int64_t more() const noexcept { return more_; }

 private:
  Problem problem_;
  std::vector<Problem> others_{};
  std::int64_t more_ = 0;
};

// The fitted reward process has no value (for example: no exit can be reached and there is no horizon).
class STAROPE_API DegenerateModel : public Error {
 public:
  explicit DegenerateModel(const std::string& message) : Error("degenerate_model", message) {}
};

}  // namespace starope
