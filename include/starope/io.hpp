#pragma once

// Logged episodes from files and back.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/data.hpp"
#include "starope/finding.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

struct ArrowArrayStream;  // of Arrow's C stream interface, which everybody declares for himself

namespace starope::io {

enum class StateKind { automatic, discrete, continuous };
enum class ActionKind { automatic, discrete, continuous };

// How to read a table with one row per step.
//
// A column is found by its canonical name unless another name is given here; an empty name says not to use it.
// Columns of a list are written NAME_0, NAME_1, ... without a gap, or are named one by one here.
struct ReadOptions {
  std::optional<std::string> episode{};
  std::optional<std::string> t{};
  std::vector<std::string> state{};
  std::vector<std::string> action{};
  std::optional<std::string> reward{};
  std::optional<std::string> behavior_prob{};
  std::optional<std::string> behavior_logp{};
  std::optional<std::string> target_prob{};
  std::optional<std::string> target_logp{};
  std::optional<std::string> behavior_probs{};  // the part of the names before the number of the action
  std::optional<std::string> target_probs{};
  std::optional<std::string> terminated{};
  std::optional<std::string> truncated{};

  // Automatic: one column whose first row is written as an integer holds ids, everything else holds numbers.
  // Actions with columns of action probabilities are ids.
  StateKind state_kind = StateKind::automatic;
  ActionKind action_kind = ActionKind::automatic;

  bool sort = false;  // rows of an episode may stand anywhere; ordered by t, or else as in the file

  // What the caller cannot do without. The episode and the reward are always needed.
  bool need_state = true;
  bool need_action = false;
  bool need_behavior = true;
  bool behavior_gaps = false;  // some may be missing: they become Columns::behavior_with_gaps
  bool need_target = true;

  // Of what DuckDB reads: the table of a database file, or a query whose result is the table (then there need not be a
  // file), and where its library is; empty: the variable STAROPE_DUCKDB, or else the usual places.
  std::string table{};
  std::string sql{};
  std::string duckdb_library{};

