#include "starope/io/duckdb.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "starope/error.hpp"
#include "starope/io/arrow_reader.hpp"
#include "starope/io/flat_vectors.hpp"
#include "starope/io/library_code.hpp"
#include "starope/io/spill_folder.hpp"

#if STAROPE_FILES
#include <dlfcn.h>

#include <filesystem>
#endif

namespace starope::io {
namespace {

constexpr const char* how_to_get_it =
    "Get it with 'npm install @duckdb/node-bindings-linux-x64', which brings libduckdb.so, and name that file with "
    "--duckdb-library or in STAROPE_DUCKDB";

#if STAROPE_FILES

// Handles are pointers to what only DuckDB knows.
using Handle = void*;
using Index = std::uint64_t;
using State = int;  // 0: success

// As the C interface has it: the first five are no longer used, and the size counts.
struct Result {
  Index columns = 0, rows = 0, changed = 0;
  void* column_data = nullptr;
  char* error = nullptr;
  void* inner = nullptr;
};

// The functions of the C interface that are used, under their names without "duckdb_".
struct Functions {
  const char* (*library_version)();
  State (*create_config)(Handle*);
  State (*set_config)(Handle, const char*, const char*);
  void (*destroy_config)(Handle*);
  State (*open_ext)(const char*, Handle*, Handle, char**);
  void (*close)(Handle*);
  State (*connect)(Handle, Handle*);
  void (*disconnect)(Handle*);
  void (*free)(void*);
  State (*prepare)(Handle, const char*, Handle*);
  const char* (*prepare_error)(Handle);
  void (*destroy_prepare)(Handle*);
  State (*pending_prepared_streaming)(Handle, Handle*);
  const char* (*pending_error)(Handle);
  void (*destroy_pending)(Handle*);
  State (*execute_pending)(Handle, Result*);
  const char* (*result_error)(Result*);
  void (*destroy_result)(Result*);
  Index (*column_count)(Result*);
  const char* (*column_name)(Result*, Index);
  Handle (*column_logical_type)(Result*, Index);
  void (*destroy_logical_type)(Handle*);
  Handle (*fetch_chunk)(Result);
  void (*destroy_data_chunk)(Handle*);
  int (*get_type_id)(Handle);
  Index (*data_chunk_get_size)(Handle);
  Handle (*data_chunk_get_vector)(Handle, Index);
  void* (*vector_get_data)(Handle);
  std::uint64_t* (*vector_get_validity)(Handle);
  Handle (*result_get_arrow_options)(Result*);
  void (*destroy_arrow_options)(Handle*);
  Handle (*to_arrow_schema)(Handle, Handle*, const char**, Index, ArrowSchema*);
  Handle (*data_chunk_to_arrow)(Handle, Handle, ArrowArray*);
  bool (*error_data_has_error)(Handle);
  const char* (*error_data_message)(Handle);
  void (*destroy_error_data)(Handle*);
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  void* const address = ::dlsym(library, name);
  function = reinterpret_cast<Function>(address);
  return address != nullptr;
}

// Empty: all are there. Otherwise the first that is missing.
std::string find_all(void* library, Functions& to) {
#define STAROPE_FIND(name) \
  if (!find(library, "duckdb_" #name, to.name)) return "duckdb_" #name
  STAROPE_FIND(library_version);
  STAROPE_FIND(create_config);
  STAROPE_FIND(set_config);
  STAROPE_FIND(destroy_config);
  STAROPE_FIND(open_ext);
  STAROPE_FIND(close);
  STAROPE_FIND(connect);
  STAROPE_FIND(disconnect);
  STAROPE_FIND(free);
  STAROPE_FIND(prepare);
  STAROPE_FIND(prepare_error);
  STAROPE_FIND(destroy_prepare);
  STAROPE_FIND(pending_prepared_streaming);
  STAROPE_FIND(pending_error);
  STAROPE_FIND(destroy_pending);
  STAROPE_FIND(execute_pending);
  STAROPE_FIND(result_error);
  STAROPE_FIND(destroy_result);
  STAROPE_FIND(column_count);
  STAROPE_FIND(column_name);
  STAROPE_FIND(column_logical_type);
  STAROPE_FIND(destroy_logical_type);
  STAROPE_FIND(fetch_chunk);
  STAROPE_FIND(destroy_data_chunk);
  STAROPE_FIND(get_type_id);
  STAROPE_FIND(data_chunk_get_size);
  STAROPE_FIND(data_chunk_get_vector);
  STAROPE_FIND(vector_get_data);
  STAROPE_FIND(vector_get_validity);
  STAROPE_FIND(result_get_arrow_options);
  STAROPE_FIND(destroy_arrow_options);
  STAROPE_FIND(to_arrow_schema);
  STAROPE_FIND(data_chunk_to_arrow);
  STAROPE_FIND(error_data_has_error);
  STAROPE_FIND(error_data_message);
  STAROPE_FIND(destroy_error_data);
#undef STAROPE_FIND
  return {};
}

// Once loaded a library stays: its threads and the memory it handed out do not ask whether anybody still uses it.
Functions load(const std::string& given) {
  const std::vector<std::string> places = duckdb_places(given);
  std::string why;
  for (const std::string& place : places) {
    void* const library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why = ::dlerror();
      continue;
    }
    Functions functions{};
    const std::string missing = find_all(library, functions);
    if (missing.empty()) return functions;
    throw FileError(
        fmt::format("{}: this library of DuckDB has no function {}: it is too old. {}", place, missing, how_to_get_it));
  }
  if (places.size() == 1) throw FileError(fmt::format("{}: cannot be loaded as DuckDB ({})", places[0], why));
  throw FileError(fmt::format("files of this kind are read by DuckDB, whose library is not here. {}", how_to_get_it));
}

// What DuckDB says in a line, without its advice about options of its own; of a text also which fields it expected.
std::string first_line(const char* message) {
  const std::string text = message == nullptr ? "no reason given" : message;
  std::string first = text.substr(0, text.find('\n'));
  const std::size_t fields = text.find("\nExpected Number of Columns");
  if (fields != std::string::npos) {
    const std::string behind = text.substr(fields + 1);
    first += ". " + behind.substr(0, behind.find('\n'));
  }
  return first;
}

[[noreturn]] void fail(const std::string& name, const char* message) {
  DataError::Problem problem;
  problem.code = "bad_query";
  problem.at.file = name;
  problem.rule = fmt::format("cannot be read by DuckDB ({})", first_line(message));
  problem.remedy = "Check the file, the table and the query";
  if (problem.rule.find("Out of Memory") != std::string::npos)
    problem.remedy =
        "Allow more with --memory, or make room where temporary files are (TMPDIR names the folder): there goes what "
        "memory does not hold while rows are sorted";
  if (problem.rule.find("sniffing file") != std::string::npos)
    problem.remedy =
        "Some row near the beginning has more or fewer fields than the header, or quotes that do not close. Unpack the "
        "file: of a plain .csv or .tsv the row is told";
  if (problem.rule.find("database file with version number") != std::string::npos)
    problem.remedy =
        "It was written by a newer DuckDB than this library: take a newer one (--duckdb-library), or write "
        "the table as Parquet there: COPY steps TO 'steps.parquet'";
  throw DataError(std::move(problem));
}

#endif

}  // namespace

std::vector<std::string> duckdb_places(const std::string& given) {
  if (!given.empty()) return {given};
  if (const char* named = std::getenv("STAROPE_DUCKDB"); named != nullptr && *named != '\0') return {named};
  std::vector<std::string> places{"libduckdb.so", "libduckdb.dylib"};
#if STAROPE_FILES
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  if (!unknown) {
    for (const char* beside :
         {"../lib/libduckdb.so", "../npm/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so"})
      places.push_back((program / beside).string());
  }
#endif
  places.emplace_back("/usr/local/lib/libduckdb.so");
  return places;
}

std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string sql_name(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

#if !STAROPE_FILES

struct DuckDb::Session {};
DuckDb::DuckDb(const DuckDbOptions& /*options*/) {
  throw FileError("this starope was built without files, and so without DuckDB");
}
std::string DuckDb::version() const {
  return {};
}
ArrowArrayStream DuckDb::query(const std::string& /*sql*/, const std::string& /*name*/) const {
  return {};
}
void DuckDb::run(const std::string& /*sql*/, const std::string& /*name*/) const {}

#else

struct DuckDb::Session {
  Functions call{};
  Handle database = nullptr;
  Handle connection = nullptr;
  SpillFolder folder{};  // for its temporary files, its own: two databases in one would disturb each other

  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (connection != nullptr) call.disconnect(&connection);
    if (database != nullptr) call.close(&database);
    release_code_around(reinterpret_cast<const void*>(call.close));
  }
};

namespace {

// A query that is running, and what DuckDB makes of its result.
struct Running {
  std::shared_ptr<const void> session{};
  const Functions* call = nullptr;
  Result result{};
  Handle arrow_options = nullptr;
  // The columns of a chunk. Empty: some are no plain numbers, and DuckDB makes arrays of them.
  std::vector<FlatVector> flat{};
  std::string error{};

