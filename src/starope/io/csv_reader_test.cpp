#include "starope/io/csv_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "starope/error.hpp"
#include "starope/io/log_reader.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string header = "episode,t,state,action,reward,behavior_prob,target_prob,terminated,truncated\n";
const std::string rows =
    "0,0,3,1,0.5,0.5,0.25,0,0\n"
    "0,1,4,0,1.5,0.25,0,1,0\n"
    "7,0,3,1,-1,1,1,0,1\n";

ReadResult read_text(std::string_view content, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  return read_csv(folder.write("logs.csv", content), options);
}

// The error of a file, which must be the same for any number of threads and any chunks.
std::string error_of(std::string_view content, ReadOptions options = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.write("logs.csv", content);
  std::string first;
  for (const std::int64_t chunk_bytes : {1, 30, 1'000'000}) {
    for (int threads = 1; threads <= 3; ++threads) {
      options.chunk_bytes = chunk_bytes;
      options.threads = Threads(threads);
      std::string message = "no error";
      try {
        read_csv(path, options);
      } catch (const Error& error) {
        message = error.code() + ": " + error.what();
      }
      if (first.empty()) first = message;
      EXPECT_EQ(message, first);
    }
  }
  return first;
}

// Ids of episodes are looked at after all rows were parsed: those of a file that was cut then would be all the same.
TEST(ReadCsv, AFileThatIsCutAfterItsRowsWereParsed) {
  class Cut : public CsvTableReader {
   public:
    Cut(const std::string& path, const ReadOptions& options)
        : CsvTableReader(InputFile(path), ',', options), path_(path) {}
    TableReading read(std::vector<WantedColumn> wanted) override {
      TableReading reading = CsvTableReader::read(std::move(wanted));
      std::filesystem::resize_file(path_, 0);
      return reading;
    }

   private:
    std::string path_;
  };
  const TemporaryFolder folder;
  for (const std::string& head : {std::string("episode,t"), std::string("episode,x")}) {
    const std::string path = folder.write(
        "logs.csv", head + ",reward,behavior_prob,target_prob\na,0,1,0.5,0.5\na,1,1,0.5,0.5\nb,0,1,0.5,0.5\n");
    ReadOptions options;
    options.need_state = false;
    Cut table(path, options);
    EXPECT_THAT([&] { read_logs(table, options); },
                ::testing::ThrowsMessage<FileError>(HasSubstr("changed or cut while it was read")));
  }
}

TEST(ReadCsv, ReadsTheCanonicalTable) {
  const ReadResult result = read_text(header + rows);
  const Dataset& data = result.data;
  EXPECT_EQ(data.episodes(), 2);
  EXPECT_EQ(data.length(0), 2);
  EXPECT_EQ(data.episode_name(1), "7");
  EXPECT_EQ(std::get<DiscreteStates>(data.states()), (DiscreteStates{{0, 1, 0}, {3, 4}}));
  EXPECT_THAT(std::get<DiscreteActions>(data.actions()).id, ElementsAre(1, 0, 1));
  EXPECT_EQ(std::get<DiscreteActions>(data.actions()).count, 2);
  EXPECT_THAT(data.rewards(), ElementsAre(0.5, 1.5, -1));
  EXPECT_THAT(data.behavior()->values, ElementsAre(0.5, 0.25, 1));
  EXPECT_THAT(data.target()->values, ElementsAre(0.25, 0, 1));  // a zero of the target is allowed
  EXPECT_FALSE(data.target()->density);
  EXPECT_EQ(data.end(0), EpisodeEnd::terminated);
  EXPECT_EQ(data.end(1), EpisodeEnd::truncated);
  EXPECT_EQ(result.summary.rows, 3);
  EXPECT_EQ(result.summary.used.size(), 9U);
  EXPECT_THAT(result.summary.ignored, IsEmpty());
}

