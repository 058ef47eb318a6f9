#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "starope/auto/action_basis.hpp"
#include "starope/auto/anchor.hpp"
#include "starope/auto/bag_features.hpp"
#include "starope/auto/cross_scores.hpp"
#include "starope/auto/evidence.hpp"
#include "starope/auto/feature_views.hpp"
#include "starope/auto/wave_basis.hpp"
#include "starope/base/bytes.hpp"
#include "starope/fold/sum_recipe.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Cells that label any logs, and what their models say.
struct CellModel {
  Views views{};
  std::vector<std::int64_t> ladder{};
  std::vector<MemberRule> rules{};  // of the members, in the order of a bag
  StepTables tables{};
  double shift = 0.0;       // of every score: pairs of members with themselves are left out
  std::int64_t window = 1;  // ratios

  void write(ByteWriter& to) const;
  static CellModel read(ByteReader& from);
  friend bool operator==(const CellModel&, const CellModel&) = default;
};

// All that the families of `auto` need to score episodes that the fit has not seen.
struct FamilyModels {
  ProblemOptions question{};  // as the models see it
  FeatureMap states{};
  FeatureView wave_view{};
  std::vector<WaveBasis> waves{};      // one per draw
  std::vector<ActionBasis> actions{};  // one per draw; empty: not all probabilities are known
  CellModel cells{};                   // the tables have the values of waves and actions as well
  std::optional<CellModel> traces{}, lags{}, other{};
  friend bool operator==(const FamilyModels&, const FamilyModels&) = default;
};

// What the first pass over the logs finds for those families whose weights are normalized over all episodes: the
// anchor, and the first steps of lags.
struct AutoSums {
  static constexpr std::string_view kind = "auto statistic";
  static constexpr std::uint32_t version = 1;

  SumRecipe recipe{};
  AnchorSums anchor{}, lags{};  // without steps: not needed

  AutoSums& operator+=(const AutoSums& other);  // InvalidArgument if the recipes differ
  friend bool operator==(const AutoSums&, const AutoSums&) = default;

  Bytes to_bytes() const { return sealed(*this); }
  static AutoSums from_bytes(std::span<const std::byte> bytes) { return unsealed<AutoSums>(bytes); }
  void write(ByteWriter& to) const;
  static AutoSums read(ByteReader& from);
};

// The scores of some episodes.
struct AutoScores {
  std::vector<double> mixed{};                  // one per episode: the answer is their mean
  std::vector<std::vector<double>> families{};  // [family][episode], in the order of AutoModel::parts()
};

// `auto`, fitted: families with their weights, and what is known of the errors of their mixture. A value that scores
// the episodes of any logs with such states and actions, can be written down, and knows itself again. Families without
// a weight are left out.
class AutoModel {
 public:
  static constexpr std::string_view kind = "auto model";
  static constexpr std::uint32_t version = 2;

  struct Part {
    FamilyKind family = FamilyKind::cells;
    double weight = 0.0;
    friend bool operator==(const Part&, const Part&) = default;
  };
  struct Fitted {  // to so much
    std::int64_t episodes = 0, steps = 0;
    friend bool operator==(const Fitted&, const Fitted&) = default;
  };

  AutoModel(FamilyModels models, const WeighedAnswer& answer, Fitted fitted);

  const ProblemOptions& question() const noexcept { return models_.question; }
  const std::vector<Part>& parts() const noexcept { return parts_; }
  const AnswerErrors& errors() const noexcept { return errors_; }  // on the episodes of the fit
  const Fitted& fitted() const noexcept { return fitted_; }

  const FamilyModels& models() const noexcept { return models_; }
  double weight_of(FamilyKind family) const;  // 0: takes no part
  // InvalidArgument unless the block is asked the question of the model, and knows what its families need.
  void check(const Problem& block) const;

  // Two passes, the first of which is only needed where needs_sums(). Blocks are asked the question of the model, or
  // refused: InvalidArgument. (With identity and add_block the model is a recipe for a fold over any source.)
  using Statistic = AutoSums;
  bool needs_sums() const;
  AutoSums identity() const;
  void add_block(AutoSums& total, const Problem& block) const;
  AutoScores score(const Problem& block, const AutoSums& sums) const;

  Fingerprint fingerprint() const noexcept { return fingerprint_; }
  Bytes to_bytes() const { return sealed(*this); }
  static AutoModel from_bytes(std::span<const std::byte> bytes) { return unsealed<AutoModel>(bytes); }
  void write(ByteWriter& to) const;
  static AutoModel read(ByteReader& from);

  friend bool operator==(const AutoModel&, const AutoModel&) = default;

 private:
  AutoModel() = default;
  void take_fingerprint();

  FamilyModels models_{};
  std::vector<Part> parts_{};
  AnswerErrors errors_{};
  Fitted fitted_{};
  Fingerprint fingerprint_{};  // of all of the above
};

}  // namespace starope
