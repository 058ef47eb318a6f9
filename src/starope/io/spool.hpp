#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/data.hpp"
#include "starope/io/nameless_file.hpp"

namespace starope::io {

// Blocks of episodes that are wanted again and again, while what they were made of is read only once: in memory as long
// as they fit, behind that in a temporary file that nobody else sees and that is gone with the spool. A block has the
// columns that play a role, as they lie in memory: to have one again is to copy its bytes.
class Spool {
 public:
  // At most `memory` bytes of blocks stay in memory. `folder`: of the file; empty: TMPDIR, or else /tmp.
  Spool(std::int64_t memory, std::string folder);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool();

  void add(const Dataset& block);  // FileError if there is no room for it in the folder

  // So many bytes of the memory are needed for something else by now. Blocks that no longer fit move to the file.
  void leave(std::int64_t bytes);

  // What is still to be done to every block once all are known: settle(columns) says whether it changed something.
  void settle(std::function<bool(Columns&)> settle);

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(blocks_.size()); }
  std::int64_t bytes() const noexcept { return bytes_; }  // of all blocks
  bool in_memory() const noexcept { return file_ == nullptr; }

  // May be called by several threads at a time, while nobody adds. A block of the file lives in memory that the next
  // one takes over when it is gone: pages that are new every time cost as much as reading them.
  Dataset block(std::int64_t index) const;
  void rest() const;  // a pass is over: that memory goes back to the system

 private:
  struct Block {
    std::optional<Dataset> kept{};      // in memory; or else, in the file:
    Columns columns{};                  // without values
    std::vector<std::int64_t> sizes{};  // of the columns
    std::int64_t place = 0;
    std::int64_t bytes = 0;
  };

  class Room;

  Block spill(const Columns& columns);

  std::int64_t memory_;
  std::int64_t left_ = 0;  // of the memory, for others
  std::string folder_;
  std::int64_t bytes_ = 0;
  std::int64_t kept_bytes_ = 0;  // of blocks in memory
  std::shared_ptr<Room> room_;
  std::vector<Block> blocks_{};
  std::function<bool(Columns&)> settle_{};
  std::unique_ptr<NamelessFile> file_;
};

// The bytes of the values in all columns.
std::int64_t bytes_of(const Columns& columns);
// These bytes themselves, column by column, ids of episodes first, always in the same order.
void for_each_bytes(const Columns& columns, const std::function<void(std::string_view)>& body);

}  // namespace starope::io
