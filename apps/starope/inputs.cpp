#include "inputs.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "failure.hpp"

namespace starope::cli {
namespace {

template <class Read>
Read noted_reader(Read read, const Inputs& inputs) {
  if (!read) return read;
  return [read = std::move(read), inputs](const std::string& path) {
    inputs.add(path);
    return read(path);
  };
}

constexpr const char* wildcards = "*?[";

// The texts and names in quotes of a query, which are how it names files; comments are left out.
std::vector<std::string> quoted_in(std::string_view sql) {
  std::vector<std::string> found;
  std::size_t at = 0;
  const auto behind = [&](std::string_view end) {
    const std::size_t next = sql.find(end, at);
    at = next == std::string_view::npos ? sql.size() : next + end.size();
    return next == std::string_view::npos ? sql.size() : next;
  };
  while (at < sql.size()) {
    const std::string_view rest = sql.substr(at);
    const char c = rest.front();
    if (rest.substr(0, 2) == "--") {
      behind("\n");
    } else if (rest.substr(0, 2) == "/*") {
      behind("*/");
    } else if (rest.substr(0, 2) == "$$") {
      const std::size_t begin = at += 2;
      found.emplace_back(sql.substr(begin, behind("$$") - begin));
    } else if (c == '\'' || c == '"') {
      std::string text;
      for (++at; at < sql.size(); ++at) {
        if (sql[at] != c) {
          text += sql[at];
        } else if (at + 1 < sql.size() && sql[at + 1] == c) {
          text += sql[++at];  // a quote that is written twice is one
        } else {
          break;
        }
      }
      ++at;
      found.push_back(std::move(text));
    } else {
      ++at;
    }
  }
  return found;
}

}  // namespace

void Inputs::add(const std::string& path) const {
  namespace fs = std::filesystem;
  paths_->push_back(path == "-" ? "/dev/stdin" : path);  // which may be a file: starope evaluate - < logs.csv
  std::error_code error;
  if (fs::is_directory(path, error)) folders_->push_back({path, "*.parquet"});  // what is read of one
  const std::size_t wild = path.find_first_of(wildcards);
  if (fs::exists(path, error) || wild == std::string::npos) return;
  if (path.find("**") != std::string::npos) {  // folders in folders, which glob() does not know
    const std::size_t slash = path.rfind('/', wild);
    std::string names = slash == std::string::npos ? path : path.substr(slash + 1);
    constexpr std::string_view any = "**/";
    for (std::size_t i = names.find(any); i != std::string::npos; i = names.find(any))
      names.replace(i, any.size(), "*");
    folders_->push_back({slash == std::string::npos ? "." : path.substr(0, slash + 1), std::move(names)});
    return;
  }
  glob_t found{};  // the files of a pattern, as DuckDB will read them
  if (::glob(path.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths_->emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
}

void Inputs::add_query(const std::string& sql) const {
  constexpr std::string_view scheme = "file://";
  for (const std::string& name : quoted_in(sql)) {
    if (!name.empty()) add(name.rfind(scheme, 0) == 0 ? name.substr(scheme.size()) : name);
  }
}

void Inputs::expect_not(const std::string& output, const std::string& command) const {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(output, error)) return;  // pipes and terminals may well be both
  const auto refuse = [&](const std::string& path) {
    throw UsageError(
        fmt::format("{} is read by this command ({}), and what is read is never written over. Write to another file",
                    output, path),
        command);
  };
  for (const std::string& path : *paths_) {
    if (fs::equivalent(path, output, error)) refuse(path);
  }
  for (const Folder& folder : *folders_) {
    const fs::path written = fs::canonical(output, error).lexically_relative(fs::canonical(folder.path, error));
    if (written.empty() || *written.begin() == "..") continue;
    if (::fnmatch(folder.names.c_str(), written.c_str(), 0) == 0) refuse(folder.path);
  }
}

EstimatorFiles noted(EstimatorFiles files, const Inputs& inputs) {
  files.centroids = noted_reader(std::move(files.centroids), inputs);
  files.lookup = noted_reader(std::move(files.lookup), inputs);
  files.q_table = noted_reader(std::move(files.q_table), inputs);
  return files;
}

domains::ReadPolicyTable noted(domains::ReadPolicyTable read, const Inputs& inputs) {
  return noted_reader(std::move(read), inputs);
}

}  // namespace starope::cli
