#include "starope/evaluate/shard_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/record_bytes.hpp"
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

void add(AutoCounted& to, const AutoCounted& other) {
  add(to.counts, other.counts);
  to.weights += other.weights;
  to.logs += other.logs;
}

// Whether two sums of the same kind were counted with the same cells, or with the same model.
template <class Sums>
bool same_recipe(const Sums& /*a*/, const Sums& /*b*/) {
  return true;
}
bool same_recipe(const StarSums& a, const StarSums& b) {
  return a.process.front().recipe == b.process.front().recipe && a.asked == b.asked;
}
bool same_recipe(const AutoCounted& a, const AutoCounted& b) {
  return a.model->fingerprint() == b.model->fingerprint();
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

void write_star(ByteWriter& to, const StarSums& star) {
  write_bytes(to, star.phi.to_bytes());
  starope::write(to, star.asked);
  write_groups(to, star.process);
  star.weights.write(to);
  star.logs.write(to);
}

void write_auto(ByteWriter& to, const AutoCounted& counted) {
  write_bytes(to, counted.model->to_bytes());
  write(to, counted.details);
  write(to, counted.families);
  write(to, counted.findings);
  write_groups(to, counted.counts);
  counted.weights.write(to);
  counted.logs.write(to);
}

AutoCounted read_auto(ByteReader& from) {
  const std::string bytes = from.text();
  AutoCounted counted;
  counted.model = std::make_shared<const AutoModel>(AutoModel::from_bytes(std::as_bytes(std::span(bytes))));
  counted.details = read_details(from);
  counted.families = read_families(from);
  counted.findings = read_findings(from);
  const AutoCounts none = no_counts(*counted.model);
  for (std::size_t g = 0; g < shard_groups; ++g) {
    const AutoCounts& group = counted.counts.emplace_back(AutoCounts::read(from));
    const auto steps = [](const AnchorSums& sums) { return sums.inside.size(); };
    if (group.sums.recipe != none.sums.recipe) from.fail("the sums of auto are not those of its model");
    if (group.scores.size() != none.scores.size() || steps(group.sums.anchor) != steps(none.sums.anchor) ||
        steps(group.sums.lags) != steps(none.sums.lags))
      from.fail("the sums of auto do not fit its model");
  }
  counted.weights = WeightSums::read(from);
  counted.logs = SeenLogs::read(from);
  return counted;
}

}  // namespace

Survey survey_of(const StarSums& star, const SeenLogs& logs) {
  Survey survey = logs.survey;
  if (star.options.time == TimeModel::indexed && star.asked.horizon) survey.longest = star.asked.horizon->steps();
  return survey;
}

bool operator==(const AutoCounted& a, const AutoCounted& b) {
  ByteWriter left, right;
  write_auto(left, a);
  write_auto(right, b);
  return left.bytes() == right.bytes();
}

std::string ShardSums::recipe() const {
  std::string text = text_of(question);
  if (!target.empty()) text += ", target policy " + target;
  for (const CountedEstimator& each : estimators) {
    text += "; " + each.text;
    if (const auto* star = std::get_if<StarSums>(&each.sums))
      text += fmt::format(" with the {} cells {}", star->phi.cells(), hex(star->phi.fingerprint()));
    if (const auto* counted = std::get_if<AutoCounted>(&each.sums)) {
      text += fmt::format(" with the model {} of {}", hex(counted->model->fingerprint()),
                          starope::counted(counted->model->fitted().episodes, "episode"));
    }
  }
  return text;
}

std::vector<Finding> ShardSums::between_parts() const {
  return parts.size() > 1 ? twin_findings(twins.copies()) : std::vector<Finding>{};
}

void ShardSums::add_sums(const ShardSums& other) {
  logs += other.logs;
  weights += other.weights;
  squares += other.squares;
  add(logged, other.logged);
  add_counts(noted, other.noted);
  add_worst(checked, other.checked);
  twins += other.twins;
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
    if (!same) break;
    same = std::visit(
        [&](const auto& sums) { return same_recipe(sums, std::get<std::decay_t<decltype(sums)>>(theirs.sums)); },
        mine.sums);
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
  write_groups(to, logged);
  starope::write(to, noted);
  starope::write(to, checked);
  to.number(static_cast<std::int64_t>(parts.size()));
  for (const Fingerprint& part : parts) to.fingerprint(part);
  to.number(static_cast<std::int64_t>(estimators.size()));
  for (const CountedEstimator& each : estimators) {
    to.text(each.text);
    to.number(static_cast<std::int64_t>(each.sums.index()));
    std::visit(
        [&](const auto& sums) {
          using Sums = std::decay_t<decltype(sums)>;
          if constexpr (std::is_same_v<Sums, StarSums>) {
            write_star(to, sums);
          } else if constexpr (std::is_same_v<Sums, AutoCounted>) {
            write_auto(to, sums);
          } else {
            write_groups(to, sums);
          }
        },
        each.sums);
  }
  twins.write(to);
}

ShardSums ShardSums::from_bytes(std::span<const std::byte> bytes) {
  const Unsealed content = unseal(kind, version, bytes);
  ByteReader from(content.content, std::string(kind));
  if (content.version < 2) from.fail("an earlier version of starope counted them. Count the logs again");
  ShardSums sums = read(from, content.version);
  from.finish();
  return sums;
}

ShardSums ShardSums::read(ByteReader& from, std::uint32_t written) {
  constexpr std::int64_t most_estimators = 10'000, most_parts = 100'000'000;
  ShardSums sums;
  sums.question = read_question(from);
  sums.target = from.text();
  sums.logs = SeenLogs::read(from);
  sums.weights = ScaledSum::read(from);
  sums.squares = ScaledSum::read(from);
  sums.logged = read_groups<ScoreSums>(from);
  sums.noted = read_findings(from);
  sums.checked = read_findings(from);
  const std::int64_t parts = from.number_within(1, most_parts);
  for (std::int64_t i = 0; i < parts; ++i) sums.parts.push_back(from.fingerprint());
  const std::int64_t count = from.number_within(1, most_estimators);
  for (std::int64_t i = 0; i < count; ++i) {
    CountedEstimator& each = sums.estimators.emplace_back();
    each.text = from.text();
    switch (from.number_within(0, 4)) {
      case 0:
        each.sums = read_groups<ScoreSums>(from);
        break;
      case 1:
        each.sums = read_groups<WisSums>(from);
        break;
      case 2:
        each.sums = read_groups<WpdisSums>(from);
        break;
      case 3:
        each.sums = read_star(from);
        break;
      default:
        each.sums = read_auto(from);
        break;
    }
  }
  if (written > 2) sums.twins = TwinSample::read(from);
  return sums;
}

}  // namespace starope
