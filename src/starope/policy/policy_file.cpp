#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/io/npz.hpp"
#include "starope/io/numeric_table.hpp"
#include "starope/io/text_file.hpp"
#include "starope/policy.hpp"

namespace starope {
namespace {

using Json = nlohmann::json;

constexpr const char* schema = "starope.policy/1";
constexpr std::int64_t most_layers = 100;
constexpr const char* shape_of_weights =
    "Weights have the shape (outputs, inputs), as torch has them; of scikit-learn's coefs_ take the transpose";
constexpr const char* table_or_layers = "is there, and probabilities by state as well: one of them makes a policy";

// A file of a policy, whatever its format: complains in its name.
struct Origin {
  std::string file{};
  [[noreturn]] void fail(const char* column, std::string rule, std::string remedy = {}) const {
    DataLocation at;
    at.file = file;
    at.column = column;
    throw DataError(
        {.code = "bad_policy", .at = std::move(at), .value = {}, .rule = std::move(rule), .remedy = std::move(remedy)});
  }
};

// Numbers as they stand in a file.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values{};
};

std::vector<float> singles(const Origin& origin, const char* name, const std::vector<double>& values) {
  std::vector<float> result;
  result.reserve(values.size());
  for (const double x : values) {
    result.push_back(static_cast<float>(x));
    if (!std::isfinite(result.back())) origin.fail(name, fmt::format("{} is no number of single precision", x));
  }
  return result;
}

Activation activation_named(const Origin& origin, const std::string& name) {
  const std::vector<std::string> known{"identity", "relu", "leaky_relu", "tanh",    "sigmoid",
                                       "elu",      "silu", "gelu",       "softplus"};
  const auto found = std::find(known.begin(), known.end(), name == "logistic" ? "sigmoid" : name);
  if (found == known.end()) origin.fail("activation", unknown_name("activation", name, known));
  return static_cast<Activation>(found - known.begin());
}

// ---- what every format says ----------------------------------------------------------------------------------------

TargetPolicy table_of(const Origin& origin, std::vector<std::int64_t> states, Matrix rows) {
  if (rows.rows < 1 || rows.columns < 1) origin.fail("probabilities", "has no rows of probabilities");
  if (rows.columns > std::numeric_limits<std::int32_t>::max()) origin.fail("probabilities", "has too many actions");
  if (states.empty() && rows.rows != 1) {
    origin.fail("state", fmt::format("is missing: the table has {} rows", rows.rows),
                "Add the id of the state to every row, or give one row that holds in all states");
  }
  if (!states.empty() && static_cast<std::int64_t>(states.size()) != rows.rows)
    origin.fail("state", fmt::format("has {} ids for {} rows of probabilities", states.size(), rows.rows));
  const auto width = static_cast<std::size_t>(rows.columns);
  std::vector<std::size_t> order(rows.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!states.empty())
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return states[a] < states[b]; });
  TabularRule rule{.actions = static_cast<std::int32_t>(rows.columns)};
  for (const std::size_t row : order) {
    const std::string who = states.empty() ? std::string("the row") : fmt::format("state {}", states[row]);
    if (!states.empty() && !rule.states.empty() && rule.states.back() == states[row])
      origin.fail("state", who + " has two rows", "Give every state one row");
    if (!states.empty()) rule.states.push_back(states[row]);
    double sum = 0.0;
    for (std::size_t a = 0; a < width; ++a) {
      const double p = rows.values[row * width + a];
      if (!(p >= 0.0 && p <= 1.0))
        origin.fail("probabilities", fmt::format("{}: {} is not a probability", who, p), "Give numbers from 0 to 1");
      sum += p;
    }
    if (!(std::abs(sum - 1.0) <= 1e-6))
      origin.fail("probabilities", fmt::format("{}: the probabilities sum to {}, not to 1", who, sum));
    const double divisor = std::abs(sum - 1.0) <= 1e-12 ? 1.0 : sum;  // rounding alone stays as it was written
    for (std::size_t a = 0; a < width; ++a) rule.probabilities.push_back(rows.values[row * width + a] / divisor);
  }
  return {.rule = std::move(rule), .source = origin.file};
}

PolicyLayer layer_of(const Origin& origin, const Matrix& weight, const std::optional<Matrix>& bias,
                     std::size_t number) {
  if (weight.rows < 1 || weight.columns < 1) origin.fail("weight", fmt::format("of layer {} has no numbers", number));
  PolicyLayer layer{
      .inputs = weight.columns, .outputs = weight.rows, .weights = singles(origin, "weight", weight.values)};
  layer.bias.resize(weight.rows);
  if (!bias) return layer;
  layer.bias = singles(origin, "bias", bias->values);
  if (static_cast<std::int64_t>(layer.bias.size()) != weight.rows)
    origin.fail("bias",
                fmt::format("of layer {} has {} numbers, and its weight {} rows, one for each output", number,
                            layer.bias.size(), weight.rows),
                shape_of_weights);
  return layer;
}

