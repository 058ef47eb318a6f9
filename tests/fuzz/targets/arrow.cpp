// Arrow streams. The interface has no sizes, so buffers are as large as an honest maker's would be for the declared
// lengths; what is in them (offsets, codes, bitmaps, texts, numbers), the types and the structure are the fuzzer's.
#include <algorithm>
#include <cstring>

#include "fuzz.hpp"
#include "starope/io.hpp"
#include "starope/io/testing_arrow.hpp"

namespace starope {
namespace {

using testing::ArrowBytes;
using testing::ArrowNode;

class Maker {
 public:
  explicit Maker(fuzz::Draws& draws) : draws_(draws) {}

  ArrowNode table(std::int64_t rows) {
    static constexpr const char* names[] = {"episode",       "t",           "state",        "action",     "reward",
                                            "behavior_prob", "target_prob", "target_probs", "terminated", "truncated",
                                            "other"};
    std::vector<ArrowNode> columns;
    const std::int64_t count = 1 + draws_.below(8);
    for (std::int64_t c = 0; c < count; ++c) columns.push_back(column(names[draws_.below(11)], rows, 2));
    ArrowNode table = starope::testing::table(std::move(columns));
    table.length = rows;
    return table;
  }

 private:
  ArrowBytes bytes(std::int64_t count) {
    ArrowBytes made(static_cast<std::size_t>(count));
    for (std::uint8_t& each : made) each = draws_.byte();
    return made;
  }

  ArrowNode column(std::string name, std::int64_t rows, int depth) {
    static constexpr const char* formats[] = {"c", "C", "s", "S",  "i",  "I",  "l",    "L", "e",     "f",   "g",
                                              "b", "u", "U", "vu", "+l", "+L", "+w:2", "n", "d:9,2", "tdD", "?"};
    ArrowNode node{.name = std::move(name), .format = formats[draws_.below(22)], .length = rows};
    node.offset = draws_.below(3);
    node.null_count = draws_.below(2) == 0 ? 0 : -1;
    const std::int64_t values = rows + node.offset + 64;  // room for a batch's own offset
    node.buffers.emplace_back();
    if (node.null_count != 0) node.buffers[0] = bytes((values + 7) / 8);
    const std::string& format = node.format;
    if (format == "n") {
      node.buffers.clear();
    } else if (format == "u" || format == "+l") {
      add_offsets<std::int32_t>(node, values, depth);
    } else if (format == "U" || format == "+L") {
      add_offsets<std::int64_t>(node, values, depth);
    } else if (format == "vu") {
      node.buffers.emplace_back(bytes(16 * values));
      node.buffers.emplace_back(bytes(32));
      node.buffers.emplace_back(starope::testing::bytes_of(std::vector<std::int64_t>{32}));
    } else if (format == "+w:2") {
      if (depth == 0) return column(node.name, rows, depth);
      node.children = {column("item", 2 * values, depth - 1)};
    } else {
      node.buffers.emplace_back(bytes(16 * values));  // no type is wider
      if (depth > 0 && draws_.below(8) == 0) node.dictionary = {column("", 8, 0)};
    }
    return node;
  }

  // Texts and lists: the last offset of an honest maker is the size of what they point into.
  template <class Offset>
  void add_offsets(ArrowNode& node, std::int64_t values, int depth) {
    std::vector<Offset> offsets;
    for (std::int64_t i = 0; i <= values; ++i) {
      const auto wild = static_cast<Offset>(draws_.byte()) - 4;
      offsets.push_back(draws_.below(16) == 0 ? static_cast<Offset>(wild) : static_cast<Offset>(2 * i));
    }
    const auto largest = static_cast<std::int64_t>(*std::max_element(offsets.begin(), offsets.end()));
    node.buffers.emplace_back(starope::testing::bytes_of(offsets));
    if (node.format.front() == '+') {
      node.children = {column("item", std::max<std::int64_t>(1, largest), depth > 0 ? depth - 1 : 0)};
    } else {
      node.buffers.emplace_back(bytes(std::max<std::int64_t>(1, largest)));
    }
  }

  fuzz::Draws& draws_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Draws draws(data, size);
  const std::int64_t rows = draws.below(20);
  std::vector<ArrowNode> batches;
  const ArrowNode first = Maker(draws).table(rows);
  batches.push_back(first);
  if (draws.below(2) == 1) batches.push_back(first);
  if (draws.below(4) == 1) batches.push_back(Maker(draws).table(rows));  // of other types than the schema says
  const bool lies = batches.size() > 1 && batches.back().children.size() != first.children.size();
  if (!lies && batches.size() > 2) batches.pop_back();  // buffers of other types may be too small: not what is tested
  ArrowArrayStream stream = starope::testing::arrow_stream(first, std::move(batches));
  fuzz::tried([&] {
    io::read(&stream, "a",
             {.sort = size % 2 == 0,
              .need_state = false,
              .need_behavior = false,
              .need_target = false,
              .threads = Threads{1}});
  });
  return 0;
}

}  // namespace starope
