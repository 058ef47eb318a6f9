#include "starope/base/finding_sentence.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(FindingSentence, FillHandsOverNamesAndFormats) {
  const auto show = [](std::string_view name, std::string_view format) {
    return "<" + std::string(name) + "/" + std::string(format) + ">";
  };
  EXPECT_EQ(fill("a {b} c {d:e: f}.", show), "a <b/> c <d/e: f>.");
  EXPECT_EQ(fill("{b}", show), "<b/>");
  EXPECT_EQ(fill("", show), "");
}

TEST(FindingSentence, PartsAreTakenOneByOne) {
  std::string_view parts = "a|b c|";
  EXPECT_EQ(next_part(parts), "a");
  EXPECT_EQ(next_part(parts), "b c");
  EXPECT_EQ(next_part(parts), "");
  EXPECT_EQ(next_part(parts), "");
}

TEST(FindingSentence, APhraseBelongsToItsWholeWord) {
  EXPECT_EQ(phrase_of("b", "ab -> x|b -> y z|bc -> w"), "y z");
  EXPECT_EQ(phrase_of("a", "ab -> x|b -> y"), std::nullopt);
}

TEST(FindingSentence, ReadersSeeNamesNounsAndChoices) {
  EXPECT_EQ(shown_to_readers("a mean of {mean:.4}, {share:%} of {method}"), "a mean of {mean}, {share} of {method}");
  EXPECT_EQ(shown_to_readers("{steps:# step} of {cut:# episode that was|# episodes that were}"),
            "{steps} steps of {cut} episodes that were");
  EXPECT_EQ(shown_to_readers("{cut:counts|count} {least..most}"), "count {least} to {most}");
  EXPECT_EQ(shown_to_readers("{row:before -> previous|behind -> next} row"),
            "[row=before: previous / row=behind: next] row");
}

}  // namespace
}  // namespace starope