  // As the C interface numbers its types: truth values are 1, integers 2 to 9, floats 10, doubles 11.
  void look_at_types() {
    constexpr int boolean = 1, last_plain = 11;
    std::vector<FlatVector> found(call->column_count(&result));
    for (Index c = 0; c < found.size(); ++c) {
      Handle type = call->column_logical_type(&result, c);
      const int id = call->get_type_id(type);
      call->destroy_logical_type(&type);
      if (id < boolean || id > last_plain) return;
      found[c].boolean = id == boolean;
    }
    flat = std::move(found);
  }

  // The vectors of a chunk are flat, whatever they were inside of DuckDB.
  ArrowArray borrow(Handle chunk) {
    for (Index c = 0; c < flat.size(); ++c) {
      const Handle vector = call->data_chunk_get_vector(chunk, c);
      flat[c].values = call->vector_get_data(vector);
      flat[c].valid = call->vector_get_validity(vector);
    }
    const auto rows = static_cast<std::int64_t>(call->data_chunk_get_size(chunk));
    return borrowed(flat, rows,
                    [session = session, destroy = call->destroy_data_chunk, chunk]() mutable { destroy(&chunk); });
  }

  ~Running() {
    if (arrow_options != nullptr) call->destroy_arrow_options(&arrow_options);
    call->destroy_result(&result);
  }