// What holds whatever the format: layers follow each other, and numbers make sense.
TargetPolicy checked(const Origin& origin, LayeredRule rule) {
  if (rule.layers.empty()) origin.fail("weight", "is missing: a policy has at least one layer");
  if (rule.layers.size() > most_layers) origin.fail("weight", "are more layers than anyone trains");
  for (std::size_t i = 1; i < rule.layers.size(); ++i) {
    if (rule.layers[i].inputs == rule.layers[i - 1].outputs) continue;
    origin.fail("weight",
                fmt::format("of layer {} takes {} inputs, and layer {} has {} outputs", i, rule.layers[i].inputs, i - 1,
                            rule.layers[i - 1].outputs),
                shape_of_weights);
  }
  const auto inputs = static_cast<std::size_t>(rule.layers.front().inputs);
  const auto check_width = [&](const char* name, std::size_t size) {
    if (size != 0 && size != inputs)
      origin.fail(name, fmt::format("has {} entries, and the first layer takes {} inputs", size, inputs));
  };
  check_width("features", rule.features.size());
  check_width("mean", rule.mean.size());
  check_width("scale", rule.scale.size());
  if (std::any_of(rule.scale.begin(), rule.scale.end(), [](float x) { return !(x > 0.0F); }))
    origin.fail("scale", "must be positive numbers");
  if (!(rule.temperature > 0.0) || !std::isfinite(rule.temperature))
    origin.fail("temperature", "must be a positive number");
  if (!(rule.epsilon >= 0.0 && rule.epsilon <= 1.0)) origin.fail("epsilon", "must be from 0 to 1");
  if (rule.layers.back().outputs > std::numeric_limits<std::int32_t>::max())
    origin.fail("weight", "has too many outputs");
  return {.rule = std::move(rule), .source = origin.file};
}

