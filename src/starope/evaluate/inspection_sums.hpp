#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starope/base/bytes.hpp"
#include "starope/data.hpp"
#include "starope/evaluate/range_sums.hpp"
#include "starope/evaluate/weights.hpp"
#include "starope/inspect.hpp"
#include "starope/problem.hpp"
#include "starope/stats/moments.hpp"

namespace starope {

// What a first pass over logs, or over a part of them, sees. Takes blocks in their order, so that the numbers do not
// depend on them; parts add up to all logs but for rounding.
class InspectionSums {
 public:
  static constexpr std::string_view kind = "inspection";
  static constexpr std::uint32_t version = 1;

  explicit InspectionSums(const InspectOptions& options = {});

  void add(const Dataset& block);
  InspectionSums& operator+=(const InspectionSums& other);  // InvalidArgument for logs of another kind

  bool weighted() const noexcept { return weighted_; }  // there are ratios
  std::int64_t episodes() const noexcept { return result_.episodes; }
  Problem asked(const Dataset& block) const;
  WeightsAtSteps no_weights() const;  // to which the second pass adds
  Inspection finish() const;          // without the weights of the second pass

  Bytes to_bytes() const { return sealed(*this); }
  static InspectionSums from_bytes(std::span<const std::byte> bytes) { return unsealed<InspectionSums>(bytes); }
  void write(ByteWriter& to) const;
  static InspectionSums read(ByteReader& from);

 private:
  void add_lengths(const Dataset& block);
  void add_states(const Dataset& block);
  void begin_features(std::int64_t dimension, const std::vector<std::string>& names);
  void add_actions(const Dataset& block);
  void add_rewards(const Dataset& block);
  void add_possible(const Dataset& block);
  void add_ratios(const Dataset& block);

  void finish_states(Inspection& result) const;
  void finish_actions(Inspection& result) const;
  void finish_weights(Inspection& result) const;
  void finish_possible(Inspection& result) const;

  struct InverseSums {
    double sum = 0.0, squares = 0.0;
    InverseSums& operator+=(const InverseSums& other) noexcept;
    void write(ByteWriter& to) const;
    static InverseSums read(ByteReader& from);
  };
  // Calls work(of mine, of the other) for everything that is added up.
  template <class Mine, class Other, class Work>
  static void with_all(Mine& mine, Other& other, const Work& work);

  Discount discount_;
  bool ends_logged_;
  Inspection result_{};  // what is known without finishing
  // How many episodes have each length: the median needs all of them, and there are few lengths.
  std::map<std::int64_t, std::int64_t> lengths_{};
  std::map<std::int64_t, std::int64_t> visits_{};  // of discrete states, by id
  std::vector<RangeSums> features_{};
  std::vector<std::string> feature_names_{};
  std::vector<std::int64_t> action_counts_{};
  std::vector<double> behavior_sums_{}, target_sums_{};
  double unsupported_ = 0.0;
  bool comparable_ = false;  // both distributions are there
  RangeSums rewards_{}, returns_{}, behavior_{}, target_{}, ratios_{};
  Moments return_spread_{};
  std::int64_t zero_rewards_ = 0, zero_ratios_ = 0;
  bool weighted_ = false;
  RatioMean mean_ratio_{};
  WeightScales scales_{};
  EssByStep ess_{};
  std::vector<ClippedSizes> clipped_{};
  std::vector<InverseSums> possible_{};  // by action
};

// The passes over logs that come in parts: look at every part, add; weigh every part, add; finish. What is wrong with
// the logs is looked for in `checked`: all of them, or a sample.
InspectionSums look_at(const Source& part, const InspectOptions& options);
WeightsAtSteps weigh(const Source& part, const InspectionSums& total);
Inspection finish(const InspectionSums& total, const WeightsAtSteps& weights, const Source& checked, Threads threads);

}  // namespace starope
