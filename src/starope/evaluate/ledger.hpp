#pragma once

#include <cstddef>
#include <vector>

namespace starope {

// Who pays for shared work. Every piece of work is an item that is measured
// where it is done; its users share it equally, and so on down to the last one.
class Ledger {
 public:
  using Item = std::size_t;

  Item open();  // a piece of work that took no time yet
  void uses(Item user, Item used);
  double seconds(Item item) const;  // its own, and its share of all that it uses

  // Charges the processor time of this thread to an item, until the end of the
  // scope; without what is charged to other items meanwhile.
  class Timer {
   public:
    Timer(Ledger& ledger, Item item);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    Ledger& ledger_;
    Item item_;
    double start_;
    double outer_;  // charged to others so far, in the scope around this one
  };

 private:
  struct Entry {
    double seconds = 0.0;
    double users = 0.0;
    std::vector<Item> used{};
  };
  std::vector<Entry> entries_{};
  double charged_within_ = 0.0;  // to items of inner scopes, in the innermost scope that is open
};

}  // namespace starope