TEST(ReadCsv, BehaviorProbabilitiesMayHaveGapsIfThatIsSaid) {
  const std::string table =
      "episode,state,action,reward,behavior_prob,target_prob,truncated\n"
      "1,3,1,0.5,,0.25,0\n1,4,0,1.5,0.25,0.5,0\n1,5,,,,,1\n2,3,1,-1,nan,1,0\n2,3,1,1,0.5,1,0\n";
  EXPECT_THAT(error_of(table), AllOf(HasSubstr("row 2, column 'behavior_prob'"), HasSubstr("--behavior fill")));
  const ReadResult result = read_text(table, {.behavior_gaps = true});
  EXPECT_FALSE(result.data.behavior().has_value());
  const auto& logged = result.data.columns().behavior_with_gaps;
  ASSERT_TRUE(logged.has_value());
  EXPECT_THAT(logged->values, ElementsAre(::testing::IsNan(), 0.25, ::testing::IsNan(), 0.5));
  EXPECT_EQ(result.summary.final_states, 1);  // a row without action and reward is still one
  // What is there has to be a probability.
  EXPECT_THAT(error_of("episode,state,action,reward,behavior_prob,target_prob\n1,3,1,1,2,1\n", {.behavior_gaps = true}),
              HasSubstr("not a probability"));
  // NaN is a value that is missing.
  EXPECT_THAT(error_of("episode,state,action,reward,behavior_prob,target_prob\n1,3,1,1,nan,1\n"),
              AllOf(HasSubstr("missing"), HasSubstr("--behavior fill")));
}

TEST(ReadCsv, ReadsOtherNamesAndTellsWhatItIgnored) {
  const ReadResult result =
      read_text("hr,stay,junk,r,bp,lpb,pe\n1,anna,\"x,\n\",2,0.5,-0.5,0.1\n3,bert,y,4,1,-1,0.2\n",
                {.episode = "stay", .state = {"bp", "hr"}, .reward = "r", .behavior_logp = "lpb", .target_prob = "pe"});
  const auto& states = std::get<DenseStates>(result.data.states());
  EXPECT_THAT(states.values.widened(), ElementsAre(0.5, 1, 1, 3));
  EXPECT_THAT(states.names, ElementsAre("bp", "hr"));
  EXPECT_EQ(result.data.episode_name(0), "anna");
  EXPECT_EQ(result.data.behavior()->scale, LoggedProbabilities::Scale::logarithm);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(result.data.actions()));
  EXPECT_THAT(result.summary.ignored, ElementsAre("junk"));
}

TEST(ReadCsv, AColumnMayPlayTwoRoles) {
  const Dataset data = read_text("episode,t,reward,p\na,0,1,0.5\na,1,2,0.25\n",
                                 {.state = {"t"}, .behavior_prob = "p", .target_prob = "p"})
                           .data;
  EXPECT_EQ(data.behavior()->values, data.target()->values);
  EXPECT_EQ(std::get<DiscreteStates>(data.states()).ids, (std::vector<std::int64_t>{0, 1}));
}

const std::string bare = "episode,state,action,reward,behavior_prob,target_prob\n";

TEST(ReadCsv, TheFirstRowTellsIdsFromNumbers) {
  const auto states = [](const std::string& cells, const ReadOptions& options = {}) {
    return read_text(bare + cells, options).data.states();
  };
  const std::string whole = "a,1,0,0,1,1\nb,2,0,0,1,1\n";
  const std::string mixed = "a,1.0,0,0,1,1\nb,2,0,0,1,1\n";
  EXPECT_TRUE(std::holds_alternative<DiscreteStates>(states(whole)));
  EXPECT_TRUE(std::holds_alternative<DenseStates>(states(whole, {.state_kind = StateKind::continuous})));
  EXPECT_TRUE(std::holds_alternative<DenseStates>(states(mixed)));
  EXPECT_EQ(std::get<DiscreteStates>(states(mixed, {.state_kind = StateKind::discrete})).ids,
            (std::vector<std::int64_t>{1, 2}));
  // A list is numbers, whatever it looks like.
  const ReadResult list = read_text("episode,state_0,reward,behavior_prob,target_prob\na,1,0,1,1\n");
  EXPECT_TRUE(std::holds_alternative<DenseStates>(list.data.states()));
}

TEST(ReadCsv, ContinuousActionsHaveDensities) {
  const ReadResult result = read_text(bare + "a,1,0.5,0,3.5,0\n");
  EXPECT_THAT(std::get<ContinuousActions>(result.data.actions()).values, ElementsAre(0.5));
  EXPECT_TRUE(result.data.behavior()->density);
  EXPECT_TRUE(result.data.target()->density);
  const ReadResult two =
      read_text("episode,state,action_0,action_1,reward,behavior_prob,target_prob\na,1,1,2,0,3.5,0\n");
  EXPECT_THAT(std::get<ContinuousActions>(two.data.actions()).values, ElementsAre(1, 2));
  // Without an action column only the caller can know.
  const std::string no_action = "episode,state,reward,behavior_prob,target_prob\na,1,0,3.5,1\n";
  EXPECT_TRUE(read_text(no_action, {.action_kind = ActionKind::continuous}).data.behavior()->density);
  EXPECT_THAT(error_of(no_action), HasSubstr("bad_probability"));
}

