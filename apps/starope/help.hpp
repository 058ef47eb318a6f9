#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace starope::cli {

// Help pages as they read best: what it does, how it is called, the options in groups with their explanations wrapped
// to the terminal, and at the end an example to copy.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) {}
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  std::size_t width_;
};

}  // namespace starope::cli
