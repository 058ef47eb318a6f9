// Reference numbers computed by other people's code (the paper's published Python with minimal repairs, and an
// independent numpy implementation) on logs of three domains. tests/data/README.md says what each number is.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "starope/estimators.hpp"
#include "starope/estimators/magic.hpp"
#include "starope/estimators/star.hpp"
#include "starope/estimators/step_terms.hpp"
#include "starope/io.hpp"
#include "starope/io/numeric_table.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/q_values.hpp"
#include "support/test_data.hpp"

namespace starope {
namespace {

using nlohmann::json;

using testing::committed_file;
using testing::shared_file;

// The logs of one domain and what others computed from them.
class Logs : public ::testing::Test {
 protected:
  explicit Logs(std::string domain) : domain_(std::move(domain)) {
    std::ifstream(committed_file("golden/" + domain_ + "_reference.json")) >> reference_;
    data_ = io::read(committed_file("golden/" + domain_ + ".npz")).data;
  }

  Problem problem() const { return make_problem(*data_); }

  // The same logs with every ratio 1.
  Problem on_policy() const {
    const auto* actions = std::get_if<DiscreteActions>(&data_->actions());
    const ActionProbabilities& behavior = *data_->behavior_distribution();
    EXPECT_NE(actions, nullptr);
    std::size_t row = 0;  // make_problem asks for the rows in order
    const auto width = static_cast<std::size_t>(behavior.actions);
    return make_problem(*data_, [&](const StateView&, std::span<double> p) {
      std::copy_n(behavior.values.begin() + static_cast<std::ptrdiff_t>(width * row++), width, p.begin());
    });
  }

  // The centroids of the largest random abstractions of Asterix are in the shared folder only.
  static bool is_committed(const json& record) {
    return record["centroids"] != "official_random" || record["K"].get<int>() < 8;
  }

  // The records whose abstraction this machine has.
  std::vector<json> records() const {
    std::vector<json> found;
    for (const json& record : reference_["STAR"])
      if (domain_ != "asterix" || is_committed(record) || shared_file(abstraction(record))) found.push_back(record);
    return found;
  }

  std::string abstraction(const json& record) const {
    return "golden/abstractions/" + domain_ + "_" + record["centroids"].get<std::string>() + "_K" +
           std::to_string(record["K"].get<int>()) + ".csv";
  }

  AbstractionRecipe phi(const json& record) const {
    const std::string name = abstraction(record);
    const std::string path =
        domain_ != "asterix" || is_committed(record) ? committed_file(name) : shared_file(name).value();
    if (domain_ == "sepsis") {
      io::LookupTable rows = io::read_lookup(path);
      return LookupTable{.state = std::move(rows.states), .z = std::move(rows.labels), .source = path};
    }
    const io::NumericTable table = io::read_centroids(path);
    return CentroidTable{.dimension = table.columns, .values = table.values, .source = path};
  }

  static Clip clip(const json& record) {
    return record["c"].is_null() ? Clip::none() : Clip::last(record["c"].get<std::int64_t>());
  }

