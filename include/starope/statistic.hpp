#pragma once

// The sums that an abstract reward process is made of, for engines that count logs in parts and bring the parts
// together: survey the parts, fit phi, count every part, add, finish.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starope/data.hpp"
#include "starope/phi.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

class ByteReader;
class ByteWriter;

// What the end of a recording means for the model: an exit, or an outcome that was not seen.
enum class TruncationRule { end, censor };

// One model for all time steps, or one cell per (abstract state, time step).
enum class TimeModel { pooled, indexed };

// Everything besides the labels that decides what an ARP statistic counts.
struct ArpOptions {
  Clip clip = Clip::last(1);
  TruncationRule truncation = TruncationRule::end;
  TimeModel time = TimeModel::pooled;
  friend bool operator==(const ArpOptions&, const ArpOptions&) = default;
};

// What a statistic was counted with. Only statistics with the same recipe may be merged.
struct STAROPE_API ArpRecipe {
  std::int64_t cells = 0;  // of the process: |Z|, or |Z| x (time steps + 1)
  ArpOptions options{};
  Fingerprint phi{};          // what the cells are; of nothing where the labels were made by hand
  ProblemOptions question{};  // its discount: the one inside the counts
  friend bool operator==(const ArpRecipe&, const ArpRecipe&) = default;

  std::string text() const;
  void write(ByteWriter& to) const;
  static ArpRecipe read(ByteReader& from);
};

struct ArpStatistic;  // the sums themselves

// The sums over some episodes: a value. Adding those of two parts gives those of both, in any order and grouping, up to
// rounding; those that were counted with another recipe are refused.
class STAROPE_API Statistic {
 public:
  explicit Statistic(std::shared_ptr<const ArpStatistic> sums) : sums_(std::move(sums)) {}

  const ArpStatistic& sums() const noexcept { return *sums_; }
  const ArpRecipe& recipe() const noexcept;
  double episodes() const noexcept;

  Statistic& operator+=(const Statistic& other);  // InvalidArgument if it was counted with another recipe
  friend STAROPE_API bool operator==(const Statistic& a, const Statistic& b);

  Bytes to_bytes() const;
  static Statistic from_bytes(std::span<const std::byte> bytes);  // DataError unless to_bytes wrote them

 private:
  std::shared_ptr<const ArpStatistic> sums_;
};

// What to count: the cells, how, and for which question. All parts are counted with the same.
struct ArpCount {
  Phi phi{};
  ArpOptions options{};
  ProblemOptions question{};
  Survey whole{};  // of all parts: their surveys, added
};

// The lengths and ratios of some logs, as far as the counting of any part must know them.
STAROPE_API Survey survey(const Source& logs, const ProblemOptions& question, Threads threads = Threads::all());

// Counts the episodes of a part: one pass. The same bits for any number of threads.
STAROPE_API Statistic fold(const ArpCount& count, const Source& part, Threads threads = Threads::all());

// The process of all parts, solved: what the target policy earns, and where it goes.
struct ArpValue {
  double value = 0.0;
  std::vector<double> values{};  // from each cell at the start: what is still to come
  std::vector<double> visits{};  // expected discounted visits of each cell
  // The (discounted) probability of entering a cell about which the target policy's data say nothing, and those cells.
  double unsupported = 0.0;
  std::vector<Label> unsupported_cells{};
};

// InvalidArgument if the sums were counted with something else; DegenerateModel where no value exists. The standard
// error takes another pass over the logs: estimate(star, source, question) makes it.
STAROPE_API ArpValue finish(const ArpCount& count, const Statistic& total);

}  // namespace starope
