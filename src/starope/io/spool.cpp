#include "starope/io/spool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#if STAROPE_THREADS
#include <mutex>
#endif

#include "starope/base/assert.hpp"

namespace starope::io {
namespace {

// Calls visit(column) for every column of numbers, always in the same order.
template <class Visit>
void visit_reals(RealColumn& values, const Visit& visit) {
  values = values.visit([&](const auto& before) {
    auto column = before;  // NOLINT(performance-unnecessary-copy-initialization): some visits change it
    visit(column);
    return RealColumn(column);
  });
}

template <class Visit>
void for_each_column(Columns& columns, const Visit& visit) {
  visit(columns.offsets);
  if (auto* ids = std::get_if<Column<std::int64_t>>(&columns.episode_ids)) visit(*ids);
  if (auto* states = std::get_if<DiscreteStates>(&columns.states)) {
    visit(states->code);
    visit(states->ids);
  }
  if (auto* states = std::get_if<DenseStates>(&columns.states)) visit_reals(states->values, visit);
  if (auto* states = std::get_if<BinaryStates>(&columns.states)) visit(states->words);
  visit(columns.has_final_state);
  if (auto* actions = std::get_if<DiscreteActions>(&columns.actions)) visit(actions->id);
  if (auto* actions = std::get_if<ContinuousActions>(&columns.actions)) visit(actions->values);
  visit(columns.rewards);
  for (auto* logged : {&columns.behavior, &columns.target}) {
    if (*logged) visit((*logged)->values);
  }
  for (auto* distribution : {&columns.behavior_distribution, &columns.target_distribution}) {
    if (*distribution) visit((*distribution)->values);
  }
  visit(columns.ends);
}

template <class T>
std::int64_t bytes_of(const Column<T>& column) {
  return column.size() * static_cast<std::int64_t>(sizeof(T));
}

std::int64_t aligned(std::int64_t bytes) {
  constexpr std::int64_t alignment = 64;
  return (bytes + alignment - 1) / alignment * alignment;
}

// Names of episodes one behind the other, and where each ends.
struct JoinedNames {
  Column<std::int64_t> ends{};
  Column<char> letters{};
};

JoinedNames join(const Column<std::string>& names) {
  std::vector<std::int64_t> ends;
  std::vector<char> letters;
  for (const std::string& name : names) {
    letters.insert(letters.end(), name.begin(), name.end());
    ends.push_back(static_cast<std::int64_t>(letters.size()));
  }
  return {std::move(ends), std::move(letters)};
}

Column<std::string> split(const JoinedNames& joined) {
  std::vector<std::string> names;
  names.reserve(joined.ends.size());
  std::int64_t first = 0;
  for (const std::int64_t end : joined.ends) {
    names.emplace_back(joined.letters.data() + first, static_cast<std::size_t>(end - first));
    first = end;
  }
  return names;
}

// The same block in one piece of memory of its own, which goes back to the system as a whole when the block does. The
// columns it was made of lie between others, and leave holes that count as ours.
Dataset in_one_piece(const Dataset& block) {
  Columns columns = block.columns();
  std::int64_t bytes = 0;
  for_each_column(columns, [&](const auto& column) { bytes += aligned(bytes_of(column)); });
  const std::shared_ptr<std::byte[]> memory(new std::byte[static_cast<std::size_t>(bytes)]);
  std::byte* at = memory.get();
  for_each_column(columns, [&](auto& column) {
    using Values = std::decay_t<decltype(column)>;
    const std::int64_t size = bytes_of(column);
    if (size > 0) std::memcpy(at, column.data(), static_cast<std::size_t>(size));
    column = Values::borrow(reinterpret_cast<const typename Values::value_type*>(at), column.size(), memory);
    at += aligned(size);
  });
  return Dataset(std::move(columns));
}

}  // namespace

std::int64_t bytes_of(const Columns& columns) {
  std::int64_t bytes = 0;
  Columns view = columns;
  for_each_column(view, [&](const auto& column) { bytes += bytes_of(column); });
  if (const auto* names = std::get_if<Column<std::string>>(&columns.episode_ids)) {
    for (const std::string& name : *names) bytes += static_cast<std::int64_t>(sizeof(std::string) + name.size());
  }
  return bytes;
}

void for_each_bytes(const Columns& columns, const std::function<void(std::string_view)>& body) {
  if (const auto* names = std::get_if<Column<std::string>>(&columns.episode_ids)) {
    for (const std::string& name : *names) body(name);
  }
  Columns view = columns;
  for_each_column(view, [&](const auto& column) {
    body({reinterpret_cast<const char*>(column.data()), static_cast<std::size_t>(bytes_of(column))});
  });
}

// Memory for blocks of the file, of which a few at a time are looked at. It outlives the spool with its last block.
class Spool::Room {
 public:
  static std::shared_ptr<std::byte> take(const std::shared_ptr<Room>& room, std::int64_t bytes) {
    Piece piece = room->piece_of(bytes);
    return {piece.first, [room, piece](std::byte*) { room->put_back(piece); }};
  }

