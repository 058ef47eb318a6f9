#include "starope/io/arrow_loans.hpp"

#include <algorithm>
#include <utility>

namespace starope::io {
namespace {

template <class Number>
std::optional<RealColumn> borrowed(const ArrowArray& values, std::int64_t first, std::int64_t count,
                                   std::shared_ptr<const void> owner) {
  const auto* const data = static_cast<const Number*>(values.buffers[1]);
  if (data == nullptr || reinterpret_cast<std::uintptr_t>(data) % alignof(Number) != 0) return std::nullopt;
  return Column<Number>::borrow(data + first, count, std::move(owner));
}

}  // namespace

std::optional<RealColumn> ArrowLoans::lend(const ArrowArray& batch, std::size_t child, const ArrowType& type,
                                           const ArrowArray& values, std::int64_t first, std::int64_t count) {
  if (type.kind != ArrowType::Kind::real || (type.bytes != 8 && type.bytes != 4)) return std::nullopt;
  if (batch.children[child]->release == nullptr) return std::nullopt;  // it goes when the batch goes
  const auto same = [&](const Loan& loan) { return loan.child == child; };
  auto loan = std::find_if(loans_.begin(), loans_.end(), same);
  const auto owner = loan != loans_.end() ? loan->owner : std::make_shared<ArrowOwned<ArrowArray>>();
  auto lent =
      type.bytes == 8 ? borrowed<double>(values, first, count, owner) : borrowed<float>(values, first, count, owner);
  if (lent && loan == loans_.end()) loans_.push_back({child, owner});
  return lent;
}

void ArrowLoans::take_from(ArrowArray& batch) {
  for (const Loan& loan : std::exchange(loans_, {})) *loan.owner = ArrowOwned<ArrowArray>(batch.children[loan.child]);
}

}  // namespace starope::io
