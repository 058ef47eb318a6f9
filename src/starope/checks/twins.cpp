#include "starope/checks/twins.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "starope/base/bits.hpp"
#include "starope/checks/probability_checks.hpp"

namespace starope {
namespace {

class Hash {
 public:
  void add(std::uint64_t word) noexcept {
    value_ = (value_ ^ word) * 0x9FB21C651E98DF25U;
    value_ ^= value_ >> 32;
    value_ = std::rotl(value_, 23) + 0x9E3779B97F4A7C15U;
  }
  void add(double x) noexcept { add(bits_as<std::uint64_t>(x == 0.0 ? 0.0 : x)); }  // -0 is 0
  std::uint64_t value() const noexcept {
    std::uint64_t x = value_ * 0xD6E8FEB86659FD93U;
    x ^= x >> 32;
    return x * 0xD6E8FEB86659FD93U;
  }

 private:
  std::uint64_t value_ = 0x51A7E0FE11C5D3B1U;
};

// The chance that a continuous action comes again to the last digit: small however coarsely it was rounded.
constexpr double log_chance_of_continuous = -3.0;

}  // namespace

Twins& Twins::operator+=(const Twins& other) {
  episodes.insert(episodes.end(), other.episodes.begin(), other.episodes.end());
  return *this;
}

namespace {

template <class AddState>
Twins::Content content_of(const Dataset& data, std::int64_t episode, const AddState& add_state) {
  const auto* discrete = std::get_if<DiscreteActions>(&data.actions());
  const auto* continuous = std::get_if<ContinuousActions>(&data.actions());
  const bool linear = data.behavior()->scale == LoggedProbabilities::Scale::linear;
  const double* const logged = data.behavior()->values.data();
  const double* const rewards = data.rewards().data();
  Hash hash, start;
  LogProduct chance;
  double log_chance = 0.0;
  add_state(start, data.first_step(episode));
  const std::int64_t end = data.first_step(episode + 1);
  for (std::int64_t i = data.first_step(episode); i < end; ++i) {
    add_state(hash, i);
    hash.add(rewards[i]);
    if (discrete != nullptr) {
      hash.add(static_cast<std::uint64_t>(discrete->id[i]));
      if (linear) {
        chance.multiply(std::min(1.0, logged[i]));
      } else {
        log_chance += std::min(0.0, logged[i]);
      }
    } else {
      for (std::int64_t k = 0; k < continuous->dimension; ++k)
        hash.add(continuous->values[i * continuous->dimension + k]);
      log_chance += log_chance_of_continuous;
    }
  }
  return {.hash = hash.value(), .start = start.value(), .log_chance = log_chance + chance.log()};
}

Twins::Content content_of(const Dataset& data, std::int64_t episode) {
  if (const auto* discrete = std::get_if<DiscreteStates>(&data.states())) {
    return content_of(data, episode, [&](Hash& hash, std::int64_t row) {
      hash.add(static_cast<std::uint64_t>(discrete->id_of(row)));
    });
  }
  if (const auto* bits = std::get_if<BinaryStates>(&data.states())) {
    return content_of(data, episode, [&](Hash& hash, std::int64_t row) {
      for (const std::uint64_t word : bits->row(row)) hash.add(word);
    });
  }
  if (const auto* dense = std::get_if<DenseStates>(&data.states())) {
    return dense->values.visit([&](const auto& values) {
      return content_of(data, episode, [&, d = dense->dimension](Hash& hash, std::int64_t row) {
        const auto* const at = values.data() + row * d;
        for (std::int64_t k = 0; k < d; ++k) hash.add(static_cast<double>(at[k]));
      });
    });
  }
  return content_of(data, episode, [](Hash&, std::int64_t) {});
}

}  // namespace

void add_content(Twins& to, const Dataset& data, std::int64_t episode) {
  const bool known_actions = !std::holds_alternative<std::monostate>(data.actions());
  if (data.behavior() && known_actions) to.episodes.push_back(content_of(data, episode));
}

namespace {

using Contents = std::vector<Twins::Content>;

// Pairs with the same key, in any order of the contents.
double equal_pairs(Contents& contents, std::uint64_t Twins::Content::*key) {
  std::sort(contents.begin(), contents.end(), [&](const auto& a, const auto& b) { return a.*key < b.*key; });
  double pairs = 0.0, run = 0.0;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    run = i > 0 && contents[i].*key == contents[i - 1].*key ? run + 1.0 : 0.0;
    pairs += run;
  }
  return pairs;
}

// How likely two episodes begin alike, at most. Of pairs that do by chance, those whose actions are not certain part
// again at least every second time; so twice the pairs that part bounds all of them, with a few for chance.
double chance_of_start(Contents& contents) {
  const auto n = static_cast<double>(contents.size());
  const double alike = equal_pairs(contents, &Twins::Content::start);
  const double twins = equal_pairs(contents, &Twins::Content::hash);  // leaves them sorted by content
  return std::min(1.0, 2.0 * (alike - twins + 5.0) / std::max(1.0, 0.5 * n * (n - 1.0)));
}

// Of `sorted`, which may be a sample of so many episodes: each of its contents is in it as often as in all of them.
Copies copies_among(Contents sorted, double episodes) {
  const double log_start = std::log(chance_of_start(sorted));
  // Only episodes that hardly come twice are counted: the rarer they are, the fewer copies it takes to be sure.
  Copies most;
  for (const double rare : {1e-6, 1e-3, 0.05}) {
    Copies seen;
    double by_chance = 0.0;  // pairs, at most
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i].log_chance > std::log(0.5)) continue;
      if (log_start + sorted[i].log_chance + std::log(episodes) > std::log(rare)) continue;
      ++seen.counted;
      by_chance += 0.5 * episodes * std::exp(log_start + sorted[i].log_chance);
      seen.copies += i > 0 && sorted[i].hash == sorted[i - 1].hash ? 1 : 0;
    }
    const auto found = static_cast<double>(seen.copies);
    if (seen.copies == 0 || found <= by_chance) continue;
    // Chernoff's bound of a Poisson number that reaches `found`.
    const double log_tail = found * (1.0 + std::log(std::max(by_chance, 1e-300) / found)) - by_chance;
    if (log_tail < std::log(1e-6) && seen.copies > most.copies) most = seen;
  }
  return most;
}

