#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/error.hpp"
#include "starope/io.hpp"
#include "starope/io/npz.hpp"
#include "starope/io/numeric_table.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/policy.hpp"
#include "support/test_data.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const TabularRule& table_of(const TargetPolicy& policy) {
  return std::get<TabularRule>(policy.rule);
}
const LayeredRule& layers_of(const TargetPolicy& policy) {
  return std::get<LayeredRule>(policy.rule);
}

TEST(PolicyFile, CsvByState) {
  const starope::testing::TemporaryFolder folder;
  const TargetPolicy policy =
      read_policy(folder.write("p.csv", "left,state,right\n0.25,9,0.75\n1,-3,0\n0.4999999,4,0.5000001\n"));
  EXPECT_EQ(table_of(policy).states, (std::vector<std::int64_t>{-3, 4, 9}));
  EXPECT_EQ(table_of(policy).probabilities[0], 1.0);
  EXPECT_EQ(table_of(policy).probabilities[5], 0.75);
  EXPECT_EQ(policy.actions(), 2);
  const TargetPolicy everywhere = read_policy(folder.write("one.csv", "a,b,c\n0.2,0.3,0.5\n"));
  EXPECT_TRUE(table_of(everywhere).states.empty());
  EXPECT_EQ(everywhere.actions(), 3);
}

TEST(PolicyFile, WrongTablesSayWhatIsWrong) {
  const starope::testing::TemporaryFolder folder;
  const auto says = [&](const char* text, const char* said) {
    const std::string path = folder.write("p.csv", text);
    EXPECT_THAT([&] { read_policy(path); }, ThrowsMessage<DataError>(AllOf(HasSubstr("p.csv"), HasSubstr(said))));
  };
  says("state,a,b\n1,0.5,0.4\n", "state 1: the probabilities sum to 0.9");
  says("state,a,b\n1,1.5,-0.5\n", "1.5 is not a probability");
  says("state,a,b\n1,1,0\n1,0,1\n", "state 1 has two rows");
  says("state,a,b\n1.5,1,0\n", "not an integer id");
  says("a,b\n1,0\n0,1\n", "has 2 rows");
  // An index that pandas wrote, whose 0 would be the probability of the first action.
  says(",a,b\n0,0.5,0.5\n", "column without a name, number 1");
  says("p_3,p_1\n0.2,0.8\n", "from 0");
  says("p_1,p_0,q_1\n0.2,0.3,0.5\n", "from 0");
  EXPECT_THAT([&] { read_policy(folder.write("p.txt", "x")); }, ThrowsMessage<FileError>(HasSubstr(".json")));
}

// A table whose columns a program sorted as texts.
TEST(PolicyFile, ColumnsWithNumbersAreActionsOfTheseNumbers) {
  const starope::testing::TemporaryFolder folder;
  std::string names = "state", row = "4";
  for (const int a : {0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9}) {
    names += ",p_" + std::to_string(a);
    row += a == 10 ? ",0.75" : a == 2 ? ",0.25" : ",0";
  }
  const TargetPolicy policy = read_policy(folder.write("p.csv", names + "\n" + row + "\n"));
  EXPECT_EQ(table_of(policy).probabilities, (std::vector<double>{0, 0, 0.25, 0, 0, 0, 0, 0, 0, 0, 0.75}));
  // Without numbers, or with others in order, the order of the file is that of the actions.
  for (const char* header : {"b,a,c", "p1,p2,p3", "p_3,p_7,p_9", "p_1,q,p_0"}) {
    const TargetPolicy plain = read_policy(folder.write("p.csv", std::string(header) + "\n0.2,0.3,0.5\n"));
    EXPECT_EQ(table_of(plain).probabilities, (std::vector<double>{0.2, 0.3, 0.5})) << header;
  }
  EXPECT_EQ(table_of(read_policy(folder.write("p.csv", "0.2,0.8\n"))).probabilities, (std::vector<double>{0.2, 0.8}));
}

TEST(PolicyFile, JsonTableAndLayers) {
  const TargetPolicy table =
      policy_from_json(R"({"schema": "starope.policy/1", "state": [5, 2], "probabilities": [[0.1, 0.9], [1, 0]]})");
  EXPECT_EQ(table_of(table).states, (std::vector<std::int64_t>{2, 5}));
  EXPECT_EQ(table_of(table).probabilities, (std::vector<double>{1, 0, 0.1, 0.9}));
  const TargetPolicy net = policy_from_json(R"({"schema": "starope.policy/1", "activation": "tanh",
    "features": ["hr", "bp"], "mean": [80, 120], "scale": [10, 20], "temperature": 0.5, "epsilon": 0.05,
    "layers": [{"weight": [[1, 2], [3, 4], [5, 6]], "bias": [0.5, 0, -0.5]}, {"weight": [[1, 0, 1], [0, 1, 0]]}]})");
  const LayeredRule& rule = layers_of(net);
  ASSERT_EQ(rule.layers.size(), 2u);
  EXPECT_EQ(rule.layers[0].activation, Activation::tanh);
  EXPECT_EQ(rule.layers[1].activation, Activation::identity);
  EXPECT_EQ(rule.layers[0].inputs, 2);
  EXPECT_EQ(rule.layers[0].weights, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(rule.layers[1].bias, (std::vector<float>{0, 0}));
  EXPECT_EQ(rule.temperature, 0.5);
  EXPECT_EQ(net.actions(), 2);
}

