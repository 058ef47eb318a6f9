#pragma once

#include <memory>
#include <string>
#include <vector>

#include "starope/domains.hpp"
#include "starope/estimators.hpp"

namespace starope::cli {

// The files that a command reads. None of them is written over, whatever name it is given. Copies share their list.
class Inputs {
 public:
  void add(
      const std::string& path) const;  // of a pattern, all files that it names; of a folder, the Parquet files in it
  void add_query(const std::string& sql) const;  // the files that it names
  // UsageError if the file to write is one of them: the same path, a link to it, another spelling.
  void expect_not(const std::string& output, const std::string& command) const;

 private:
  struct Folder {
    std::string path;
    std::string names;  // what those in it that are read look like, from there
  };
  std::shared_ptr<std::vector<Folder>> folders_ = std::make_shared<std::vector<Folder>>();
  std::shared_ptr<std::vector<std::string>> paths_ = std::make_shared<std::vector<std::string>>();
};

// Readers of the files that estimators and policies name, which also note them.
EstimatorFiles noted(EstimatorFiles files, const Inputs& inputs);
domains::ReadPolicyTable noted(domains::ReadPolicyTable read, const Inputs& inputs);

}  // namespace starope::cli
