#include "starope/evaluate/q_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/estimators.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

std::string error_of(const char* text) {
  try {
    parse_estimator(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

template <class Which>
Which as(const char* text, Seed seed = {}) {
  return std::get<Which>(parse_estimator(text, {}, seed).estimator);
}

TEST(QSpec, DirectMethods) {
  const auto recipe = [](const char* text) { return std::get<QRecipe>(as<DirectMethod>(text, Seed{4}).q); };
  EXPECT_EQ(recipe("mb").method, QMethod::mb);
  EXPECT_EQ(recipe("fqe").method, QMethod::fqe);
  EXPECT_EQ(recipe("qreg").method, QMethod::qreg);
  EXPECT_EQ(recipe("mrdr").method, QMethod::mrdr);
  EXPECT_EQ(recipe("fqe").features, QFeatures::automatic);
  EXPECT_EQ(recipe("fqe").seed, Seed{4});
  const QRecipe rbf = recipe("qreg(features=rbf,waves=10,ridge=0.5,seed=9)");
  EXPECT_EQ(rbf.features, QFeatures::rbf);
  EXPECT_EQ(rbf.waves, 10);
  EXPECT_EQ(rbf.ridge, 0.5);
  EXPECT_EQ(recipe("mrdr(anchor=0)").anchor, 0.0);
  EXPECT_GT(recipe("mrdr").anchor, 0.0);
  EXPECT_EQ(rbf.seed, Seed{9});
  EXPECT_EQ(recipe("mb(clusters=7)").features, QFeatures::clusters);
  EXPECT_EQ(recipe("mb(clusters=7)").clusters, 7);
  EXPECT_EQ(recipe("fqe(features=mlp,hidden=16)").hidden, 16);
  EXPECT_EQ(as<LearnedModel>("mb(model=mlp,hidden=16,seed=2)").hidden, 16);
  EXPECT_EQ(as<LearnedModel>("mb(model=mlp)", Seed{7}).seed, Seed{7});
}

TEST(QSpec, DoublyRobustEstimators) {
  const auto dr = as<DoublyRobust>("dr(q=fqe)");
  EXPECT_FALSE(dr.weighted);
  EXPECT_EQ(dr.folds, 1);
  EXPECT_EQ(std::get<QRecipe>(dr.q).method, QMethod::fqe);
  EXPECT_EQ(std::get<QRecipe>(as<DoublyRobust>("dr").q).method, QMethod::fqe);
  const auto wdr = as<DoublyRobust>("wdr(q=mrdr,folds=5,features=linear)");
  EXPECT_TRUE(wdr.weighted);
  EXPECT_EQ(wdr.folds, 5);
  EXPECT_EQ(std::get<QRecipe>(wdr.q).method, QMethod::mrdr);
  EXPECT_EQ(std::get<QRecipe>(wdr.q).features, QFeatures::linear);
  const auto nested = as<DoublyRobust>("wdr(q=mrdr(features=linear),folds=5)");
  EXPECT_EQ(std::get<QRecipe>(nested.q).features, QFeatures::linear);
  const auto magic = as<Magic>("magic(q=mb,returns=9,replicates=50,seed=3)");
  EXPECT_EQ(magic.returns, 9);
  EXPECT_EQ(magic.replicates, 50);
  EXPECT_EQ(magic.seed, Seed{3});
  EXPECT_EQ(std::get<QRecipe>(magic.q).seed, Seed{3});
}

TEST(QSpec, AQTableIsReadByTheCaller) {
  const EstimatorFiles files{.centroids = {}, .lookup = {}, .q_table = [](const std::string& path) {
                               return QTable{.actions = 1, .state = {0}, .q = {1.0}, .source = path};
                             }};
  const auto dr = std::get<DoublyRobust>(parse_estimator("dr(q=table.csv)", files).estimator);
  EXPECT_EQ(std::get<QTable>(dr.q).source, "table.csv");
  EXPECT_THAT(error_of("dr(q=table.csv)"), HasSubstr("files cannot be read here"));
}

TEST(QSpec, RefusesWhatCannotBeMeant) {
  EXPECT_THAT(error_of("dr(q=fqq)"), HasSubstr("did you mean 'fqe'?"));
  EXPECT_THAT(error_of("fqe(feature=rbf)"), HasSubstr("did you mean 'features'?"));
  EXPECT_THAT(error_of("fqe(features=tabular,clusters=3)"), HasSubstr("clusters means nothing"));
  EXPECT_THAT(error_of("mb(features=mlp)"), HasSubstr("value of features 'mlp'"));
  EXPECT_THAT(error_of("mb(hidden=8)"), HasSubstr("hidden means nothing together with model=cells"));
  EXPECT_THAT(error_of("mb(model=mlp,clusters=8)"), HasSubstr("clusters means nothing together with model=mlp"));
  EXPECT_THAT(error_of("mb(ridge=1)"), HasSubstr("option 'ridge'"));
  EXPECT_THAT(error_of("fqe(anchor=0.1)"), HasSubstr("option 'anchor'"));
  EXPECT_THAT(error_of("dr(q=fqe,anchor=0.1)"), HasSubstr("anchor means nothing together with fqe"));
  EXPECT_THAT(error_of("dr(q=mb,ridge=0.1)"), HasSubstr("ridge means nothing together with mb"));
  EXPECT_THAT(error_of("dr(q=mb(ridge=0.1))"), HasSubstr("option 'ridge'"));
  EXPECT_THAT(error_of("dr(q=mb,features=linear)"), HasSubstr("mb needs features=tabular or features=clusters"));
  EXPECT_THAT(error_of("fqe(folds=5)"), HasSubstr("folds"));
  EXPECT_THAT(error_of("dr(q=fqe(ridge=1),ridge=2)"), HasSubstr("means nothing together with options"));
  EXPECT_THAT(error_of("dr(q=fqe(folds=2))"), HasSubstr("folds"));
  EXPECT_THAT(error_of("magic(returns=1)"), HasSubstr("at least 2"));
}

}  // namespace
}  // namespace starope
