#include "starope/evaluate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "starope/layout/layout.hpp"

namespace starope {
namespace {

struct Shown {
  std::string operator()(double x) const { return fmt::format("{:.4g}", x); }
  std::string operator()(bool x) const { return x ? "yes" : "no"; }
  std::string operator()(const std::string& x) const { return x; }
  std::string operator()(const std::vector<double>& x) const { return fmt::format("{:.4g}", fmt::join(x, " ")); }
};

// "meaning: value", with the name for programs behind it.
std::string line_of(const Detail& detail, std::size_t width) {
  const std::string shown = std::visit(Shown{}, detail.value);
  return wrap_indented(fmt::format("{}: {} [{}]", detail.meaning, shown, detail.name), width, "  ", "      ");
}

// A table of the families, the reason at the end of each line.
std::string families_text(const std::vector<FamilyAnswer>& families, std::size_t width) {
  std::size_t longest = 0;
  for (const FamilyAnswer& family : families) longest = std::max(longest, family.family.size());
  std::string text =
      fmt::format("  {:<{}}  {:>10}  {:>10}  {:>6}  decided by\n", "family", longest, "value", "error", "weight");
  for (const FamilyAnswer& family : families) {
    const std::string numbers = fmt::format("  {:<{}}  {:>10.5g}  {:>10.3g}  {:>6.3f}  ", family.family, longest,
                                            family.value, family.error, family.weight);
    text += wrap_indented(family.reason, width, numbers, std::string(numbers.size(), ' '));
  }
  return text;
}

}  // namespace

std::string explanation(const Evaluation& evaluation, const TextStyle& style) {
  std::string text;
  for (const Answer& answer : evaluation.estimates) {
    const auto* estimate = std::get_if<Estimate>(&answer.result);
    if (estimate == nullptr || estimate->details.empty()) continue;
    text += fmt::format("\nHow {} came to {:.6g}\n", answer.estimator, estimate->value);
    if (!estimate->families.empty()) text += families_text(estimate->families, style.width);
    for (const Detail& detail : estimate->details) text += line_of(detail, style.width);
  }
  return text;
}

}  // namespace starope