auto key_of(const Twins::Content& content) {
  return std::tuple(content.hash, content.start, content.log_chance);
}

}  // namespace

Copies copies_among(const Twins& twins) {
  return copies_among(twins.episodes, static_cast<double>(twins.episodes.size()));
}

TwinSample& TwinSample::operator+=(const Twins& more) {
  kept_.insert(kept_.end(), more.episodes.begin(), more.episodes.end());
  episodes_ += static_cast<std::int64_t>(more.episodes.size());
  shorten();
  return *this;
}

TwinSample& TwinSample::operator+=(const TwinSample& other) {
  kept_.insert(kept_.end(), other.kept_.begin(), other.kept_.end());
  episodes_ += other.episodes_;
  end_ = std::min(end_, other.end_);
  shorten();
  return *this;
}

void TwinSample::shorten() {
  std::sort(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) { return key_of(a) < key_of(b); });
  if (kept_.size() > most) end_ = std::min(end_, kept_[most].hash);
  kept_.erase(std::find_if(kept_.begin(), kept_.end(), [&](const auto& each) { return each.hash >= end_; }),
              kept_.end());
}

Copies TwinSample::copies() const {
  return copies_among(kept_, static_cast<double>(episodes_));
}

void TwinSample::write(ByteWriter& to) const {
  to.number(episodes_);
  to.number(end_);
  to.number(static_cast<std::int64_t>(kept_.size()));
  for (const Twins::Content& each : kept_) {
    to.number(each.hash);
    to.number(each.start);
    to.number(each.log_chance);
  }
}

TwinSample TwinSample::read(ByteReader& from) {
  TwinSample sample;
  sample.episodes_ = from.number_within(0, std::numeric_limits<std::int64_t>::max());
  sample.end_ = from.unsigned_number();
  const std::int64_t kept = from.number_within(0, std::min<std::int64_t>(most, sample.episodes_));
  for (std::int64_t i = 0; i < kept; ++i) {
    const std::uint64_t hash = from.unsigned_number(), start = from.unsigned_number();
    sample.kept_.push_back({.hash = hash, .start = start, .log_chance = from.real()});
    const Twins::Content& last = sample.kept_.back();
    if (!(last.log_chance <= 0.0) || last.hash >= sample.end_ || (i > 0 && hash < sample.kept_[i - 1].hash))
      from.fail("the sample of episodes contradicts itself");
  }
  return sample;
}

std::vector<Finding> twin_findings(const Copies& seen) {
  if (seen.copies == 0) return {};
  return {{seen.share() > 0.05 ? Severity::critical : Severity::warning,
           "copied_episodes",
           {{"copies", seen.copies}, {"counted", seen.counted}, {"shrink", seen.shrink()}}}};
}

}  // namespace starope