PolicyOutput output_named(const Origin& origin, const std::string& name) {
  if (name != "softmax" && name != "greedy")
    origin.fail("output", unknown_name("output", name, std::vector<std::string>{"softmax", "greedy"}));
  return name == "softmax" ? PolicyOutput::softmax : PolicyOutput::greedy;
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

class JsonPolicy {
 public:
  JsonPolicy(const Json& json, Origin origin) : json_(json), origin_(std::move(origin)) {}

  TargetPolicy read() const {
    if (!json_.is_object() || json_.value("schema", std::string()) != schema) {
      origin_.fail("schema", fmt::format("must be \"{}\"", schema), "docs/data.md shows the form of such a file");
    }
    for (const auto& [key, value] : json_.items()) {
      expect_known(key, {"schema", "state", "probabilities", "layers", "activation", "features", "mean", "scale",
                         "temperature", "epsilon", "output"});
    }
    if (json_.contains("probabilities")) {
      if (json_.contains("layers")) origin_.fail("layers", table_or_layers);
      std::vector<std::int64_t> states;
      if (json_.contains("state")) {
        for (const Json& id : json_.at("state")) {
          if (!id.is_number_integer()) origin_.fail("state", fmt::format("{} is not an integer id", id.dump()));
          states.push_back(id.get<std::int64_t>());
        }
      }
      return table_of(origin_, std::move(states), matrix("probabilities", json_.at("probabilities")));
    }
    LayeredRule rule;
    if (json_.contains("layers")) rule.layers = layers(json_.at("layers"));
    if (json_.contains("features")) rule.features = json_.at("features").get<std::vector<std::string>>();
    rule.mean = numbers("mean");
    rule.scale = numbers("scale");
    rule.temperature = json_.value("temperature", 1.0);
    rule.epsilon = json_.value("epsilon", 0.0);
    rule.output = output_named(origin_, json_.value("output", std::string("softmax")));
    return checked(origin_, std::move(rule));
  }

 private:
  // What would be passed over in silence is a mistake.
  void expect_known(const std::string& key, const std::vector<std::string>& known) const {
    if (std::find(known.begin(), known.end(), key) == known.end())
      origin_.fail(key.c_str(), unknown_name("key", key, known));
  }

  Matrix matrix(const char* name, const Json& rows) const {
    if (!rows.is_array()) origin_.fail(name, "must be a list of rows of numbers");
    Matrix result{.rows = static_cast<std::int64_t>(rows.size())};
    for (const Json& row : rows) {
      if (!row.is_array()) origin_.fail(name, "must be a list of rows of numbers");
      if (result.values.empty()) result.columns = static_cast<std::int64_t>(row.size());
      if (static_cast<std::int64_t>(row.size()) != result.columns) origin_.fail(name, "has rows of different lengths");
      for (const Json& number : row) result.values.push_back(number.get<double>());
    }
    return result;
  }

  std::vector<float> numbers(const char* name) const {
    if (!json_.contains(name)) return {};
    return singles(origin_, name, json_.at(name).get<std::vector<double>>());
  }

  std::vector<PolicyLayer> layers(const Json& list) const {
    if (!list.is_array()) origin_.fail("layers", "must be a list");
    const auto between = json_.find("activation");
    std::vector<PolicyLayer> result;
    for (const Json& each : list) {
      if (!each.is_object()) origin_.fail("layers", "must be a list of objects: {\"weight\": ..., \"bias\": ...}");
      for (const auto& [key, value] : each.items()) expect_known(key, {"weight", "bias", "activation"});
      std::optional<Matrix> bias;
      if (each.contains("bias")) {
        const auto values = each.at("bias").get<std::vector<double>>();
        bias = Matrix{.rows = 1, .columns = static_cast<std::int64_t>(values.size()), .values = values};
      }
      result.push_back(layer_of(origin_, matrix("weight", each.at("weight")), bias, result.size()));
      if (each.contains("activation")) {
        result.back().activation = activation_named(origin_, each.at("activation").get<std::string>());
      } else if (result.size() < list.size()) {
        if (between == json_.end()) origin_.fail("activation", "is missing: what is applied between the layers?");
        result.back().activation = activation_named(origin_, between->get<std::string>());
      }
    }
    return result;
  }

  const Json& json_;
  Origin origin_;
};

// ---- NumPy ---------------------------------------------------------------------------------------------------------

// An array that means nothing would be passed over in silence: a bias with another name, the layers behind a gap.
void expect_known_arrays(const io::NpzReader& file, const Origin& origin, std::size_t layers) {
  std::vector<std::string> known{"weight_0", "bias_0"};
  for (std::size_t i = 1; i < layers; ++i) {
    known.push_back(fmt::format("weight_{}", i));
    known.push_back(fmt::format("bias_{}", i));
  }
  for (const char* name : {"activation", "mean", "scale", "output", "temperature", "epsilon", "state", "probabilities"})
    known.emplace_back(name);
  for (const std::string& name : file.names()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (name == "features")
      origin.fail("features", "cannot be named in a NumPy archive",
                  "Name the columns of the state with --state, in the order the policy was trained on");
    if (layers > 0 && (name.rfind("weight_", 0) == 0 || name.rfind("bias_", 0) == 0))
      origin.fail(name.c_str(), fmt::format("belongs to no layer: weights are there for layers 0 to {}", layers - 1),
                  "Number the layers from 0, without a gap");
    origin.fail(name.c_str(), unknown_name("array", name, known));
  }
}

TargetPolicy policy_from_npz(const io::NpzReader& file, const Origin& origin) {
  const auto matrix = [&](const std::string& name) {
    io::NpzReader::Matrix read = file.read_matrix(name);
    return Matrix{.rows = read.rows, .columns = read.columns, .values = std::move(read.values)};
  };
  if (file.contains("probabilities")) {
    if (file.contains("weight_0")) origin.fail("weight_0", table_or_layers);
    expect_known_arrays(file, origin, 0);
    std::vector<std::int64_t> states;
    if (file.contains("state")) states = file.read_integers("state");
    return table_of(origin, std::move(states), matrix("probabilities"));
  }
  LayeredRule rule;
  for (std::int64_t i = 0; i <= most_layers && file.contains(fmt::format("weight_{}", i)); ++i) {
    const std::string bias = fmt::format("bias_{}", i);
    std::optional<Matrix> shift;
    if (file.contains(bias)) shift = matrix(bias);
    rule.layers.push_back(layer_of(origin, matrix(fmt::format("weight_{}", i)), shift, rule.layers.size()));
  }
  if (rule.layers.empty()) {
    origin.fail("weight_0", "is missing, and so is 'probabilities': one of them makes a policy",
                "Write weight_0, bias_0, weight_1, ... and activation with numpy.savez; docs/data.md shows how");
  }
  expect_known_arrays(file, origin, rule.layers.size());
  if (rule.layers.size() > 1) {
    const Activation between = activation_named(origin, file.read_word("activation"));
    for (std::size_t i = 0; i + 1 < rule.layers.size(); ++i) rule.layers[i].activation = between;
  }
  if (file.contains("mean")) rule.mean = singles(origin, "mean", matrix("mean").values);
  if (file.contains("scale")) rule.scale = singles(origin, "scale", matrix("scale").values);
  if (file.contains("output")) rule.output = output_named(origin, file.read_word("output"));
  const auto number = [&](const char* name, double otherwise) {
    if (!file.contains(name)) return otherwise;
    const Matrix one = matrix(name);
    if (one.values.size() != 1) origin.fail(name, "must be a single number");
    return one.values[0];
  };
  rule.temperature = number("temperature", 1.0);
  rule.epsilon = number("epsilon", 0.0);
  return checked(origin, std::move(rule));
}

// ---- CSV -----------------------------------------------------------------------------------------------------------

// The columns of actions in the order of the actions: that of the file, unless their names end in the numbers of the
// actions and stand in another order, such as that of texts: p_0, p_1, p_10, p_2.
std::vector<std::int64_t> columns_of_actions(const Origin& origin, const std::vector<std::string>& names) {
  std::vector<std::int64_t> columns, numbers;
  for (std::int64_t c = 0; c < static_cast<std::int64_t>(names.size()); ++c) {
    const std::string& name = names[c];
    if (name == "state") continue;
    if (name.empty()) {
      origin.fail("", fmt::format("has a column without a name, number {} from the left", c + 1),
                  "pandas writes its index so: write with index=False, or call the column of the ids state");
    }
    columns.push_back(c);
    constexpr std::size_t most_digits = 9;
    const std::size_t last = name.find_last_not_of("0123456789");
    const std::string digits = last == std::string::npos ? name : name.substr(last + 1);
    if (!digits.empty() && digits.size() <= most_digits) numbers.push_back(std::stoll(digits));
  }
  if (numbers.size() != columns.size() || std::is_sorted(numbers.begin(), numbers.end())) return columns;
  std::vector<std::int64_t> ordered(columns.size(), -1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (numbers[i] >= static_cast<std::int64_t>(ordered.size()) || ordered[numbers[i]] >= 0) {
      origin.fail(names[columns[i]].c_str(), "stands in an order of numbers that is none of actions from 0",
                  "Number the columns of the actions from 0, or write them in the order of the actions");
    }
    ordered[numbers[i]] = columns[i];
  }
  return ordered;
}

TargetPolicy policy_from_csv(const std::string& path) {
  const Origin origin{path};
  const io::NumericTable table = io::read_numeric_table(path);
  const std::int64_t state = std::find(table.names.begin(), table.names.end(), "state") - table.names.begin();
  const bool named = state < static_cast<std::int64_t>(table.names.size());
  std::vector<std::int64_t> states;
  std::vector<std::int64_t> actions = columns_of_actions(origin, table.names);
  if (table.names.empty()) {  // no header: nothing but numbers
    actions.resize(table.columns);
    std::iota(actions.begin(), actions.end(), std::int64_t{0});
  }
  Matrix rows{.rows = table.rows, .columns = static_cast<std::int64_t>(actions.size())};
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const double* const row = table.values.data() + i * table.columns;
    for (const std::int64_t column : actions) rows.values.push_back(row[column]);
    if (!named) continue;
    constexpr double largest = 9007199254740992.0;  // 2^53: beyond it a double does not tell integers apart
    const double x = row[state];
    if (x != std::floor(x) || std::abs(x) > largest) origin.fail("state", fmt::format("{} is not an integer id", x));
    states.push_back(static_cast<std::int64_t>(x));
  }
  return table_of(origin, std::move(states), std::move(rows));
}

bool ends_with(const std::string& path, std::string_view end) {
  return path.size() >= end.size() && std::string_view(path).substr(path.size() - end.size()) == end;
}

}  // namespace

TargetPolicy policy_from_json(std::string_view text, const std::string& source) {
  const Origin origin{source};
  std::vector<std::set<std::string>> keys;  // of the objects that are open: the last of two values would win
  const auto look = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      origin.fail(parsed.get<std::string>().c_str(), "is there twice", "Leave one of them out");
    return true;
  };
  try {
    return JsonPolicy(Json::parse(text, look), origin).read();
  } catch (const Json::exception& error) {
    origin.fail("", fmt::format("must be the JSON of a policy ({})", error.what()),
                "docs/data.md shows the form of such a file");
  }
}

TargetPolicy read_policy(const std::string& path) {
  if (ends_with(path, ".json")) return policy_from_json(io::read_text(path), path);
  if (ends_with(path, ".npz")) return policy_from_npz(io::NpzReader(path), {path});
  if (ends_with(path, ".csv")) return policy_from_csv(path);
  throw FileError(fmt::format(
      "{}: a policy is a file .csv (probabilities by state), .json or .npz (the same, or the weights of layers)",
      path));
}

}  // namespace starope
