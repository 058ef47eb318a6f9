// A fold needs a statistic that merges; the concept says so instead of a page of template errors.
//
// GNU says: no matching function for call to 'fold
// Clang says: no matching function for call to 'fold

#include "starope/fold/fold.hpp"

struct CountEpisodes {
  struct Statistic {
    int episodes = 0;
#ifndef WRONG
    Statistic& operator+=(const Statistic& other) {
      episodes += other.episodes;
      return *this;
    }
#endif
  };
  Statistic identity() const {
    return {};
  }
  void add(Statistic& total, const starope::LoggedEpisode&) const {
    ++total.episodes;
  }
};

int count(const starope::Problem& problem) {
  return starope::fold(CountEpisodes{}, problem).episodes;
}
