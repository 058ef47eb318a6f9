#include "starope/study.hpp"

#include <fmt/format.h>

// toml++ 3.3 asserts what malformed texts can break, and takes it for granted under NDEBUG. check_toml_shape keeps such
// texts away; should one come through, it is an exception here.
#undef NDEBUG
namespace starope::detail {
[[noreturn]] void toml_assertion_failed();
}
#define TOML_ASSERT(condition) (static_cast<bool>(condition) ? void(0) : ::starope::detail::toml_assertion_failed())
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "starope/base/data_location.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/io/column_options.hpp"
#include "starope/io/text_file.hpp"
#include "starope/study/estimator_grid.hpp"
#include "starope/study/toml_shape.hpp"

namespace starope {

void detail::toml_assertion_failed() {
  throw std::logic_error("the parser cannot make sense of it");
}

namespace {

namespace fs = std::filesystem;

// A table of the file whose keys are asked for one by one. Those that nobody asks for are unknown.
class Section {
 public:
  Section(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

  // After all questions.
  void refuse_the_rest() const {
    for (const auto& [key, value] : table_) {
      const std::string name(key.str());
      if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) fail(value, unknown_name("key", name, asked_));
    }
  }

  std::optional<std::string> text(const char* key) const { return scalar<std::string>(key, "a text in quotes"); }
  std::optional<double> number(const char* key) const {
    const auto value = scalar<double>(key, "a number");
    if (value && !std::isfinite(*value)) fail(*find(key), fmt::format("{} must be a finite number", key));
    return value;
  }
  std::optional<std::int64_t> count(const char* key, std::int64_t least) const {
    const auto value = scalar<std::int64_t>(key, "a whole number");
    if (value && *value < least) fail(*find(key), fmt::format("{} must be at least {}", key, least));
    return value;
  }

  std::optional<std::vector<std::int64_t>> counts(const char* key) const {
    return list<std::int64_t>(key, "a list of whole numbers: [50, 500]");
  }
  // A list of strings, or one string with commas; grids are written out.
  std::optional<std::vector<std::string>> estimators(const char* key) const {
    const toml::node* node = find(key);
    if (node != nullptr && node->is_string()) return expand_estimators(**node->as_string());
    const auto lists = list<std::string>(key, "a list of texts: [\"naive\", \"wpdis\"]");
    if (!lists) return std::nullopt;
    std::vector<std::string> all;
    for (const std::string& each : *lists) {
      for (std::string& text : expand_estimators(each)) all.push_back(std::move(text));
    }
    return all;
  }

  // What is said of columns: a text, a list of texts, true or false.
  std::optional<std::vector<std::string>> said(const char* key) const {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (node->is_boolean()) return std::vector<std::string>{**node->as_boolean() ? "true" : "false"};
    if (node->is_string()) return std::vector<std::string>{**node->as_string()};
    return list<std::string>(key, "a text in quotes, or a list of them: [\"heart_rate\", \"pressure\"]");
  }
  [[noreturn]] void fail_at(const char* key, const std::string& rule) const { fail(*find(key), rule); }

  std::vector<Section> sections(const char* key) const {
    std::vector<Section> found;
    const toml::node* node = find(key);
    if (node == nullptr) return found;
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
      fail(*node, fmt::format("write [[{}]], with two brackets on each side", key));
    }
    for (const toml::node& each : *array) found.emplace_back(*each.as_table(), file_);
    return found;
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& rule) const {
    throw DataError({.code = "bad_study",
                     .at = in_file(file_, static_cast<std::int64_t>(node.source().begin.line)),
                     .value = {},
                     .rule = rule,
                     .remedy = "See docs/studies.md for an example"});
  }
  [[noreturn]] void fail(const std::string& rule) const { fail(table_, rule); }

 private:
  const toml::node* find(const char* key) const {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
    return table_.get(key);
  }

  template <class T>
  std::optional<T> scalar(const char* key, const char* what) const {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    // 5.0 is a whole number too; beyond 2^53 nobody knows which.
    const double* real = node->is_floating_point() ? &**node->as_floating_point() : nullptr;
    const bool countable = real == nullptr || !std::is_same_v<T, std::int64_t> || std::abs(*real) <= 0x1p53;
    const std::optional<T> value = countable ? node->value<T>() : std::nullopt;
    const bool fits = value && (node->is_string() == std::is_same_v<T, std::string>);
    if (!fits) fail(*node, fmt::format("{} must be {}", key, what));
    return value;
  }

  template <class T>
  std::optional<std::vector<T>> list(const char* key, const char* what) const {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const toml::array* array = node->as_array();
    if (array == nullptr) fail(*node, fmt::format("{} must be {}", key, what));
    std::vector<T> values;
    for (const toml::node& each : *array) {
      const auto value = each.value_exact<T>();
      if (!value) fail(each, fmt::format("{} must be {}", key, what));
      values.push_back(*value);
    }
    return values;
  }

