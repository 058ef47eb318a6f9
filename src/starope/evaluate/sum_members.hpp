#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

#include "starope/base/bytes.hpp"
#include "starope/evaluate/weights.hpp"
#include "starope/inspect.hpp"

namespace starope {

// What happens to every member of sums that have many when they are added, written and read: work(mine, other), so that
// one list of the members serves all three. Who writes and reads has no other.

using MemberCounts = std::map<std::int64_t, std::int64_t>;  // how often each number was seen

struct AddMember {
  template <class Value>
  void operator()(Value& to, const Value& other) const {
    to += other;
  }
  template <class Value>
  void operator()(std::vector<Value>& to, const std::vector<Value>& other) const {
    if constexpr (std::is_default_constructible_v<Value>)
      if (to.size() < other.size()) to.resize(other.size());
    for (std::size_t i = 0; i < other.size(); ++i) to[i] += other[i];
  }
  void operator()(MemberCounts& to, const MemberCounts& other) const {
    for (const auto& [key, count] : other) to[key] += count;
  }
  void operator()(std::optional<Inspection::Span>& to, const std::optional<Inspection::Span>& other) const {
    if (!other) return;
    if (!to) to = other;
    to = {.min = std::min(to->min, other->min), .max = std::max(to->max, other->max)};
  }
};

struct WriteMember {
  ByteWriter& to;

  template <class Value>
  void operator()(const Value& value, const Value& /*same*/) const {
    if constexpr (requires { to.number(value); }) {
      to.number(value);
    } else {
      value.write(to);
    }
  }
  template <class Value>
  void operator()(const std::vector<Value>& values, const std::vector<Value>& /*same*/) const {
    to.number(static_cast<std::int64_t>(values.size()));
    for (const Value& each : values) (*this)(each, each);
  }
  void operator()(const MemberCounts& counts, const MemberCounts& /*same*/) const {
    to.number(static_cast<std::int64_t>(counts.size()));
    for (const auto& [key, count] : counts) {
      to.number(key);
      to.number(count);
    }
  }
  void operator()(const std::optional<Inspection::Span>& span, const std::optional<Inspection::Span>& /*same*/) const {
    to.flag(span.has_value());
    to.number(span ? span->min : 0);
    to.number(span ? span->max : 0);
  }
};

struct ReadMember {
  static constexpr std::int64_t most = std::int64_t{1} << 53;
  ByteReader& from;

  void operator()(std::int64_t& value, const std::int64_t& /*same*/) const { value = from.number_within(0, most); }
  void operator()(double& value, const double& /*same*/) const { value = from.real(); }
  template <class Value>
  void operator()(Value& value, const Value& /*same*/) const {
    value = Value::read(from);
  }
  void operator()(EssByStep& value, const EssByStep& /*same*/) const { value.read_sums(from); }
  void operator()(ClippedSizes& value, const ClippedSizes& /*same*/) const { value.read_sums(from); }
  // As many as there are by themselves.
  void operator()(std::vector<ClippedSizes>& values, const std::vector<ClippedSizes>& /*same*/) const {
    if (from.number() != static_cast<std::int64_t>(values.size())) from.fail("there are other clips");
    for (ClippedSizes& each : values) each.read_sums(from);
  }
  template <class Value>
  void operator()(std::vector<Value>& values, const std::vector<Value>& /*same*/) const {
    const std::int64_t count = from.number_within(0, most);
    for (std::int64_t i = 0; i < count; ++i) (*this)(values.emplace_back(), {});
  }
  void operator()(MemberCounts& counts, const MemberCounts& /*same*/) const {
    const std::int64_t count = from.number_within(0, most);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t key = from.number();
      counts[key] = from.number_within(0, most);
    }
  }
  void operator()(std::optional<Inspection::Span>& span, const std::optional<Inspection::Span>& /*same*/) const {
    const bool any = from.flag();
    const std::int64_t least = from.number_within(0, most), largest = from.number_within(0, most);
    if (any) span = {.min = least, .max = largest};
  }
};

}  // namespace starope
