#include "starope/study/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "starope/base/data_location.hpp"
#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/domains/choose_domain.hpp"
#include "starope/error.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/io.hpp"
#include "starope/io/column_options.hpp"
#include "starope/io/file_kind.hpp"
#include "starope/io/spool.hpp"
#include "starope/study.hpp"
#include "starope/study/checksum.hpp"
#include "starope/study/estimator_grid.hpp"

namespace starope {
namespace {

constexpr const char* schema = "starope.study/1";

[[noreturn]] void refuse(const StudySpec& spec, const std::string& why) {
  throw InvalidArgument(fmt::format("study '{}': {}", spec.name, why));
}

// All cells are planned in memory, and every result is a line of a file.
constexpr double most_cells = 1e7, most_results = 1e9;

void check_work(const StudySpec& spec) {
  double cells = 0.0, results = 0.0;
  for (const StudyDomain& domain : spec.domains) {
    const double of_domain = static_cast<double>(domain.trials) * static_cast<double>(domain.sizes.size());
    cells += of_domain;
    results += of_domain * static_cast<double>(domain.estimators.size());
  }
  if (cells <= most_cells && results <= most_results) return;
  refuse(spec,
         fmt::format("{:.3g} data sets with {:.3g} results (trials x sizes x estimators) would take about {} of one "
                     "core at a millisecond each; at most {:.0e} data sets and {:.0e} results are possible. Ask for "
                     "fewer trials, or run parts as studies of their own",
                     cells, results, time_text(1e6 * results), most_cells, most_results));
}

std::int64_t size_of(const std::vector<std::string>& names) {
  return static_cast<std::int64_t>(names.size());
}

void check_domain(const StudySpec& spec, const StudyDomain& domain) {
  const auto fail = [&](const std::string& why) { refuse(spec, fmt::format("domain '{}': {}", domain.name, why)); };
  if (domain.name.empty()) refuse(spec, "a domain has no name");
  if (domain.domain.empty() && domain.file.empty() && domain.columns.sql.empty()) {
    fail("needs a simulated domain, a file of logs, or a query");
  }
  if (domain.domain.empty() && (!domain.behavior.empty() || !domain.target.empty())) {
    fail("logs carry the probabilities of their policies; behavior and target are for simulated domains");
  }
  if (!domain.domain.empty() && domain.truth) fail("truth is for own logs; that of a simulated domain is computed");
  if (domain.truth && !std::isfinite(*domain.truth)) fail("truth must be a finite number");
  if (domain.trials < 1) fail("trials must be at least 1");
  if (domain.sizes.empty()) fail("needs sizes: numbers of episodes");
  std::set<std::int64_t> sizes;
  for (const std::int64_t size : domain.sizes) {
    if (size < 1) fail(fmt::format("size {} must be at least 1", size));
    if (!sizes.insert(size).second) fail(fmt::format("size {} is given twice", size));
    // Of one step at least. What it really takes is known when it is there; what is hopeless need not wait for that.
    constexpr double least_bytes = 32.0, least_operations = 20.0;
    const auto episodes = static_cast<double>(size);
    refuse_absurd({.what = fmt::format("study '{}', domain '{}': a data set of {}", spec.name, domain.name,
                                       counted(size, "episode")),
                   .operations = least_operations * episodes,
                   .bytes = least_bytes * episodes,
                   .remedy = "Ask for smaller sizes"});
  }
  if (domain.estimators.empty()) fail("needs estimators");
  if (domain.estimators.size() > most_estimators) {
    fail(fmt::format("has {} estimators; at most {} are possible", with_thousands(size_of(domain.estimators)),
                     with_thousands(most_estimators)));
  }
  std::set<std::string> estimators;
  for (const std::string& text : domain.estimators) {
    if (!estimators.insert(text).second) fail(fmt::format("estimator '{}' is given twice", text));
    // Which files an estimator names is known only when they are read: any table will do to check the words.
    parse_estimator(text, {.centroids = [](const std::string&) { return CentroidTable{}; },
                           .lookup = [](const std::string&) { return LookupTable{}; },
                           .q_table = [](const std::string&) { return QTable{}; }});
  }
}

Json domain_json(const StudyDomain& domain) {
  Json json{{"name", domain.name}};
  if (!domain.domain.empty()) {
    json["domain"] = domain.domain;
    json["behavior"] = domain.behavior;
    json["target"] = domain.target;
  }
  if (!domain.file.empty()) json["file"] = domain.file;
  if (const auto said = io::said_options(domain.columns); !said.empty()) {
    for (const io::SaidOption& each : said) json["columns"][each.name] = each.values;
  }
  if (!domain.checksum.empty()) json["checksum"] = domain.checksum;
  if (domain.truth) json["truth"] = *domain.truth;
  json["horizon"] = domain.horizon ? Json(domain.horizon->steps()) : Json(nullptr);
  json["gamma"] = domain.discount ? Json(domain.discount->gamma()) : Json(nullptr);
  json["sizes"] = domain.sizes;
  json["trials"] = domain.trials;
  json["estimators"] = domain.estimators;
  return json;
}

Json spec_json(const StudySpec& spec) {
  Json json{{"schema", schema},
            {"name", spec.name},
            {"seed", spec.seed.value},
            {"truth_episodes", spec.truth_episodes},
            {"level", spec.level.probability()}};
  json["domains"] = Json::array();
  for (const StudyDomain& domain : spec.domains) json["domains"].push_back(domain_json(domain));
  return json;
}

StudyDomain parse_domain(const Json& json) {
  StudyDomain domain;
  domain.name = json.at("name");
  domain.domain = json.value("domain", "");
  domain.behavior = json.value("behavior", "");
  domain.target = json.value("target", "");
  domain.file = json.value("file", "");
  if (json.contains("columns")) {
    for (const auto& [name, values] : json.at("columns").items())
      io::say_option(domain.columns, {name, values.get<std::vector<std::string>>()});
  }
  domain.checksum = json.value("checksum", "");
  if (json.contains("truth")) domain.truth = json.at("truth").get<double>();
  if (!json.at("horizon").is_null()) domain.horizon = Horizon{whole_from(json.at("horizon"))};
  if (!json.at("gamma").is_null()) domain.discount = Discount{json.at("gamma").get<double>()};
  for (const Json& size : json.at("sizes")) domain.sizes.push_back(whole_from(size));
  domain.trials = whole_from(json.at("trials"));
  domain.estimators = json.at("estimators").get<std::vector<std::string>>();
  return domain;
}

// What decides the results: everything but where the files lie.
Json comparable(const StudySpec& spec) {
  StudySpec copy = spec;
  for (StudyDomain& domain : copy.domains) {
    if (!domain.file.empty()) domain.file = "FILE";
    domain.columns.duckdb_library.clear();
  }
  return spec_json(copy);
}

// "/domains/0/sizes/1" -> "domains[cartpole].sizes[1]"
std::string readable(const std::string& pointer, const StudySpec& spec) {
  std::string text;
  std::size_t from = 1;
  bool in_domains = false;
  while (from <= pointer.size()) {
    const std::size_t to = std::min(pointer.find('/', from), pointer.size());
    const std::string part = pointer.substr(from, to - from);
    const bool index = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    if (index && in_domains && std::stoul(part) < spec.domains.size()) {
      text += '[' + spec.domains[std::stoul(part)].name + ']';
    } else if (index) {
      text += '[' + part + ']';
    } else {
      text += (text.empty() ? "" : ".") + part;
    }
    in_domains = part == "domains";
    from = to + 1;
  }
  return text;
}

}  // namespace

void check_study(const StudySpec& spec) {
  if (spec.domains.empty()) refuse(spec, "has no domains");
  if (spec.truth_episodes < 2) refuse(spec, "truth_episodes must be at least 2");
  std::set<std::string> names;
  for (const StudyDomain& domain : spec.domains) {
    check_domain(spec, domain);
    if (!names.insert(domain.name).second) refuse(spec, fmt::format("two domains are named '{}'", domain.name));
  }
  check_work(spec);
}

CompletedStudy complete(StudySpec spec) {
  std::vector<std::optional<Dataset>> logs(spec.domains.size());
  for (std::size_t d = 0; d < spec.domains.size(); ++d) {
    StudyDomain& domain = spec.domains[d];
    if (domain.domain.empty()) {
      LogsChecksum checksum = logs_checksum(domain);
      domain.checksum = std::move(checksum.text);
      logs[d] = std::move(checksum.logs);
      if (!domain.discount) domain.discount = Discount{1.0};
      continue;
    }
    if (!domain.file.empty()) domain.checksum = file_checksum(domain.file);
    const domains::NamedDomain known = domains::choose_domain(domain.domain, {.icu_sepsis = domain.file});
    if (domain.domain.find('(') == std::string::npos) domain.domain = known.name;
    if (domain.name.empty()) domain.name = known.name;
    if (domain.behavior.empty()) domain.behavior = known.behavior;
    if (domain.target.empty()) domain.target = known.target;
    domains::parse_policy(domain.behavior, known.policies);
    domains::parse_policy(domain.target, known.policies);
    if (!domain.horizon) domain.horizon = known.horizon;
    if (!domain.discount) domain.discount = known.discount;
  }
  check_study(spec);
  return {.spec = std::move(spec), .logs = std::move(logs)};
}

StudySpec complete_study(StudySpec spec) {
  return complete(std::move(spec)).spec;
}

std::string study_json(const StudySpec& spec) {
  return spec_json(spec).dump(2) + '\n';
}

StudySpec parse_study_json(std::string_view text, const std::string& file) {
  const auto wrong = [&](const std::string& rule) {
    return DataError({.code = "bad_study",
                      .at = in_file(file),
                      .value = {},
                      .rule = rule,
                      .remedy = "Start the study again in an empty folder"});
  };
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != schema) {
      throw wrong(
          fmt::format("this program reads studies of schema {}; the file has {}", schema, json.at("schema").dump()));
    }
    StudySpec spec;
    spec.name = json.at("name");
    spec.seed = Seed{seed_from(json.at("seed"))};
    spec.truth_episodes = whole_from(json.at("truth_episodes"));
    spec.level = Level{json.at("level").get<double>()};
    for (const Json& domain : json.at("domains")) spec.domains.push_back(parse_domain(domain));
    return spec;
  } catch (const Json::exception& error) {
    throw wrong(fmt::format("must be a study as starope writes it ({})", error.what()));
  } catch (const InvalidArgument& error) {
    throw wrong(fmt::format("must be a study as starope writes it ({})", error.what()));
  }
}

