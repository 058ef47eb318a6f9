#include "starope/evaluate/record_bytes.hpp"

#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope {
namespace {

std::vector<Finding> some_findings() {
  return {{Severity::warning, "low_ess", {{"ess", 3.5}, {"episodes", std::int64_t{40}}}},
          {Severity::info, "history_matters", {{"shift", -0.5}, {"share", 0.75}, {"ignored", "no"}}}};
}

template <class Write>
Bytes bytes_of(const Write& write) {
  ByteWriter to;
  write(to);
  return to.bytes();
}

TEST(RecordBytes, ComeBack) {
  const Bytes findings = bytes_of([](ByteWriter& to) { write(to, some_findings()); });
  ByteReader from(findings, "findings");
  EXPECT_EQ(read_findings(from), some_findings());
  from.finish();

  const std::vector<Detail> details{{"a", 0.25, "number"},
                                    {"b", true, "truth"},
                                    {"c", std::string("word"), "word"},
                                    {"d", std::vector<double>{1.0, -0.0}, "series"}};
  const Bytes written = bytes_of([&](ByteWriter& to) { write(to, details); });
  ByteReader again(written, "details");
  const std::vector<Detail> read = read_details(again);
  again.finish();
  ASSERT_EQ(read.size(), details.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, details[i].name);
    EXPECT_EQ(read[i].value, details[i].value);
    EXPECT_EQ(read[i].meaning, details[i].meaning);
  }

  const std::vector<FamilyAnswer> families{{"cells", 1.0, 0.5, 0.75, "half-samples"}, {"waves", 2.0, 0.25, 0.25, ""}};
  const Bytes of_families = bytes_of([&](ByteWriter& to) { write(to, families); });
  ByteReader third(of_families, "families");
  EXPECT_EQ(read_families(third), families);
  third.finish();
}

TEST(RecordBytes, RefuseWhatNobodyCanSayAndWhatIsCut) {
  const Bytes unknown = bytes_of([](ByteWriter& to) {
    write(to, std::vector<Finding>{{Severity::info, "no_such_finding", {}}});
  });
  ByteReader from(unknown, "findings");
  EXPECT_THROW(read_findings(from), DataError);
  const Bytes findings = bytes_of([](ByteWriter& to) { write(to, some_findings()); });
  for (std::size_t kept = 0; kept < findings.size(); ++kept) {
    const Bytes part(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(kept));
    ByteReader cut(part, "findings");
    EXPECT_THROW(read_findings(cut), DataError) << kept;
  }
  const Bytes many = bytes_of([](ByteWriter& to) { to.number(std::int64_t{1} << 40); });
  ByteReader huge(many, "details");
  EXPECT_THROW(read_details(huge), DataError);
}

TEST(RecordBytes, CountsAddUpAndTheWorstStays) {
  std::vector<Finding> all{{Severity::info, "unmarked_end", {{"episodes", std::int64_t{2}}, {"columns", "done"}}}};
  add_counts(all, {{Severity::info, "unmarked_end", {{"episodes", std::int64_t{5}}, {"columns", "done"}}},
                   {Severity::info, "final_state_unused", {{"states", std::int64_t{1}}}}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].parameters[0].value, (FindingParameter{"", std::int64_t{7}}.value));
  EXPECT_EQ(all[0].parameters[1].value, (FindingParameter{"", "done"}.value));

  std::vector<Finding> worst = some_findings();
  add_worst(worst, {{Severity::critical, "low_ess", {{"ess", 1.0}, {"episodes", std::int64_t{4}}}},
                    {Severity::info, "history_matters", {{"shift", 9.0}, {"share", 0.5}, {"ignored", "no"}}}});
  ASSERT_EQ(worst.size(), 2U);
  EXPECT_EQ(worst[0].severity, Severity::critical);
  EXPECT_EQ(worst[1], some_findings()[1]);
}

}  // namespace
}  // namespace starope