TEST(PolicyFile, WrongJsonSaysWhatIsWrong) {
  const auto says = [](const std::string& inside, const char* said) {
    const std::string text = R"({"schema": "starope.policy/1", )" + inside + "}";
    EXPECT_THAT([&] { policy_from_json(text, "p.json"); },
                ThrowsMessage<DataError>(AllOf(HasSubstr("p.json"), HasSubstr(said))))
        << inside;
  };
  says(R"("layers": [{"weight": [[1, 2], [3]]}])", "different lengths");
  says(R"("layers": [{"weight": [[1, 2]]}, {"weight": [[1], [2]]}])", "activation");
  says(R"("activation": "relu", "layers": [{"weight": [[1, 2]]}, {"weight": [[1, 2, 3]]}])", "takes 3 inputs");
  says(R"("activation": "swish", "layers": [{"weight": [[1, 2]]}, {"weight": [[1]]}])", "swish");
  says(R"("layers": [{"weight": [[1, 2]], "bias": [1, 2]}])", "bias");
  says(R"("layers": [{"weight": [[1e300, 2]]}])", "single precision");
  says(R"("layers": [{"weight": [["a", 2]]}])", "JSON of a policy");
  says(R"("layers": [{"weight": [[1]]}], "scale": [0])", "positive");
  says(R"("layers": [{"weight": [[1]]}], "mean": [0, 1])", "2 entries");
  says(R"("layers": [{"weight": [[1]]}], "epsilon": 2)", "from 0 to 1");
  says(R"("layers": [])", "at least one layer");
  says(R"("layer": [])", "did you mean");
  // What would be passed over in silence.
  says(R"("layers": [{"weight": [[1, 2]], "biases": [1]}])", "unknown key 'biases'; did you mean 'bias'");
  says(R"("layers": [{"weight": [[1, 2]]}], "probabilities": [[1]])", "one of them makes a policy");
  says(R"("layers": [{"weight": [[1, 2]]}], "temperature": 1, "temperature": 5)",
       "column 'temperature': is there twice");
  says(R"("layers": [{"weight": [[1, 2]], "weight": [[3, 4]]}])", "column 'weight': is there twice");
  says(R"("layers": [[[1, 2]]])", "list of objects");
  says(R"("state": [0, 1.5], "probabilities": [[1], [1]])", "1.5 is not an integer id");
  EXPECT_THAT([] { policy_from_json("{}"); }, ThrowsMessage<DataError>(HasSubstr("starope.policy/1")));
  EXPECT_THAT([] { policy_from_json("[1"); }, ThrowsMessage<DataError>(HasSubstr("docs/data.md")));
}

// Weights that scikit-learn trained and numpy wrote (make.py beside the files), and the probabilities that scikit-learn
// gives with them, in double precision: ours are in single.
void expect_probabilities_of(const std::string& file, const std::string& expected) {
  const io::NumericTable rows = io::read_numeric_table(starope::testing::committed_file("policies/" + expected));
  const TargetPolicy policy = read_policy(starope::testing::committed_file("policies/" + file));
  const std::int64_t actions = policy.actions(), features = rows.columns - actions;
  starope::testing::LogVectors logs;
  std::vector<double> states, probabilities;
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const auto row = rows.values.begin() + i * rows.columns;
    states.insert(states.end(), row, row + features);
    probabilities.insert(probabilities.end(), row + features, row + rows.columns);
    logs.rewards.push_back(0.0);
    logs.actions.push_back(0);
    logs.behavior.push_back(0.5);
    logs.target.push_back(0.5);
  }
  logs.end_episode();
  logs.action_count = 1;
  logs.states = DenseStates{.dimension = features, .values = std::move(states)};
  const Dataset data = std::move(logs).dataset();
  const std::vector<double> found = action_probabilities(policy, data, 0, rows.rows);
  ASSERT_EQ(found.size(), probabilities.size());
  ASSERT_GT(rows.rows, 90);  // more than go through the layers together
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], probabilities[i], 2e-6) << i;
}

TEST(PolicyFile, AgreesWithScikitLearn) {
  expect_probabilities_of("network.npz", "network.csv");    // three layers, tanh, scaled features; transposed arrays
  expect_probabilities_of("network.json", "network.csv");   // the same as JSON
  expect_probabilities_of("logistic.npz", "logistic.csv");  // two actions, one output
  expect_probabilities_of("linear.json", "linear.csv");     // three actions
}

TEST(PolicyFile, ArchivesThatAreNoPolicies) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.path("p.npz");
  {
    io::NpzWriter npz(path);
    npz.add("weights", {2, 2}, std::vector<double>{1, 2, 3, 4});
    npz.finish();
  }
  EXPECT_THAT([&] { read_policy(path); }, ThrowsMessage<DataError>(HasSubstr("weight_0")));
  {
    io::NpzWriter npz(path);
    npz.add("weight_0", {2, 2}, std::vector<double>{1, 2, 3, 4});
    npz.add("weight_1", {2, 2}, std::vector<double>{1, 2, 3, 4});
    npz.finish();
  }
  EXPECT_THAT([&] { read_policy(path); }, ThrowsMessage<DataError>(HasSubstr("activation")));
  // What would be passed over in silence.
  const auto says = [&](const std::vector<std::string>& names, const char* said) {
    io::NpzWriter npz(path);
    for (const std::string& name : names) npz.add(name, {2, 2}, std::vector<double>{1, 2, 3, 4});
    npz.finish();
    EXPECT_THAT([&] { read_policy(path); }, ThrowsMessage<DataError>(HasSubstr(said))) << said;
  };
  says({"weight_0", "biases_0"}, "unknown array 'biases_0'; did you mean 'bias_0'");
  says({"weight_0", "weight_2"}, "column 'weight_2': belongs to no layer: weights are there for layers 0 to 0");
  says({"weight_0", "temprature"}, "did you mean 'temperature'");
  says({"weight_0", "features"}, "--state");
  says({"weight_0", "probabilities"}, "one of them makes a policy");
  says({"probabilities", "states"}, "did you mean 'state'");
}

}  // namespace
}  // namespace starope
