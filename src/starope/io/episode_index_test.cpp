#include "starope/io/episode_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace starope::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Runs from one id per row.
TextRuns runs_of(const std::vector<std::string_view>& ids) {
  TextRuns runs;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && ids[i] == ids[i - 1]) continue;
    runs.first_row.push_back(static_cast<std::int64_t>(i));
    runs.text.push_back(ids[i]);
  }
  return runs;
}

EpisodeIndex index(const std::vector<std::string_view>& ids, const EpisodeIndexOptions& options = {}) {
  return index_episodes(runs_of(ids), static_cast<std::int64_t>(ids.size()), options, {"a.csv", 2});
}

std::vector<std::int64_t> integers(const EpisodeIndex& index) {
  return std::get<Column<std::int64_t>>(index.ids).to_vector();
}
std::vector<std::string> strings(const EpisodeIndex& index) {
  return std::get<Column<std::string>>(index.ids).to_vector();
}

TEST(EpisodeIndex, ContiguousRowsAreEpisodes) {
  const EpisodeIndex result = index({"3", "3", "-1", "12", "12", "12"});
  EXPECT_THAT(integers(result), ElementsAre(3, -1, 12));
  EXPECT_THAT(result.offsets, ElementsAre(0, 2, 3, 6));
  EXPECT_THAT(result.order, IsEmpty());
}

TEST(EpisodeIndex, IdsAreIntegersOnlyIfAllAreWrittenSo) {
  EXPECT_THAT(strings(index({"1", "b"})), ElementsAre("1", "b"));
  EXPECT_THAT(strings(index({"07", "7"})), ElementsAre("07", "7"));  // two patients, not one
  EXPECT_THAT(strings(index({"1.0"})), ElementsAre("1.0"));
  EXPECT_THAT(strings(index({"9223372036854775808"})), ElementsAre("9223372036854775808"));
  EXPECT_THAT(strings(index({"-"})), ElementsAre("-"));
  EXPECT_THAT(strings(index({"-0"})), ElementsAre("-0"));
  EXPECT_THAT(integers(index({"0", "-9223372036854775808"})), ElementsAre(0, std::numeric_limits<std::int64_t>::min()));
}

TEST(EpisodeIndex, AnIdThatComesBackIsAnErrorNamingBothPlaces) {
  for (const bool strings : {false, true}) {
    try {
      // Both 7 and 5 come back; the 7 does so first in the file.
      index({strings ? "x" : "9", "7", "7", "5", "7", "5"});
      FAIL();
    } catch (const DataError& error) {
      EXPECT_EQ(error.code(), "not_contiguous");
      EXPECT_THAT(error.what(), AllOf(HasSubstr("a.csv, row 6, column 'episode': '7'"), HasSubstr("rows 3 to 4"),
                                      HasSubstr("contiguous"), HasSubstr("--sort")));
    }
  }
}

TEST(EpisodeIndex, SortingCollectsRowsInOrderOfFirstAppearance) {
  const EpisodeIndex result = index({"b", "a", "b", "b", "c", "a"}, {.sort = true});
  EXPECT_THAT(strings(result), ElementsAre("b", "a", "c"));
  EXPECT_THAT(result.offsets, ElementsAre(0, 3, 5, 6));
  EXPECT_THAT(result.order, ElementsAre(0, 2, 3, 1, 5, 4));
}

TEST(EpisodeIndex, SortingOrdersByTimeAndKeepsTies) {
  const std::vector<double> t = {2, 5, 1, std::nan(""), 1, 4};
  const EpisodeIndex result = index({"1", "0", "1", "1", "1", "0"}, {.sort = true, .t = t});
  EXPECT_THAT(integers(result), ElementsAre(1, 0));
  EXPECT_THAT(result.order, ElementsAre(2, 4, 0, 3, 5, 1));
}

TEST(EpisodeIndex, SortingWhatIsSortedMovesNothing) {
  const std::vector<double> t = {0, 1, 0};
  EXPECT_THAT(index({"4", "4", "2"}, {.sort = true, .t = t}).order, IsEmpty());
}

}  // namespace
}  // namespace starope::io
