#include "starope/evaluate/ledger.hpp"

#include <ctime>

namespace starope {
namespace {

// Of this thread: what others do on the machine does not count.
double now() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Ledger::Item Ledger::open() {
  entries_.emplace_back();
  return entries_.size() - 1;
}

void Ledger::uses(Item user, Item used) {
  entries_[user].used.push_back(used);
  entries_[used].users += 1.0;
}

double Ledger::seconds(Item item) const {
  double total = entries_[item].seconds;
  for (const Item used : entries_[item].used) total += seconds(used) / entries_[used].users;
  return total;
}

Ledger::Timer::Timer(Ledger& ledger, Item item)
    : ledger_(ledger), item_(item), start_(now()), outer_(ledger.charged_within_) {
  ledger_.charged_within_ = 0.0;
}

Ledger::Timer::~Timer() {
  const double elapsed = now() - start_;
  ledger_.entries_[item_].seconds += elapsed - ledger_.charged_within_;
  ledger_.charged_within_ = outer_ + elapsed;
}

}  // namespace starope