  void clear() {
#if STAROPE_THREADS
    const std::scoped_lock lock(mutex_);
#endif
    for (const Piece& piece : free_) release(piece);
    free_.clear();
  }

  Room() {
    free_.reserve(most_free);
  }  // putting a piece back must not fail
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() {
    for (const Piece& piece : free_) release(piece);
  }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr std::size_t most_free = 2;
  struct Piece {
    std::byte* first = nullptr;
    std::int64_t bytes = 0;
  };

  Piece piece_of(std::int64_t bytes) {
    {
#if STAROPE_THREADS
      const std::scoped_lock lock(mutex_);
#endif
      const auto large = [&](const Piece& piece) { return piece.bytes >= bytes; };
      const auto found = std::find_if(free_.begin(), free_.end(), large);
      if (found != free_.end()) {
        const Piece piece = *found;
        free_.erase(found);
        return piece;
      }
    }
    return {static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), alignment)), bytes};
  }

  void put_back(const Piece& piece) {
    {
#if STAROPE_THREADS
      const std::scoped_lock lock(mutex_);
#endif
      if (free_.size() < most_free) {
        free_.push_back(piece);
        return;
      }
    }
    release(piece);
  }

  static void release(const Piece& piece) {
    ::operator delete(piece.first, alignment);
  }

#if STAROPE_THREADS
  std::mutex mutex_{};
#endif
  std::vector<Piece> free_{};
};

Spool::Spool(std::int64_t memory, std::string folder)
    : memory_(memory), folder_(std::move(folder)), room_(std::make_shared<Room>()) {}
Spool::~Spool() = default;

void Spool::add(const Dataset& block) {
  const std::int64_t bytes = bytes_of(block.columns());
#if STAROPE_FILES
  const bool fits = file_ == nullptr && bytes_ + bytes + left_ <= memory_;
#else
  const bool fits = true;  // there is no other place
#endif
  bytes_ += bytes;
  kept_bytes_ += fits ? bytes : 0;
  blocks_.push_back(fits ? Block{.kept = in_one_piece(block)} : spill(block.columns()));
}

void Spool::leave([[maybe_unused]] std::int64_t bytes) {
#if STAROPE_FILES
  left_ = bytes;
  for (auto block = blocks_.rbegin(); block != blocks_.rend() && kept_bytes_ + left_ > memory_; ++block) {
    if (!block->kept) continue;
    kept_bytes_ -= bytes_of(block->kept->columns());
    *block = spill(block->kept->columns());
  }
#endif
}

Spool::Block Spool::spill(const Columns& columns) {
  if (file_ == nullptr) file_ = std::make_unique<NamelessFile>(folder_, "which holds logs that memory does not");
  Block block{.columns = columns, .place = file_->size()};
  const auto put = [&](auto& column) {
    using Values = std::decay_t<decltype(column)>;
    const std::int64_t bytes = bytes_of(column);
    file_->append(reinterpret_cast<const std::byte*>(column.data()), bytes);
    const std::vector<std::byte> rest(aligned(bytes) - bytes);
    file_->append(rest.data(), static_cast<std::int64_t>(rest.size()));
    block.sizes.push_back(column.size());
    column = Values{};
  };
  for_each_column(block.columns, put);
  if (auto* names = std::get_if<Column<std::string>>(&block.columns.episode_ids)) {
    JoinedNames joined = join(*names);
    put(joined.ends);
    put(joined.letters);
    *names = {};
  }
  block.bytes = file_->size() - block.place;
  return block;
}

void Spool::settle(std::function<bool(Columns&)> settle) {
  settle_ = std::move(settle);
  for (Block& block : blocks_) {
    if (!block.kept) continue;
    Columns columns = block.kept->columns();
    if (settle_(columns)) block.kept = Dataset(std::move(columns));
  }
}

void Spool::rest() const {
  room_->clear();
#ifdef __GLIBC__
  ::malloc_trim(0);  // what a pass had in pieces that are free by now counts as ours, and a fit may follow
#endif
}

Dataset Spool::block(std::int64_t index) const {
  const Block& block = blocks_[index];
  if (block.kept) return *block.kept;
  const std::shared_ptr<std::byte> bytes = Room::take(room_, block.bytes);
  file_->read(bytes.get(), block.bytes, block.place);
  const std::byte* at = bytes.get();
  auto size = block.sizes.begin();
  const auto get = [&](auto& column) {
    using Values = std::decay_t<decltype(column)>;
    column = Values::borrow(reinterpret_cast<const typename Values::value_type*>(at), *size++, bytes);
    at += aligned(bytes_of(column));
  };
  Columns columns = block.columns;
  for_each_column(columns, get);
  if (auto* names = std::get_if<Column<std::string>>(&columns.episode_ids)) {
    JoinedNames joined;
    get(joined.ends);
    get(joined.letters);
    *names = split(joined);
  }
  STAROPE_ASSERT(at == bytes.get() + block.bytes);
  if (settle_) settle_(columns);
  return Dataset(std::move(columns));
}

}  // namespace starope::io