  std::string domain_;
  json reference_;
  std::optional<Dataset> data_;
};

class Golden : public Logs, public ::testing::WithParamInterface<std::string> {
 protected:
  Golden() : Logs(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(Domains, Golden, ::testing::Values("cartpole", "sepsis", "asterix"),
                         [](const auto& domain) { return domain.param; });

TEST_P(Golden, DataSizes) {
  EXPECT_EQ(data_->episodes(), reference_["n_episodes"].get<std::int64_t>());
  EXPECT_EQ(data_->steps(), reference_["n_rows"].get<std::int64_t>());
  EXPECT_EQ(data_->truncated_episodes(), reference_["n_truncated"].get<std::int64_t>());
}

TEST_P(Golden, ImportanceSamplingFamily) {
  const std::map<std::string, Estimator> estimators{
      {"NAIVE", Naive{}},
      {"IS", ImportanceSampling{}},
      {"PDIS_STEP_IS", ImportanceSampling{.per_decision = true}},
      {"WIS", ImportanceSampling{.weighted = true}},
      {"WPDIS_STEP_WIS", ImportanceSampling{.weighted = true, .per_decision = true}}};
  for (const auto& [name, estimator] : estimators) {
    const double expected = reference_["official"][name];
    EXPECT_NEAR(estimate(estimator, problem()).value, expected, 1e-12 * std::abs(expected)) << name;
  }
}

TEST_P(Golden, Star) {
  int compared = 0;
  for (const json& record : records()) {
    const Star star{.phi = phi(record), .clip = clip(record)};
    const double expected = record["exact_trunc_as_term"];
    // Without clip the exit weights of the Asterix logs nearly cancel in the reference's arithmetic.
    const double tolerance = GetParam() == "asterix" && star.clip.is_none() ? 1e-7 : 1e-9;
    EXPECT_NEAR(estimate(star, problem()).value, expected, tolerance * std::abs(expected))
        << record["centroids"] << " K=" << record["K"] << " c=" << record["c"];
    ++compared;
  }
  // Five clips of twelve abstractions; the three largest of Asterix only where they are.
  EXPECT_GE(compared, GetParam() == "asterix" ? 45 : 60);
}

TEST_P(Golden, StarOnPolicyIsTheMeanReturn) {
  const double naive = reference_["official"]["NAIVE"];
  for (const json& record : records()) {
    if (!record.contains("onpolicy_rho1_exact")) continue;
    const double value = estimate(Star{.phi = phi(record), .clip = clip(record)}, on_policy()).value;
    EXPECT_NEAR(value, naive, 1e-11 * naive);
    EXPECT_NEAR(value, record["onpolicy_rho1_exact"].get<double>(), 1e-9 * naive);
  }
}

TEST_P(Golden, StarInternals) {
  int compared = 0;
  for (const json& record : records()) {
    if (!record.contains("exact_trunc_as_term_internals")) continue;
    const json& inner = record["exact_trunc_as_term_internals"];
    const StarFit f = fit(Star{.phi = phi(record), .clip = clip(record)}, problem());
    for (std::size_t z = 0; z < inner["N"].size(); ++z) {
      const double visits = inner["N"][z];
      if (visits == 0.0) continue;
      const auto near = [&](double actual, double expected) {
        EXPECT_NEAR(actual, expected, 1e-9 * (1e-3 + std::abs(expected))) << "cell " << z;
      };
      near(f.model.visit[z], visits);
      near(f.model.reward[z], inner["r"][z]);
      near(f.model.exit[z], inner["beta"][z]);
      near(f.model.start[z], inner["eta"][z]);
      for (std::size_t y = 0; y < inner["N"].size(); ++y) {
        const std::size_t at = f.model.transition.find(static_cast<Label>(z), static_cast<Label>(y));
        near(at < f.model.transition.value.size() ? f.model.transition.value[at] : 0.0, inner["P"][z][y]);
      }
    }
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

class GoldenSepsis : public Logs {
 protected:
  GoldenSepsis() : Logs("sepsis") {}
};

// A fixed Q table on the sepsis logs: the direct method and the doubly robust estimators, and MAGIC's program with
// the reference's own steps and biases.
TEST_F(GoldenSepsis, FixedQ) {
  const io::NumericTable rows = io::read_numeric_table(committed_file("golden/sepsis_q.csv"));
  QTable q{.actions = static_cast<std::int32_t>(rows.columns - 1), .state = {}, .q = {}, .source = "sepsis_q.csv"};
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const double* row = rows.values.data() + i * rows.columns;
    q.state.push_back(static_cast<std::int64_t>(row[0]));
    q.q.insert(q.q.end(), row + 1, row + rows.columns);
  }
  const auto near = [&](const Estimator& estimator, const char* name) {
    const double expected = reference_["official"][name];
    EXPECT_NEAR(estimate(estimator, problem()).value, expected, 1e-10 * expected) << name;
  };
  near(DirectMethod{q}, "fixedQ_AM");
  near(DoublyRobust{.q = q}, "fixedQ_DR");
  near(DoublyRobust{.q = q, .weighted = true}, "fixedQ_WDR");

  const json& inner = reference_["official"]["fixedQ_MAGIC_internals"];
  const QLogs logs(problem(), "magic");
  const StepTerms terms = step_terms(look_up(q, logs), logs);
  const WeightedTerms sums = weighted_terms(problem(), terms, Threads{1});
  std::vector<std::int64_t> steps;
  for (const json& j : inner["j_steps"]) steps.push_back(j == -2 ? 1000 : j.get<std::int64_t>());  // -2: all steps
  std::vector<double> bias = inner["bias"];
  // Returns in increasing order of steps, as ours are; the reference lists the whole sum first.
  std::rotate(steps.begin(), steps.begin() + 1, steps.end());
  std::rotate(bias.begin(), bias.begin() + 1, bias.end());
  const std::vector<double> returns = step_returns(problem(), sums, steps);
  for (std::size_t k = 0; k < returns.size(); ++k) {
    const double expected = inner["j_step_returns"][(k + 1) % returns.size()];
    EXPECT_NEAR(returns[k], expected, 1e-10) << "return " << steps[k];
  }
  const std::vector<double> x = magic_weights(return_covariance(problem(), terms, sums, steps), bias);
  double value = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) value += x[k] * returns[k];
  const double expected = reference_["own_numpy"]["MAGIC_with_n_times_cov_plus_outer_bias"]["value"];
  EXPECT_NEAR(value, expected, 1e-6 * expected);

  // The estimator as users call it: over the domain's 150 steps its returns are the reference's. Its interval of wdr is
  // another one, but no return that gets weight lies outside of either.
  const Estimate magic = estimate(Magic{.q = q}, problem().with({.horizon = Horizon{150}}));
  EXPECT_NEAR(magic.value, expected, 1e-6 * expected);
}

}  // namespace
}  // namespace starope
