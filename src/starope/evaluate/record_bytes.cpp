#include "starope/evaluate/record_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "starope/base/finding_catalog.hpp"

namespace starope {
namespace {

constexpr std::int64_t most = 100'000;  // of anything in a list: it is read one by one, so bytes must be there

template <class Item, class Read>
std::vector<Item> read_list(ByteReader& from, const Read& read) {
  const std::int64_t count = from.number_within(0, most);
  std::vector<Item> items;
  for (std::int64_t i = 0; i < count; ++i) items.push_back(read());
  return items;
}

Finding read_finding(ByteReader& from) {
  Finding finding;
  finding.severity = static_cast<Severity>(from.number_within(0, static_cast<std::int64_t>(Severity::critical)));
  finding.code = from.text();
  finding.parameters = read_list<FindingParameter>(from, [&] {
    FindingParameter parameter{.name = from.text()};
    switch (from.number_within(0, 2)) {
      case 0:
        parameter.value = from.number();
        break;
      case 1:
        parameter.value = from.real();
        break;
      default:
        parameter.value = from.text();
        break;
    }
    return parameter;
  });
  // Its sentence must be there when it is shown.
  if (!can_be_said(finding)) from.fail("a finding that this version does not know: " + finding.code);
  return finding;
}

Detail read_detail(ByteReader& from) {
  Detail detail{.name = from.text()};
  switch (from.number_within(0, 3)) {
    case 0:
      detail.value = from.real();
      break;
    case 1:
      detail.value = from.flag();
      break;
    case 2:
      detail.value = from.text();
      break;
    default:
      detail.value = from.reals();
      break;
  }
  detail.meaning = from.text();
  return detail;
}

}  // namespace

void write(ByteWriter& to, const std::vector<Finding>& findings) {
  to.number(static_cast<std::int64_t>(findings.size()));
  for (const Finding& finding : findings) {
    to.number(static_cast<std::int64_t>(finding.severity));
    to.text(finding.code);
    to.number(static_cast<std::int64_t>(finding.parameters.size()));
    for (const FindingParameter& parameter : finding.parameters) {
      to.text(parameter.name);
      to.number(static_cast<std::int64_t>(parameter.value.index()));
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
              to.text(value);
            } else {
              to.number(value);
            }
          },
          parameter.value);
    }
  }
}

std::vector<Finding> read_findings(ByteReader& from) {
  return read_list<Finding>(from, [&] { return read_finding(from); });
}

void write(ByteWriter& to, const std::vector<Detail>& details) {
  to.number(static_cast<std::int64_t>(details.size()));
  for (const Detail& detail : details) {
    to.text(detail.name);
    to.number(static_cast<std::int64_t>(detail.value.index()));
    if (const auto* number = std::get_if<double>(&detail.value)) to.number(*number);
    if (const auto* flag = std::get_if<bool>(&detail.value)) to.flag(*flag);
    if (const auto* text = std::get_if<std::string>(&detail.value)) to.text(*text);
    if (const auto* series = std::get_if<std::vector<double>>(&detail.value)) to.numbers(*series);
    to.text(detail.meaning);
  }
}

std::vector<Detail> read_details(ByteReader& from) {
  return read_list<Detail>(from, [&] { return read_detail(from); });
}

void write(ByteWriter& to, const std::vector<FamilyAnswer>& families) {
  to.number(static_cast<std::int64_t>(families.size()));
  for (const FamilyAnswer& family : families) {
    to.text(family.family);
    for (const double x : {family.value, family.error, family.weight}) to.number(x);
    to.text(family.reason);
  }
}

std::vector<FamilyAnswer> read_families(ByteReader& from) {
  return read_list<FamilyAnswer>(from, [&] {
    FamilyAnswer family{.family = from.text()};
    for (double* x : {&family.value, &family.error, &family.weight}) *x = from.finite();
    family.reason = from.text();
    return family;
  });
}

void add_counts(std::vector<Finding>& all, const std::vector<Finding>& more) {
  for (const Finding& finding : more) {
    const auto same = [&](const Finding& known) { return known.code == finding.code; };
    const auto known = std::find_if(all.begin(), all.end(), same);
    if (known == all.end()) {
      all.push_back(finding);
      continue;
    }
    known->severity = std::max(known->severity, finding.severity);
    for (std::size_t i = 0; i < std::min(known->parameters.size(), finding.parameters.size()); ++i) {
      auto* const count = std::get_if<std::int64_t>(&known->parameters[i].value);
      const auto* const others = std::get_if<std::int64_t>(&finding.parameters[i].value);
      if (count != nullptr && others != nullptr) *count += *others;
    }
  }
}

void add_worst(std::vector<Finding>& all, const std::vector<Finding>& more) {
  for (const Finding& finding : more) {
    const auto same = [&](const Finding& known) { return known.code == finding.code; };
    const auto known = std::find_if(all.begin(), all.end(), same);
    if (known == all.end()) {
      all.push_back(finding);
    } else if (finding.severity > known->severity) {
      *known = finding;
    }
  }
}

}  // namespace starope