  // Whether DuckDB reported an error, which is then kept for who asks.
  bool failed(Handle error_data) {
    if (error_data == nullptr) return false;
    const bool wrong = call->error_data_has_error(error_data);
    if (wrong) error = first_line(call->error_data_message(error_data));
    call->destroy_error_data(&error_data);
    return wrong;
  }

  int schema(ArrowSchema* out) {
    *out = ArrowSchema{};
    const Index columns = call->column_count(&result);
    std::vector<Handle> types;
    std::vector<const char*> names;
    for (Index c = 0; c < columns; ++c) {
      types.push_back(call->column_logical_type(&result, c));
      names.push_back(call->column_name(&result, c));
    }
    const bool wrong = failed(call->to_arrow_schema(arrow_options, types.data(), names.data(), columns, out));
    for (Handle& type : types) call->destroy_logical_type(&type);
    return wrong ? 5 : 0;
  }

  int next(ArrowArray* out) {
    *out = ArrowArray{};
    Handle chunk = call->fetch_chunk(result);
    if (chunk == nullptr) {
      const char* const said = call->result_error(&result);
      if (said == nullptr || *said == '\0') return 0;
      error = first_line(said);
      return 5;
    }
    if (!flat.empty()) {
      *out = borrow(chunk);
      return 0;
    }
    const bool wrong = failed(call->data_chunk_to_arrow(arrow_options, chunk, out));
    call->destroy_data_chunk(&chunk);
    return wrong ? 5 : 0;
  }
};

Running* running(ArrowArrayStream* stream) {
  return static_cast<Running*>(stream->private_data);
}

}  // namespace

DuckDb::DuckDb(const DuckDbOptions& options) : session_(std::make_shared<Session>()) {
  session_->call = load(options.library);
  const Functions& call = session_->call;
  session_->folder = SpillFolder(options.folder);
  Handle config = nullptr;
  call.create_config(&config);
  call.set_config(config, "memory_limit",
                  fmt::format("{}MB", std::max<std::int64_t>(options.memory / 1'000'000, 64)).c_str());
  if (const std::string& folder = session_->folder.path(); !folder.empty())
    call.set_config(config, "temp_directory", folder.c_str());
  call.set_config(config, "threads", fmt::format("{}", options.threads.count()).c_str());
  if (!options.database.empty()) call.set_config(config, "access_mode", "READ_ONLY");
  char* error = nullptr;
  const char* const path = options.database.empty() ? nullptr : options.database.c_str();
  const State state = call.open_ext(path, &session_->database, config, &error);
  call.destroy_config(&config);
  if (state != 0) {
    const std::string message = first_line(error);
    call.free(error);
    fail(options.database, message.c_str());
  }
  if (call.connect(session_->database, &session_->connection) != 0) fail(options.database, "no connection");
}

std::string DuckDb::version() const {
  return session_->call.library_version();
}

namespace {

// A query that has begun. fail(words): how to say what DuckDB has against it.
template <class Fail>
std::unique_ptr<Running> start(std::shared_ptr<const void> session, const Functions& call, Handle connection,
                               const std::string& sql, const Fail& fail) {
  auto made = std::make_unique<Running>();
  made->session = std::move(session);
  made->call = &call;
  Handle statement = nullptr, pending = nullptr;
  const auto finish = [&] {
    call.destroy_pending(&pending);
    call.destroy_prepare(&statement);
  };
  const auto fail_with = [&](const char* message) {
    const std::string said = message == nullptr ? "" : message;
    finish();
    fail(said.c_str());
  };
  if (call.prepare(connection, sql.c_str(), &statement) != 0) fail_with(call.prepare_error(statement));
  if (call.pending_prepared_streaming(statement, &pending) != 0) fail_with(call.pending_error(pending));
  if (call.execute_pending(pending, &made->result) != 0) fail_with(call.result_error(&made->result));
  finish();
  return made;
}

}  // namespace

ArrowArrayStream DuckDb::query(const std::string& sql, const std::string& name) const {
  const Functions& call = session_->call;
  auto made = start(session_, call, session_->connection, sql, [&](const char* words) { io::fail(name, words); });
  made->arrow_options = call.result_get_arrow_options(&made->result);
  made->look_at_types();
  ArrowArrayStream stream{};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) { return running(self)->schema(out); };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) { return running(self)->next(out); };
  stream.get_last_error = [](ArrowArrayStream* self) { return running(self)->error.c_str(); };
  stream.release = [](ArrowArrayStream* self) {
    delete running(self);
    self->release = nullptr;
  };
  stream.private_data = made.release();
  return stream;
}

void DuckDb::run(const std::string& sql, const std::string& name) const {
  const Functions& call = session_->call;
  const auto fail = [&](const char* words) {
    const std::string said = first_line(words);
    if (said.find("No space left") != std::string::npos)
      throw FileError(fmt::format("{}: the disk is full. Free some space or write elsewhere", name));
    throw FileError(fmt::format("{}: cannot be written by DuckDB ({})", name, said));
  };
  const auto made = start(session_, call, session_->connection, sql, fail);
  while (Handle chunk = call.fetch_chunk(made->result)) call.destroy_data_chunk(&chunk);
  const char* const said = call.result_error(&made->result);
  if (said != nullptr && *said != '\0') fail(said);
}

#endif

std::vector<std::string> DuckDb::texts(const std::string& sql, const std::string& name) const {
  ArrowArrayStream stream = query(sql, name);
  ArrowTableReader result(&stream, name);
  std::vector<std::string> all;
  while (result.next(0)) {
    const TableReading reading = result.read({{0, TextCells{}, Blank::never, {}}});
    all.insert(all.end(), reading.text.text.begin(), reading.text.text.end());
  }
  return all;
}

}  // namespace starope::io