TEST(ReadCsv, DistributionsGiveTheNumberOfActionsAndTheProbabilities) {
  const Dataset data = read_text(
                           "episode,state,action,reward,behavior_probs_0,behavior_probs_1,behavior_probs_2,"
                           "target_probs_0,target_probs_1,target_probs_2\na,1,1.0,0,0.5,0.25,0.25,0,1,0\n")
                           .data;
  EXPECT_EQ(std::get<DiscreteActions>(data.actions()).count, 3);  // though written 1.0: numbered actions are ids
  EXPECT_THAT(data.behavior()->values, ElementsAre(0.25));
  EXPECT_THAT(data.target()->values, ElementsAre(1));
  EXPECT_THAT(data.target_distribution()->values, ElementsAre(0, 1, 0));
}

TEST(ReadCsv, TheLastRowMayBeTheStateAfterTheLastStep) {
  const ReadResult result = read_text(header +
                                      "0,0,3,1,0.5,0.5,0.25,0,1\n"
                                      "0,1,9,,,,,,\n"
                                      "1,0,3,1,0.5,0.5,0.25,0,0\n"
                                      "1,,8,,,,,0,0\n");
  EXPECT_EQ(result.data.steps(), 2);
  EXPECT_EQ(result.data.state_rows(), 4);
  const auto& states = std::get<DiscreteStates>(result.data.states());
  EXPECT_EQ(states.ids[states.code[2]], 9);
  EXPECT_EQ(states.ids[states.code[3]], 8);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].severity, Severity::info);
  EXPECT_THAT(text(result.findings[0]), HasSubstr("1 episode ends without terminated or truncated"));
}

TEST(ReadCsv, SortCollectsEpisodes) {
  const std::string mixed =
      "episode,t,state,reward,behavior_prob,target_prob\nb,1,0,11,1,1\na,0,0,20,1,1\nb,0,0,10,1,1\n";
  EXPECT_THAT(error_of(mixed), HasSubstr("not_contiguous"));
  const Dataset data = read_text(mixed, {.sort = true}).data;
  EXPECT_THAT(data.rewards(), ElementsAre(10, 11, 20));
  EXPECT_EQ(data.episode_name(0), "b");
}

// ---- what can be wrong --------------------------------------------------------------------------------------------

std::string with(const std::string& row) {
  return header + rows + row;
}

TEST(ReadCsvErrors, MissingColumn) {
  EXPECT_THAT(error_of("episode,state,rewards,behavior_prob,target_prob\n0,1,2,1,1\n"),
              AllOf(HasSubstr("missing_column: "), HasSubstr("logs.csv, column 'reward'"),
                    HasSubstr("Did you mean 'rewards'? Then pass --reward rewards")));
}

TEST(ReadCsvErrors, UnparsableNumber) {
  EXPECT_THAT(error_of(with("8,0,3,1,12%,1,1,0,1\n")),
              AllOf(HasSubstr("bad_number: "), HasSubstr("logs.csv, row 5, column 'reward'"),
                    HasSubstr("'12%' is not a number"), HasSubstr("0.25")));
  EXPECT_THAT(error_of(with("8,0,3,1,1,1,1,maybe,1\n")),
              AllOf(HasSubstr("bad_flag"), HasSubstr("row 5, column 'terminated': 'maybe'"), HasSubstr("true")));
  EXPECT_THAT(error_of(bare + "a,ICU,0,0,1,1\n"), AllOf(HasSubstr("column 'state': 'ICU'"), HasSubstr("Number the")));
}

TEST(ReadCsvErrors, RewardThatIsNoFiniteNumber) {
  for (const char* bad : {"nan", "NaN", "inf", "-inf"}) {
    EXPECT_THAT(error_of(with("8,0,3,1," + std::string(bad) + ",1,1,0,1\n")),
                AllOf(HasSubstr("bad_reward: "), HasSubstr("logs.csv, row 5, column 'reward'"), HasSubstr("finite"),
                      HasSubstr("drop the whole episode")))
        << bad;
  }
  // As it stands in the file, not as the infinity that it is read as.
  EXPECT_THAT(error_of(with("8,0,3,1,-1e999,1,1,0,1\n")),
              AllOf(HasSubstr("logs.csv, row 5, column 'reward': '-1e999' is beyond 1.8e308"),
                    HasSubstr("drop the whole episode")));
}

