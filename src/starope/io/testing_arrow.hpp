#pragma once

// Arrow streams made by hand: every format, offsets, nulls, and what no honest program would make.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "starope/io/arrow_array.hpp"

namespace starope::testing {

using ArrowBytes = std::vector<std::uint8_t>;

// A schema and an array in one, as values.
struct ArrowNode {
  std::string name{};
  std::string format{};
  std::int64_t length = 0;
  std::int64_t offset = 0;
  std::int64_t null_count = 0;
  std::vector<std::optional<ArrowBytes>> buffers{};  // none: a null pointer
  std::vector<ArrowNode> children{};
  std::vector<ArrowNode> dictionary{};  // one or none
};

inline ArrowBytes bitmap(const std::vector<bool>& bits) {
  ArrowBytes bytes((bits.size() + 7) / 8);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | 1U << (i % 8));
  }
  return bytes;
}

template <class T>
ArrowBytes bytes_of(const std::vector<T>& values) {
  ArrowBytes bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline ArrowNode with_nulls(ArrowNode node, const std::vector<bool>& valid) {
  node.buffers[0] = bitmap(valid);
  node.null_count = -1;  // not counted
  return node;
}

template <class T>
ArrowNode numbers(const std::string& name, const std::string& format, const std::vector<T>& values) {
  return {.name = name,
          .format = format,
          .length = static_cast<std::int64_t>(values.size()),
          .buffers = {std::nullopt, bytes_of(values)}};
}

inline ArrowNode booleans(std::string name, const std::vector<bool>& values) {
  return {.name = std::move(name),
          .format = "b",
          .length = static_cast<std::int64_t>(values.size()),
          .buffers = {std::nullopt, bitmap(values)}};
}

template <class Offset>
ArrowNode texts(const std::string& name, const std::vector<std::string>& values) {
  std::vector<Offset> offsets{0};
  ArrowBytes letters;
  for (const std::string& value : values) {
    letters.insert(letters.end(), value.begin(), value.end());
    offsets.push_back(static_cast<Offset>(letters.size()));
  }
  return {.name = name,
          .format = sizeof(Offset) == 4 ? "u" : "U",
          .length = static_cast<std::int64_t>(values.size()),
          .buffers = {std::nullopt, bytes_of(offsets), letters}};
}

// Short ones inline, long ones by turns in one of two buffers.
inline ArrowNode text_views(std::string name, const std::vector<std::string>& values) {
  ArrowBytes views, data[2];
  int turn = 0;
  for (const std::string& value : values) {
    std::uint8_t view[16] = {};
    const auto length = static_cast<std::int32_t>(value.size());
    std::memcpy(view, &length, 4);
    if (length <= 12) {
      std::copy(value.begin(), value.end(), view + 4);
    } else {
      const auto place = static_cast<std::int32_t>(data[turn].size());
      std::memcpy(view + 4, value.data(), 4);
      std::memcpy(view + 8, &turn, 4);
      std::memcpy(view + 12, &place, 4);
      data[turn].insert(data[turn].end(), value.begin(), value.end());
      turn = 1 - turn;
    }
    views.insert(views.end(), view, view + 16);
  }
  const std::vector<std::int64_t> sizes{static_cast<std::int64_t>(data[0].size()),
                                        static_cast<std::int64_t>(data[1].size())};
  return {.name = std::move(name),
          .format = "vu",
          .length = static_cast<std::int64_t>(values.size()),
          .buffers = {std::nullopt, views, data[0], data[1], bytes_of(sizes)}};
}

template <class Offset>
ArrowNode lists(const std::string& name, const std::vector<Offset>& offsets, ArrowNode elements) {
  return {.name = name,
          .format = sizeof(Offset) == 4 ? "+l" : "+L",
          .length = static_cast<std::int64_t>(offsets.size()) - 1,
          .buffers = {std::nullopt, bytes_of(offsets)},
          .children = {std::move(elements)}};
}

inline ArrowNode fixed_lists(std::string name, std::int64_t width, ArrowNode elements) {
  return {.name = std::move(name),
          .format = "+w:" + std::to_string(width),
          .length = elements.length / width,
          .buffers = {std::nullopt},
          .children = {std::move(elements)}};
}

inline ArrowNode coded(ArrowNode codes, ArrowNode meaning) {
  codes.dictionary = {std::move(meaning)};
  return codes;
}

inline ArrowNode table(std::vector<ArrowNode> columns) {
  const std::int64_t rows = columns.empty() ? 0 : columns.front().length;
  return {.format = "+s", .length = rows, .buffers = {std::nullopt}, .children = std::move(columns)};
}

// Rows first .. last-1 of a table, as libraries slice: nothing moves, the offset says where to begin.
inline ArrowNode sliced(ArrowNode whole, std::int64_t first, std::int64_t last) {
  whole.offset = first;
  whole.length = last - first;
  return whole;
}

// The same with the offsets in the columns.
inline ArrowNode sliced_columns(ArrowNode whole, std::int64_t first, std::int64_t last) {
  for (ArrowNode& column : whole.children) column = sliced(std::move(column), first, last);
  whole.length = last - first;
  return whole;
}

namespace arrow_detail {

template <class Struct>
struct Kept {
  ArrowNode node;
  std::vector<const void*> buffers{};
  std::vector<Struct> children{};
  std::vector<Struct*> pointers{};
  std::vector<Struct> dictionary{};
};

template <class Struct>
void release(Struct* self) {
  auto* const kept = static_cast<Kept<Struct>*>(self->private_data);
  for (Struct& child : kept->children) {
    if (child.release != nullptr) child.release(&child);
  }
  for (Struct& meaning : kept->dictionary) {
    if (meaning.release != nullptr) meaning.release(&meaning);
  }
  delete kept;
  self->release = nullptr;
}

inline void fill(ArrowSchema& out, const ArrowNode& node);
inline void fill(ArrowArray& out, const ArrowNode& node);

template <class Struct>
Kept<Struct>* keep(Struct& out, const ArrowNode& node) {
  auto kept = std::make_unique<Kept<Struct>>(Kept<Struct>{.node = node});
  kept->children.resize(node.children.size());
  for (std::size_t i = 0; i < node.children.size(); ++i) fill(kept->children[i], kept->node.children[i]);
  for (Struct& child : kept->children) kept->pointers.push_back(&child);
  kept->dictionary.resize(node.dictionary.size());
  for (std::size_t i = 0; i < node.dictionary.size(); ++i) fill(kept->dictionary[i], kept->node.dictionary[i]);
  out = Struct{};
  out.n_children = static_cast<std::int64_t>(kept->children.size());
  out.children = kept->pointers.data();
  out.dictionary = kept->dictionary.empty() ? nullptr : kept->dictionary.data();
  out.release = &release<Struct>;
  out.private_data = kept.get();
  return kept.release();
}

inline void fill(ArrowSchema& out, const ArrowNode& node) {
  const auto* const kept = keep(out, node);
  out.format = kept->node.format.c_str();
  out.name = kept->node.name.c_str();
}

inline void fill(ArrowArray& out, const ArrowNode& node) {
  auto* const kept = keep(out, node);
  for (const auto& buffer : kept->node.buffers) kept->buffers.push_back(buffer ? buffer->data() : nullptr);
  out.length = node.length;
  out.offset = node.offset;
  out.null_count = node.null_count;
  out.n_buffers = static_cast<std::int64_t>(kept->buffers.size());
  out.buffers = kept->buffers.data();
}

struct Stream {
  ArrowNode schema;
  std::vector<ArrowNode> batches;
  std::string error{};  // after the last batch; empty: none
  std::size_t next = 0;
};

}  // namespace arrow_detail

// A stream of these batches; with an error behind them, if one is given.
inline ArrowArrayStream arrow_stream(const ArrowNode& schema, std::vector<ArrowNode> batches, std::string error = {}) {
  using arrow_detail::Stream;
  ArrowArrayStream stream{};
  stream.private_data = new Stream{schema, std::move(batches), std::move(error)};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    arrow_detail::fill(*out, static_cast<Stream*>(self->private_data)->schema);
    return 0;
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    auto* const made = static_cast<Stream*>(self->private_data);
    *out = ArrowArray{};
    if (made->next < made->batches.size()) {
      arrow_detail::fill(*out, made->batches[made->next++]);
      return 0;
    }
    return made->error.empty() ? 0 : 5;
  };
  stream.get_last_error = [](ArrowArrayStream* self) {
    return static_cast<Stream*>(self->private_data)->error.c_str();
  };
  stream.release = [](ArrowArrayStream* self) {
    delete static_cast<Stream*>(self->private_data);
    self->release = nullptr;
  };
  return stream;
}

inline ArrowArrayStream arrow_stream(const ArrowNode& batch) {
  return arrow_stream(batch, {batch});
}

}  // namespace starope::testing