  Threads threads = Threads::all();                  // results do not depend on it
  std::int64_t chunk_bytes = std::int64_t{4} << 20;  // parsed at a time by one thread; results do not depend on it
};

struct UsedColumn {
  std::string role{};  // the canonical name
  std::string name{};  // the name in the file
  friend bool operator==(const UsedColumn&, const UsedColumn&) = default;
};

struct ReadSummary {
  std::string file{};
  std::int64_t rows = 0;          // without the header
  std::int64_t final_states = 0;  // rows that are the state after a last step
  std::vector<UsedColumn> used{};
  std::vector<std::string> ignored{};
};

struct ReadResult {
  Dataset data;
  ReadSummary summary{};
  std::vector<Finding> findings{};  // what was assumed about the data
};

// Reads logged episodes from a file: .csv, .tsv or .npz. A name without an extension, such as /dev/stdin, is read as
// CSV, and "-" is the standard input. What a file contains tells more than its name: archives and Parquet files are
// known by their first bytes, texts with another name by their first line. FileError for any other.
//
// DuckDB's library, if it is there, reads more: Parquet, JSON lines, text compressed with gzip or zstd, patterns such
// as 'logs/*.parquet', folders of Parquet files, tables of its databases, queries. Only columns with a role are read,
// and rows that are not in order are sorted by episode and t. FileError if the library is not there.
//
// Whatever is wrong is a DataError that names file, row, column, value, the rule and what to do, or a FileError. Rows
// of texts are counted as records from 1, the header being row 1 (a quoted newline starts no new row); rows of NumPy
// archives from 0. Neither the data nor the error depend on options.threads and options.chunk_bytes.
STAROPE_API ReadResult read(const std::string& path, const ReadOptions& options = {});

// Whether `open` has to read all of it at once, as NumPy archives and texts whose rows have to be sorted are.
STAROPE_API bool reads_at_once(const std::string& path, const ReadOptions& options = {});

// Whether that takes DuckDB's library.
STAROPE_API bool needs_duckdb(const std::string& path, const ReadOptions& options = {});

// The same from memory: the bytes of such a file, under the name that messages call it and whose ending tells the
// format, unless the bytes tell more.
STAROPE_API ReadResult read_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

// The same from a stream of Arrow tables: what pandas, polars, pyarrow and DuckDB hand out (`__arrow_c_stream__`). The
// stream is taken over, and released when it was read; the name is what messages call it, and rows are counted from 0.
// A column of lists of one length is NAME_0, NAME_1, ...; nulls are empty cells, and so are NaNs where a cell may be
// empty. Columns of a table in one batch that lie as logs want them are used where they lie, as long as the logs live:
// nobody may change them meanwhile.
STAROPE_API ReadResult read(ArrowArrayStream* stream, const std::string& name, const ReadOptions& options = {});

// Logs as a source of the blocks that a fold over the data set of `read` makes, to the bit, however many they are.
struct OpenedLogs {
  Source source;
  ReadSummary summary{};
  std::vector<Finding> findings{};
  std::int64_t bytes = 0;  // of memory that the values of all blocks need
  bool in_memory = true;   // they are all there; or else some are in a temporary file
};

// Half of the memory of this machine, in bytes; where nobody knows that, 1 GB.
STAROPE_API std::int64_t half_the_memory();

struct ReadProgress {
  std::int64_t rows = 0;          // that were read
  std::optional<double> share{};  // of all, from 0 to 1; none: nobody knows how many there are
};

struct OpenOptions {
  std::int64_t steps = steps_per_block;     // that make a block
  std::int64_t memory = half_the_memory();  // bytes of blocks that may be kept in memory; the others go to a file
  std::string folder{};                     // of that file; empty: TMPDIR, or else /tmp
  std::function<void(const ReadProgress&)> progress{};  // is told from time to time how far reading is
};

// Reads a file that `read` can read, once, pipes as well as files. What has a role is kept in blocks for every pass
// over the source; besides these no more than a few blocks are held at a time, and 32 bytes per episode meanwhile.
// NumPy archives, and rows that have to be sorted first, are read at once. InvalidArgument unless steps >= 1.
STAROPE_API OpenedLogs open(const std::string& path, const ReadOptions& options = {}, const OpenOptions& opening = {});

STAROPE_API OpenedLogs open(ArrowArrayStream* stream, const std::string& name, const ReadOptions& options = {},
                            const OpenOptions& opening = {});

// About how many bytes `read` and an evaluation need for a file, from its size and its first rows; none where that
// cannot be known before it is read (a pipe), or where it cannot be read at all.
STAROPE_API std::optional<std::int64_t> memory_needed(const std::string& path, const ReadOptions& options = {});

struct WriteOptions {
  bool final_states = true;  // a row without action, reward and probabilities where the state after the end is known
  std::string duckdb_library{};  // for what DuckDB writes; empty: as for reading
};

// Writes the kind of file that the end of its name tells: .csv, .npz, and with DuckDB's library .parquet, .jsonl,
// .csv.gz, .csv.zst. It appears whole or not at all, and `read` gives an equal data set (of archives: with numbered
// episodes).
STAROPE_API void write(const Dataset& data, const std::string& path, const WriteOptions& options = {});

// Takes the text piece by piece.
using TextSink = std::function<void(std::string_view)>;

// Writes the canonical table:
//   episode,t,state|state_0..,action|action_0..,reward,behavior_prob|behavior_logp,target_prob|target_logp,
//   behavior_probs_0..,target_probs_0..,terminated,truncated
// without the columns the data do not have. Numbers have the fewest digits that read back as the same double, so that
// `read` gives an equal data set (features of states are called state_0, state_1, ... whatever their names were).
STAROPE_API void write_csv(const Dataset& data, const TextSink& sink, const WriteOptions& options = {});

// To a file that appears whole or not at all.
STAROPE_API void write_csv(const Dataset& data, const std::string& path, const WriteOptions& options = {});

// Writes a NumPy archive that `read` understands; it appears whole or not at all. States of bits are written as truth
// values. Episodes whose ids are texts are numbered.
STAROPE_API void write_npz(const Dataset& data, const std::string& path, const WriteOptions& options = {});

}  // namespace starope::io