TEST(ReadCsvErrors, ProbabilityOutsideItsRange) {
  EXPECT_THAT(error_of(with("8,0,3,1,1,1.5,1,0,1\n")),
              AllOf(HasSubstr("bad_probability: "), HasSubstr("logs.csv, row 5, column 'behavior_prob': '1.5'"),
                    HasSubstr("(0, 1]"), HasSubstr("log-probabilities")));
  EXPECT_THAT(error_of(with("8,0,3,1,1,0,1,0,1\n")), AllOf(HasSubstr("row 5, column 'behavior_prob': '0'"),
                                                           HasSubstr("could not take"), HasSubstr("Log the")));
  EXPECT_THAT(error_of(with("8,0,3,1,1,1,-0.1,0,1\n")),
              AllOf(HasSubstr("row 5, column 'target_prob': '-0.1'"), HasSubstr("[0, 1]")));
  EXPECT_EQ(error_of(with("8,0,3,1,1,1,0,0,1\n")), "no error");
}

TEST(ReadCsvErrors, ProbabilitiesAndLogProbabilitiesBothGiven) {
  const std::string both = "episode,state,reward,behavior_prob,behavior_logp,target_prob\na,1,0,1,0,1\n";
  EXPECT_THAT(error_of(both), AllOf(HasSubstr("both_probabilities: "), HasSubstr("logs.csv, column 'behavior_logp'"),
                                    HasSubstr("probabilities and log-probabilities both given"),
                                    HasSubstr("--behavior-prob behavior_prob")));
  EXPECT_EQ(error_of(both, {.behavior_logp = "behavior_logp"}), "no error");
}

TEST(ReadCsvErrors, EpisodeRowsNotContiguous) {
  EXPECT_THAT(error_of(with("0,2,3,1,1,1,1,0,1\n")),
              AllOf(HasSubstr("not_contiguous: "), HasSubstr("logs.csv, row 5, column 'episode': '0'"),
                    HasSubstr("rows 2 to 3"), HasSubstr("contiguous"), HasSubstr("--sort")));
}

TEST(ReadCsvErrors, TimeNotIncreasing) {
  EXPECT_THAT(error_of(with("8,3,3,1,1,1,1,0,0\n8,2.5,3,1,1,1,1,0,0\n")),
              AllOf(HasSubstr("t_not_increasing: "), HasSubstr("logs.csv, row 6, column 't': '2.5'"),
                    HasSubstr("after 3"), HasSubstr("row 5"), HasSubstr("must increase"), HasSubstr("--sort")));
}

TEST(ReadCsvErrors, RowAfterTermination) {
  EXPECT_THAT(error_of(with("8,0,3,1,1,1,1,1,0\n8,1,3,1,1,1,1,0,0\n")),
              AllOf(HasSubstr("row_after_termination: "), HasSubstr("logs.csv, row 6"), HasSubstr("terminated = 1"),
                    HasSubstr("row 5"), HasSubstr("new episode id")));
}

TEST(ReadCsvErrors, RaggedRow) {
  EXPECT_THAT(error_of(with("8,0,3,1,1,1,1,1\n")), AllOf(HasSubstr("ragged_row: "), HasSubstr("logs.csv, row 5"),
                                                         HasSubstr("has 8 fields, but the header has 9")));
  EXPECT_THAT(error_of(with("8,0,3,1,1,1,1,1,0,0,0\n")), HasSubstr("has 11 fields"));
  EXPECT_THAT(error_of(header + "\n" + rows), AllOf(HasSubstr("row 2: is blank"), HasSubstr("Remove")));
}