  const toml::table& table_;
  const std::string& file_;
  mutable std::vector<std::string> asked_{};
};

struct Shared {
  std::optional<std::vector<std::int64_t>> sizes{};
  std::optional<std::int64_t> trials{};
  std::optional<std::vector<std::string>> estimators{};
};

Shared shared_of(const Section& section) {
  return {.sizes = section.counts("sizes"),
          .trials = section.count("trials", 1),
          .estimators = section.estimators("estimators")};
}

std::string beside(const std::string& study, const std::string& file) {
  return fs::path(file).is_absolute() ? file : (fs::path(study).parent_path() / file).string();
}

StudyDomain common_part(const Section& section, const Shared& whole) {
  StudyDomain domain;
  domain.name = section.text("name").value_or("");
  if (const auto steps = section.count("horizon", 1)) domain.horizon = Horizon{*steps};
  if (const auto gamma = section.number("gamma")) {
    if (!(*gamma >= 0.0 && *gamma <= 1.0)) section.fail("gamma must be from 0 to 1");
    domain.discount = Discount{*gamma};
  }
  const Shared own = shared_of(section);
  domain.sizes = own.sizes.value_or(whole.sizes.value_or(std::vector<std::int64_t>{}));
  domain.trials = own.trials.value_or(whole.trials.value_or(1));
  domain.estimators = own.estimators.value_or(whole.estimators.value_or(std::vector<std::string>{}));
  return domain;
}

void check(const Section& section, const StudyDomain& domain) {
  section.refuse_the_rest();
  if (domain.sizes.empty()) section.fail("sizes are missing, here or for the whole study: sizes = [50, 500]");
  if (domain.estimators.empty()) section.fail("estimators are missing, here or for the whole study");
}

StudyDomain simulated(const Section& section, const std::string& file, const Shared& whole) {
  StudyDomain domain = common_part(section, whole);
  domain.domain = section.text("domain").value_or("");
  domain.behavior = section.text("behavior").value_or("");
  domain.target = section.text("target").value_or("");
  if (const auto tables = section.text("dynamics")) domain.file = beside(file, *tables);
  check(section, domain);
  if (domain.domain.empty()) section.fail("domain is missing: which one to simulate ('starope simulate --list')");
  return domain;
}

StudyDomain own_logs(const Section& section, const std::string& file, const Shared& whole) {
  StudyDomain domain = common_part(section, whole);
  const auto logs = section.text("file");
  domain.truth = section.number("truth");
  for (const io::ColumnOption& option : io::column_options()) {
    const auto values = section.said(option.name);
    if (!values) continue;
    try {
      io::say_option(domain.columns, {option.name, *values});
    } catch (const InvalidArgument& error) {
      section.fail_at(option.name, error.what());
    }
  }
  check(section, domain);
  if (!logs && domain.columns.sql.empty()) section.fail("file is missing: the logs to resample (or sql, a query)");
  if (logs) domain.file = beside(file, *logs);
  if (logs && domain.name.empty()) {
    const bool several = logs->find_first_of("*?[") != std::string::npos;
    domain.name = several ? *logs : fs::path(*logs).stem().string();
  }
  if (domain.name.empty()) section.fail("name is missing: what the results of a query are called");
  return domain;
}

StudySpec spec_of(const toml::table& table, const std::string& file) {
  const Section section(table, file);
  StudySpec spec{.name = section.text("name").value_or(fs::path(file).stem().string())};
  spec.seed = Seed{static_cast<std::uint64_t>(section.count("seed", 0).value_or(0))};
  spec.truth_episodes = section.count("truth_episodes", 2).value_or(spec.truth_episodes);
  if (const auto level = section.number("level")) {
    if (!(*level > 0.0 && *level < 1.0)) section.fail("level must be between 0 and 1");
    spec.level = Level{*level};
  }
  const Shared shared = shared_of(section);
  const std::vector<Section> domains = section.sections("domain"), logs = section.sections("data");
  section.refuse_the_rest();
  for (const Section& each : domains) spec.domains.push_back(simulated(each, file, shared));
  for (const Section& each : logs) spec.domains.push_back(own_logs(each, file, shared));
  if (spec.domains.empty()) section.fail("a study needs at least one [[domain]] or [[data]]");
  return spec;
}

}  // namespace

StudySpec parse_study_toml(std::string_view text, const std::string& file) {
  const auto wrong = [&](std::int64_t row, std::string_view why) {
    return DataError({.code = "bad_toml",
                      .at = in_file(file, row),
                      .value = {},
                      .rule = fmt::format("is not TOML: {}", why),
                      .remedy = "Texts need quotes, lists brackets; see docs/studies.md for an example"});
  };
  check_toml_shape(text, file);
  try {
    return spec_of(toml::parse(text, file), file);
  } catch (const std::logic_error& error) {
    throw wrong(1, error.what());
  } catch (const toml::parse_error& error) {
    throw wrong(static_cast<std::int64_t>(error.source().begin.line), error.description());
  }
}

StudySpec read_study_toml(const std::string& path) {
  return parse_study_toml(io::read_text(path, std::size_t{1} << 24), path);
}

}  // namespace starope