std::vector<std::string> study_differences(const StudySpec& stored, const StudySpec& given) {
  const Json before = comparable(stored).flatten(), now = comparable(given).flatten();
  std::vector<std::string> lines;
  for (const auto& [key, value] : before.items()) {
    if (!now.contains(key)) {
      lines.push_back(fmt::format("{}: {}, now missing", readable(key, stored), value.dump()));
    } else if (now[key] != value) {
      lines.push_back(fmt::format("{}: {}, now {}", readable(key, stored), value.dump(), now[key].dump()));
    }
  }
  for (const auto& [key, value] : now.items()) {
    if (!before.contains(key)) lines.push_back(fmt::format("{}: new, {}", readable(key, given), value.dump()));
  }
  return lines;
}

std::string file_checksum(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t hash = fnv1a({});
  std::vector<char> buffer(1 << 16);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash = fnv1a({buffer.data(), static_cast<std::size_t>(file.gcount())}, hash);
  }
  if (!file.eof()) throw FileError(fmt::format("{}: the file cannot be read. Check its name and permissions", path));
  return fmt::format("{:016x}", hash);
}

Dataset read_logs(const StudyDomain& domain) {
  io::ReadOptions columns = domain.columns;
  columns.need_state = false;
  try {
    return io::read(domain.file, columns).data;
  } catch (const DataError& error) {
    if (error.problem().remedy.find("--") == std::string::npos) throw;
    DataError::Problem problem = error.problem();
    problem.remedy +=
        fmt::format(". In a study, these are keys of [[data]]: episode = \"NAME\" instead of --episode NAME");
    throw DataError(std::move(problem), error.others(), error.more());
  }
}

LogsChecksum logs_checksum(const StudyDomain& domain) {
  std::error_code unknown;
  const bool one_file = domain.columns.sql.empty() && domain.columns.table.empty() &&
                        !std::filesystem::is_directory(domain.file, unknown) && !io::is_pattern(domain.file);
  if (one_file) return {.text = file_checksum(domain.file)};
  Dataset logs = read_logs(domain);
  std::uint64_t hash = fnv1a({});
  io::for_each_bytes(logs.columns(), [&](std::string_view bytes) {
    hash = fnv1a(fmt::format("{};", bytes.size()), hash);
    hash = fnv1a(bytes, hash);
  });
  return {.text = fmt::format("{:016x}", hash), .logs = std::move(logs)};
}

std::string study_checksum(const StudySpec& spec) {
  return fmt::format("{:016x}", fnv1a(comparable(spec).dump()));
}

}  // namespace starope