TEST(ReadCsvErrors, MissingValue) {
  EXPECT_THAT(error_of(with("8,0,3,1,,1,1,0,1\n")),
              AllOf(HasSubstr("missing_value: "), HasSubstr("logs.csv, row 5, column 'reward'"),
                    HasSubstr("state after the last step")));
  EXPECT_THAT(error_of(with("8,0,,1,1,1,1,0,1\n")), HasSubstr("row 5, column 'state'"));
  EXPECT_THAT(error_of(with(",0,3,1,1,1,1,0,1\n")), HasSubstr("row 5, column 'episode'"));
  EXPECT_THAT(error_of(with("8,0,3,1,1,1,1,,1\n")), HasSubstr("row 5, column 'terminated'"));
  // A row without action, reward and probabilities in the middle, or as the only one.
  EXPECT_THAT(error_of(with("8,0,3,1,1,1,1,0,0\n8,1,3,,,,,,\n8,2,3,1,1,1,1,0,0\n")),
              HasSubstr("row 6, column 'reward'"));
  EXPECT_THAT(error_of(with("8,0,3,,,,,,\n")), HasSubstr("row 5, column 'reward'"));
  EXPECT_THAT(error_of("episode,t,reward,behavior_prob,target_prob\na,0,1,1,1\na,1,,,\n", {.need_state = false}),
              HasSubstr("row 3, column 'reward'"));
}

TEST(ReadCsvErrors, EmptyFileAndHeaderOnly) {
  EXPECT_THAT(error_of(""), AllOf(HasSubstr("empty_file: "), HasSubstr("logs.csv"), HasSubstr("is empty")));
  EXPECT_THAT(error_of(header), AllOf(HasSubstr("no_rows: "), HasSubstr("logs.csv"), HasSubstr("no rows")));
}

TEST(ReadCsvErrors, DirectoryAndMissingFile) {
  const TemporaryFolder folder;
  try {
    read_csv(folder.path());
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(folder.path()), HasSubstr("directory"), HasSubstr("Name the file")));
  }
  EXPECT_THROW(read_csv(folder.path("none.csv")), FileError);
}

TEST(ReadCsvErrors, InconsistentActionRange) {
  const std::string names = "episode,state,action,reward,behavior_probs_0,behavior_probs_1,target_prob\n";
  EXPECT_THAT(error_of(names + "a,1,1,0,0.5,0.5,1\nb,1,2,0,0.5,0.5,1\n"),
              AllOf(HasSubstr("bad_action: "), HasSubstr("logs.csv, row 3, column 'action': '2'"),
                    HasSubstr("2 actions 0..1"), HasSubstr("inconsistent action range"), HasSubstr("Number the")));
  EXPECT_THAT(error_of(bare + "a,1,1,0,1,1\nb,1,-1,0,1,1\n"), HasSubstr("row 3, column 'action': '-1'"));
  EXPECT_THAT(error_of("episode,state,action,reward,behavior_probs_0,behavior_probs_1,target_probs_0\na,1,0,0,1,0,1\n"),
              AllOf(HasSubstr("action_count: "), HasSubstr("'behavior_probs_1'"), HasSubstr("'target_probs_0'")));
}

// Where the logged action has a column of its own beside those of all actions, and where it has not.
TEST(ReadCsvErrors, AProbabilityIsNamedByTheColumnItCameFrom) {
  const std::string rest = "behavior_probs_0,behavior_probs_1,target_probs_0,target_probs_1\n";
  EXPECT_THAT(error_of("episode,action,state,reward,behavior_prob," + rest + "0,0,0,1,0,0,1,0.5,0.5\n"),
              HasSubstr("column 'behavior_prob':"));
  EXPECT_THAT(error_of("episode,action,state,reward," + rest + "0,0,0,1,0,1,0.5,0.5\n"),
              HasSubstr("column 'behavior_probs_0..'"));
}

TEST(ReadCsvErrors, TimesAsTexts) {
  EXPECT_THAT(error_of("episode,t,state,reward,behavior_prob,target_prob\n1,2024-01-01 00:00:00,1,1,1,1\n"),
              AllOf(HasSubstr("row 2, column 't': '2024-01-01 00:00:00' is not a number"), HasSubstr("an empty --t")));
}

TEST(ReadCsvErrors, NonIntegerDiscreteState) {
  EXPECT_THAT(error_of(with("8,0,3.5,1,1,1,1,0,1\n")),
              AllOf(HasSubstr("non_integer_state: "), HasSubstr("logs.csv, row 5, column 'state': '3.5'"),
                    HasSubstr("is not a discrete state: this column was taken as ids, integers from -2^63 to 2^63 - 1"),
                    HasSubstr("row 2 holds an integer"), HasSubstr("--state-kind continuous")));
  EXPECT_THAT(error_of(bare + "a,1,1,0,1,1\nb,1,1.5,0,1,1\n"),
              AllOf(HasSubstr("non_integer_action"), HasSubstr("--action-kind continuous")));
  // Hashes of 64 bits, which would be clustered as if they were measured.
  EXPECT_THAT(error_of("episode,state,reward,behavior_prob,target_prob\n1,17341672388111429999,1,1,1\n"),
              AllOf(HasSubstr("non_integer_state"), HasSubstr("'17341672388111429999' is not a discrete state"),
                    HasSubstr("have to be numbered")));
}

