#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/data.hpp"
#include "starope/io.hpp"
#include "starope/types.hpp"

namespace starope::io {

// Where every episode of some logs stands among all, by its name; without the names, which many episodes have.
class EpisodePlaces {
 public:
  void add(const Dataset& block);  // the next episodes
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(by_place_.size()); }

  // `before`: where the last one was that was asked for. Who asks in the order of the logs is answered at once.
  std::optional<std::int64_t> find(std::string_view name, std::int64_t before);

 private:
  std::vector<Fingerprint> by_place_{};
  std::vector<std::int64_t> by_name_{};  // places, sorted by name; empty: nobody asked out of order
};

// A column that plays no role, from the first row of every episode, which is the earliest one where rows have times; in
// the order of the places. Empty where the cell is. Texts or numbers; of NumPy archives numbers. The rows are gone
// through once, in batches, in whatever order they are. DataError where there is no such column.
std::vector<std::string> first_values(const std::string& path, const std::string& column, const ReadOptions& options,
                                      EpisodePlaces places);

}  // namespace starope::io
