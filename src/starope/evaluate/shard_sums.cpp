#include "starope/evaluate/shard_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "starope/error.hpp"
#include "starope/fold/sum_recipe.hpp"

namespace starope {
namespace {

template <class Sums>
void add(Grouped<Sums>& to, const Grouped<Sums>& other) {
  for (std::size_t g = 0; g < to.size(); ++g) to[g] += other[g];
}

void add(StarSums& to, const StarSums& other) {
  add(to.process, other.process);
  to.weights += other.weights;
  to.logs += other.logs;
}

std::string hex(const Fingerprint& fingerprint) {
  return fmt::format("{:016x}", fingerprint.high);
}

template <class Sums>
void write_groups(ByteWriter& to, const Grouped<Sums>& groups) {
  for (const Sums& each : groups) each.write(to);
}

template <class Sums>
Grouped<Sums> read_groups(ByteReader& from) {
  Grouped<Sums> groups;
  for (std::size_t g = 0; g < shard_groups; ++g) {
    groups.push_back(Sums::read(from));
    if (groups.back().recipe != groups.front().recipe) from.fail("groups were counted with different recipes");
  }
  return groups;
}

void write_bytes(ByteWriter& to, const Bytes& bytes) {
  to.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

StarSums read_star(ByteReader& from) {
  const std::string phi = from.text();
  StarSums star{.phi = Phi::from_bytes(std::as_bytes(std::span(phi)))};
  star.asked = read_question(from);
  star.process = read_groups<ArpStatistic>(from);
  const ArpRecipe& recipe = star.process.front().recipe;
  star.options = recipe.options;
  if (recipe.phi != star.phi.fingerprint()) from.fail("the cells are not those of the sums");
  if (recipe.question != star.asked) from.fail("the sums answer another question");
  star.weights = WeightSums::read(from);
  star.logs = SeenLogs::read(from);
  return star;
}

}  // namespace

std::string ShardSums::recipe() const {
  std::string text = text_of(question);
  if (!target.empty()) text += ", target policy " + target;
  for (const CountedEstimator& each : estimators) {
    text += "; " + each.text;
    if (const auto* star = std::get_if<StarSums>(&each.sums))
      text += fmt::format(" with the {} cells {}", star->phi.cells(), hex(star->phi.fingerprint()));
  }
  return text;
}

void ShardSums::add_sums(const ShardSums& other) {
  logs += other.logs;
  weights += other.weights;
  squares += other.squares;
  for (std::size_t i = 0; i < estimators.size(); ++i) {
    std::visit([&](auto& mine) { add(mine, std::get<std::decay_t<decltype(mine)>>(other.estimators[i].sums)); },
               estimators[i].sums);
  }
}

ShardSums& ShardSums::operator+=(const ShardSums& other) {
  bool same = question == other.question && target == other.target && estimators.size() == other.estimators.size();
  for (std::size_t i = 0; same && i < estimators.size(); ++i) {
    const CountedEstimator &mine = estimators[i], &theirs = other.estimators[i];
    same = mine.text == theirs.text && mine.sums.index() == theirs.sums.index();
    const auto* star = std::get_if<StarSums>(&mine.sums);
    if (same && star != nullptr) {
      const auto& its = std::get<StarSums>(theirs.sums);
      same = star->process.front().recipe == its.process.front().recipe && star->asked == its.asked;
    }
  }
  if (!same) refuse_to_merge(recipe(), other.recipe());
  for (const Fingerprint& part : other.parts) {
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) continue;
    throw InvalidArgument(fmt::format(
        "the part {} was added already: the same episodes would count twice. Merge every part once", hex(part)));
  }
  add_sums(other);
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  return *this;
}

void ShardSums::write(ByteWriter& to) const {
  starope::write(to, question);
  to.text(target);
  logs.write(to);
  weights.write(to);
  squares.write(to);
  to.number(static_cast<std::int64_t>(parts.size()));
  for (const Fingerprint& part : parts) to.fingerprint(part);
  to.number(static_cast<std::int64_t>(estimators.size()));
  for (const CountedEstimator& each : estimators) {
    to.text(each.text);
    to.number(static_cast<std::int64_t>(each.sums.index()));
    if (const auto* star = std::get_if<StarSums>(&each.sums)) {
      write_bytes(to, star->phi.to_bytes());
      starope::write(to, star->asked);
      write_groups(to, star->process);
      star->weights.write(to);
      star->logs.write(to);
    } else {
      std::visit(
          [&](const auto& groups) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(groups)>, StarSums>) write_groups(to, groups);
          },
          each.sums);
    }
  }
}

ShardSums ShardSums::read(ByteReader& from) {
  constexpr std::int64_t most_estimators = 10'000, most_parts = 100'000'000;
  ShardSums sums;
  sums.question = read_question(from);
  sums.target = from.text();
  sums.logs = SeenLogs::read(from);
  sums.weights = ScaledSum::read(from);
  sums.squares = ScaledSum::read(from);
  const std::int64_t parts = from.number_within(1, most_parts);
  for (std::int64_t i = 0; i < parts; ++i) sums.parts.push_back(from.fingerprint());
  const std::int64_t count = from.number_within(1, most_estimators);
  for (std::int64_t i = 0; i < count; ++i) {
    CountedEstimator& each = sums.estimators.emplace_back();
    each.text = from.text();
    switch (from.number_within(0, 3)) {
      case 0:
        each.sums = read_groups<ScoreSums>(from);
        break;
      case 1:
        each.sums = read_groups<WisSums>(from);
        break;
      case 2:
        each.sums = read_groups<WpdisSums>(from);
        break;
      default:
        each.sums = read_star(from);
        break;
    }
  }
  return sums;
}

}  // namespace starope