TEST(ReadCsvErrors, QuotesAndBinaryData) {
  EXPECT_THAT(error_of(with("8,0,3,1,\"1,1,1,0,1\n")),
              AllOf(HasSubstr("unterminated_quote: "), HasSubstr("logs.csv, row 5"), HasSubstr("never closes")));
  EXPECT_THAT(error_of(with("8\"x,0,3,1,1,1,1,0,\"1\"\n")), AllOf(HasSubstr("stray_quote: "), HasSubstr("row 5")));
  EXPECT_THAT(error_of(with(std::string("8,0,3,1,\0,1,1,0,1\n", 18))),
              AllOf(HasSubstr("binary_data: "), HasSubstr("row 5"), HasSubstr("zero byte")));
  EXPECT_THAT(error_of("episode,t,t\n1,2,3\n"), AllOf(HasSubstr("duplicate_column"), HasSubstr("'t' twice")));
}

TEST(ReadCsvErrors, RowsAreRecordsNotLines) {
  EXPECT_THAT(error_of("note," + header + "\"two\nlines\",0,0,3,1,0.5,0.5,0.25,0,0\nx,1,0,3,1,bad,0.5,0.25,0,0\n"),
              HasSubstr("row 3, column 'reward': 'bad'"));
}

// In parts of any size a file has the rows, and the first error, that it has as a whole.
TEST(CsvTableReader, PartsOfAnySizeAreTheWhole) {
  const TemporaryFolder folder;
  std::string table = "\xEF\xBB\xBFname,x\r\n";
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i);
    table += (i % 7 == 3 ? "\"q\"\"" + number + "\n\"" : "n" + number) + "," + number + (i % 3 == 0 ? "\r\n" : "\n");
  }
  const auto column = [](TableReader& reader) {
    std::vector<double> all;
    std::vector<std::string> names;
    std::int64_t first_row = 2;
    while (const auto count = reader.next(1)) {
      EXPECT_EQ(reader.source().first_row, first_row);
      first_row += *count;
      std::vector<double> part(*count);
      const TableReading reading = reader.read({{0, TextCells{}, Blank::never, {}}, {1, NumberCells{part.data(), 1}}});
      reading.offences.raise();
      for (const std::string_view name : reading.text.text) names.emplace_back(name);
      all.insert(all.end(), part.begin(), part.end());
    }
    return std::pair(all, names);
  };
  for (const char* end : {"", "\n\r\n\n", "last,40", "last,40\n\n\n\n\n\n\n\n"}) {
    const std::string path = folder.write("parts.csv", table + end);
    CsvTableReader whole(InputFile(path), ',', {});
    const auto expected = column(whole);
    EXPECT_EQ(expected.first.size(), end[0] == 'l' ? 41U : 40U);
    for (const std::int64_t bytes : {1, 2, 3, 5, 17, 100}) {
      CsvTableReader parts(std::make_unique<InputStream>(path), ',', {.chunk_bytes = bytes});
      EXPECT_EQ(column(parts), expected) << bytes;
    }
  }
  for (const char* wrong : {"a,b\n", "\"a\" b,1\nc,2\n", "\"a,1\nc,2\n", "a\n", "\nb,1\n", "a,1\"\n"}) {
    const std::string path = folder.write("wrong.csv", table + wrong + "z,9\n");
    const auto message = [&](TableReader& reader) {
      try {
        column(reader);
      } catch (const DataError& error) {
        return std::string(error.what());
      }
      return std::string("no error");
    };
    CsvTableReader whole(InputFile(path), ',', {});
    const std::string expected = message(whole);
    EXPECT_THAT(expected, HasSubstr("row 42"));
    for (const std::int64_t bytes : {1, 3, 17}) {
      CsvTableReader parts(std::make_unique<InputStream>(path), ',', {.chunk_bytes = bytes});
      EXPECT_EQ(message(parts), expected) << wrong << bytes;
    }
  }
}

}  // namespace
}  // namespace starope::io
