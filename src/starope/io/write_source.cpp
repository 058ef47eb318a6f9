#include "starope/io/write_source.hpp"

#include <utility>

#include "starope/error.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/io/duckdb_writer.hpp"

namespace starope::io {
namespace {

bool ends_with(const std::string& path, std::string_view end) {
  return path.size() > end.size() && std::string_view(path).substr(path.size() - end.size()) == end;
}

// Passes a text on without its first line.
class WithoutHeader {
 public:
  explicit WithoutHeader(const TextSink& sink) : sink_(sink) {}

  void operator()(std::string_view piece) {
    if (!begun_) {
      const std::size_t end = piece.find('\n');
      if (end == std::string_view::npos) return;
      begun_ = true;
      piece.remove_prefix(end + 1);
    }
    if (!piece.empty()) sink_(piece);
  }

 private:
  const TextSink& sink_;
  bool begun_ = false;
};

}  // namespace

bool writes_blocks(const std::string& path) {
  return ends_with(path, ".csv") || duckdb_writes(path);
}

void write_csv(const Source& source, const TextSink& sink, const WriteOptions& options) {
  const Source::Next next = source.open();
  bool first = true;
  while (const auto block = next()) {
    if (std::exchange(first, false)) {
      write_csv(*block, sink, options);
      continue;
    }
    WithoutHeader rest(sink);
    write_csv(
        *block, [&](std::string_view piece) { rest(piece); }, options);
  }
  if (first) throw InvalidArgument("there are no episodes to write");
}

void write(const Source& source, const std::string& path, const WriteOptions& options) {
  if (!writes_blocks(path)) return write(read_all(source), path, options);
  if (duckdb_writes(path)) return write_duckdb(source, path, options);
  AtomicFile file(path);
  write_csv(
      source, [&](std::string_view piece) { file.write(piece); }, options);
  file.commit();
}

}  // namespace starope::io
