#include "starope/evaluate/sum_members.hpp"

#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope {
namespace {

struct Members {
  std::int64_t count = 0;
  double sum = 0.0;
  std::vector<double> each{};
  MemberCounts seen{};
  std::optional<Inspection::Span> span{};
  friend bool operator==(const Members&, const Members&) = default;
};

template <class Mine, class Other, class Work>
void with_all(Mine& mine, Other& other, const Work& work) {
  work(mine.count, other.count);
  work(mine.sum, other.sum);
  work(mine.each, other.each);
  work(mine.seen, other.seen);
  work(mine.span, other.span);
}

const Members some{
    .count = 2, .sum = 0.5, .each = {1.0}, .seen = {{7, 2}}, .span = Inspection::Span{.min = 3, .max = 4}};
const Members more{.count = 3,
                   .sum = 1.5,
                   .each = {1.0, 5.0},
                   .seen = {{7, 1}, {-9, 1}},
                   .span = Inspection::Span{.min = 1, .max = 3}};

TEST(SumMembers, AddUp) {
  Members sum = some;
  with_all(sum, more, AddMember{});
  EXPECT_EQ(sum, (Members{.count = 5,
                          .sum = 2.0,
                          .each = {2.0, 5.0},
                          .seen = {{-9, 1}, {7, 3}},
                          .span = Inspection::Span{.min = 1, .max = 4}}));
  const Members none;
  with_all(sum, none, AddMember{});
  EXPECT_EQ(sum.span, (Inspection::Span{.min = 1, .max = 4}));
}

TEST(SumMembers, ComeBackFromBytes) {
  for (const Members& members : {some, more, Members{}}) {
    ByteWriter to;
    with_all(members, members, WriteMember{to});
    ByteReader from(to.bytes(), "members");
    Members back;
    with_all(back, back, ReadMember{from});
    from.finish();
    EXPECT_EQ(back, members);
  }
}

TEST(SumMembers, NegativeCountsAreRefused) {
  ByteWriter to;
  to.number(std::int64_t{-1});
  ByteReader from(to.bytes(), "members");
  std::int64_t count = 0;
  EXPECT_THROW(ReadMember{from}(count, count), DataError);
}

}  // namespace
}  // namespace starope
