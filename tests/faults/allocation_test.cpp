#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "injection.hpp"
#include "starope/error.hpp"
#include "starope/io/atomic_file.hpp"
#include "workloads.hpp"

namespace starope {
namespace {

using testing::Fault;
using testing::Folder;
using testing::Injection;

// Calls work(k) for every k until it comes to its end without a failure: once with one failure, and now and then with
// all allocations after it failing too. Nothing but an exception may come out. Returns how often it was disturbed.
template <class Work>
std::int64_t for_every_allocation(const Work& work) {
  for (std::int64_t k = 1;; ++k) {
    for (const bool lasting : {false, true}) {
      if (lasting && k % 11 != 0) continue;
      work(k, lasting);
    }
    if (!Injection::happened()) return k - 1;
  }
}

// The next one to fail. Studies and pages make many thousand allocations: every one of the first fails, then one in
// `share` of what lies behind. With STAROPE_EVERY_FAULT=1 it is every one, which takes long.
std::int64_t next_failure(std::int64_t k, std::int64_t share) {
  static const bool every = std::getenv("STAROPE_EVERY_FAULT") != nullptr;
  return every ? k + 1 : k + 1 + k / share;
}

TEST(Allocations, AnEvaluationWithoutMemoryAnswersRightOrNotAtAll) {
  const Folder folder;
  folder.write("logs.csv", testing::logs_text());
  const Evaluation whole = testing::evaluate_file(folder.at("logs.csv"));
  for (const Answer& answer : whole.estimates) {
    ASSERT_TRUE(std::holds_alternative<Estimate>(answer.result)) << answer.estimator;
  }
  std::int64_t others_answered = 0, refused = 0;
  const std::int64_t disturbed = for_every_allocation([&](std::int64_t k, bool lasting) {
    std::optional<Evaluation> found;
    try {
      const Injection injection(Fault::allocation, k, lasting);
      found = testing::evaluate_file(folder.at("logs.csv"));
    } catch (const std::bad_alloc&) {
      ++refused;
    } catch (const Error&) {  // what could not be read is said, too
      ++refused;
    }
    if (!found) return;
    ASSERT_EQ(found->estimates.size(), whole.estimates.size());
    std::size_t failures = 0;
    for (std::size_t i = 0; i < whole.estimates.size(); ++i) {
      const auto& right = std::get<Estimate>(whole.estimates[i].result);
      if (const auto* failure = std::get_if<Failure>(&found->estimates[i].result)) {
        ASSERT_EQ(failure->code, "out_of_memory") << k << ": " << failure->message;
        ++failures;
        continue;
      }
      const auto& estimate = std::get<Estimate>(found->estimates[i].result);
      ASSERT_EQ(estimate.value, right.value) << k << ' ' << right.estimator;
      ASSERT_EQ(estimate.std_error, right.std_error) << k << ' ' << right.estimator;
      ASSERT_EQ(estimate.interval.has_value(), right.interval.has_value()) << k << ' ' << right.estimator;
    }
    if (!lasting && failures > 0) ++others_answered;
    if (!lasting) {
      ASSERT_LE(failures, 2U) << k;  // at most the two stars that share a pass
    }
  });
  EXPECT_GT(disturbed, 500);
  EXPECT_GT(others_answered, 100);  // one estimator's failure is its own
  EXPECT_GT(refused, 100);          // reading needs memory too
}

// In a process of its own, whose end shows whether anything but an exception came out. What it wrote is enough to go
// on, with nothing lost.
TEST(Allocations, AStudyWithoutMemoryGoesOnWhereItStopped) {
  constexpr int undisturbed = 3;
  const Folder folder;
  testing::run(folder.at("whole"), false);
  const std::vector<std::string> whole = testing::said(folder.at("whole/results.jsonl"));
  std::int64_t disturbed = 0;
  for (std::int64_t k = 1;; k = next_failure(k, 12)) {
    bool reached = true;
    for (const bool lasting : {false, true}) {
      testing::fs::remove_all(folder.at("r"));
      const pid_t child = ::fork();
      if (child == 0) {
        try {
          const Injection injection(Fault::allocation, k, lasting);
          testing::run(folder.at("r"), false);
        } catch (const std::bad_alloc&) {
        } catch (const Error&) {
        }
        ::_exit(Injection::happened() ? 0 : undisturbed);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFEXITED(status)) << k << ' ' << lasting << ": signal " << WTERMSIG(status);
      reached = reached && !(WIFEXITED(status) && WEXITSTATUS(status) == undisturbed);
      // With enough memory: nothing is lost, nothing is wrong, and no failure of the moment stays.
      testing::run(folder.at("r"), testing::fs::exists(folder.at("r/study.json")));
      ASSERT_EQ(testing::said(folder.at("r/results.jsonl")), whole) << k << ' ' << lasting;
      for (const auto& [name, content] : folder.files())
        ASSERT_EQ(name.find(".tmp"), std::string::npos) << k << ' ' << name;
    }
    if (!reached) break;
    ++disturbed;
  }
  EXPECT_GT(disturbed, 50);
}

// A page has no name until it is whole.
TEST(Allocations, AReportIsWrittenWholeOrNotAtAll) {
  ASSERT_TRUE(has_chart_runtime()) << "built without Vega: tools/install_dependencies.sh web, and configure again";
  const Folder folder;
  folder.write("logs.csv", testing::logs_text());
  const Evaluation evaluation = testing::evaluate_file(folder.at("logs.csv"));
  const std::string page = evaluation_report(evaluation);
  std::int64_t disturbed = 0;
  for (std::int64_t k = 1;; k = next_failure(k, 60)) {
    folder.write("e.html", "old");
    try {
      const Injection injection(Fault::allocation, k, k % 3 == 0);
      io::AtomicFile file(folder.at("e.html"));
      file.write(evaluation_report(evaluation));
      file.commit();
    } catch (const std::bad_alloc&) {
    } catch (const Error&) {
    }
    const std::string e = folder.read("e.html");
    ASSERT_TRUE(e == "old" || e == page) << k;
    ASSERT_EQ(folder.files().size(), 2U) << k;
    if (!Injection::happened()) break;
    ++disturbed;
  }
  EXPECT_EQ(folder.read("e.html"), page);
  EXPECT_GT(disturbed, 100);
}

}  // namespace
}  // namespace starope
