#include "help.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "starope/layout/layout.hpp"

namespace starope::cli {
namespace {

struct Example {
  CLI::App app{"Answers one question."};
  CLI::App* evaluate = nullptr;
  std::string data{};
  std::string gamma{};
  std::string output{};

  Example() {
    app.set_help_flag("-h,--help", "Show this page");
    evaluate = app.add_subcommand("evaluate", "Estimate a value.\nMore about it.");
    evaluate->add_option("DATA", data, "The logged episodes")->required();
    evaluate->add_option("--gamma", gamma, "The discount, and a text that is long enough to be wrapped at the width")
        ->type_name("G");
    evaluate->add_option("-o,--output", output, "A file")->type_name("FILE")->group("Output");
    evaluate->footer("Example:\n  starope evaluate x.csv");
    for (CLI::App* page : {&app, evaluate}) page->formatter(std::make_shared<HelpFormatter>(60));
  }
};

TEST(Help, PageOfASubcommand) {
  const Example example;
  EXPECT_EQ(example.evaluate->help(),
            "Estimate a value.\n"
            "More about it.\n"
            "\n"
            "Usage: starope evaluate DATA [options]\n"
            "\n"
            "Arguments:\n"
            "  DATA                    The logged episodes\n"
            "\n"
            "Options:\n"
            "  -h, --help              Show this page\n"
            "  --gamma G               The discount, and a text that is\n"
            "                          long enough to be wrapped at the\n"
            "                          width\n"
            "\n"
            "Output:\n"
            "  -o, --output FILE       A file\n"
            "\n"
            "Example:\n"
            "  starope evaluate x.csv\n");
}

TEST(Help, FrontPageListsTheCommandsWithOneSentenceEach) {
  const Example example;
  EXPECT_EQ(example.app.help(),
            "Answers one question.\n"
            "\n"
            "Usage: starope COMMAND [options]\n"
            "\n"
            "Commands:\n"
            "  evaluate                Estimate a value.\n"
            "\n"
            "Options:\n"
            "  -h, --help              Show this page\n");
}

}  // namespace
}  // namespace starope::cli
