// Reads every file of the corpora, and slips made of it, with everything that reads what others wrote. Whatever is
// wrong must be an exception of ours: the sanitizers end the program at anything else.
//
//   starope_sanitized_test CORPUS [SLIPS]      a folder per kind: csv, npz, toml, estimators
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "starope/base/bytes.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/estimator_call.hpp"
#include "starope/io.hpp"
#include "starope/io/numeric_table.hpp"
#include "starope/rng/random.hpp"
#include "starope/study/toml_shape.hpp"

namespace {

namespace fs = std::filesystem;
using namespace starope;  // NOLINT(google-build-using-namespace): a program of its own

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Small tables come from files only.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("starope-sanitized-" + std::to_string(::getpid()))) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove(path_); }
  std::string with(const std::string& text) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
    return path_.string();
  }

 private:
  fs::path path_;
};

template <class Work>
int tried(const Work& work) {
  try {
    work();
    return 1;
  } catch (const Error&) {
    return 0;
  }
}

int read_logs(const std::string& bytes, const char* name) {
  int read = 0;
  for (const std::int64_t chunk : {std::int64_t{7}, std::int64_t{1} << 20}) {  // the data and the error are the same
    io::ReadOptions options{.need_state = false, .need_behavior = false, .need_target = false, .threads = Threads{1}};
    options.chunk_bytes = chunk;
    read += tried([&] { io::read_bytes(bytes, name, options); });
  }
  return read;
}

int read_small_tables(const std::string& text) {
  const Scratch scratch;
  const std::string path = scratch.with(text);
  return tried([&] { io::read_numeric_table(path); }) + tried([&] { io::read_centroids(path); }) +
         tried([&] { io::read_lookup(path); }) + tried([&] { io::read_q_rows(path); });
}

int read_estimators(const std::string& text) {
  int read = 0;
  for (const std::string_view part : split_estimators(text)) {
    read += tried([&] {
      const EstimatorCall call(part);
      call.whole_number("clusters", 1, 1000);
      call.number("ridge", 0.0);
      call.list("ladder");
      call.seed(Seed{});
    });
  }
  return read;
}

const std::map<std::string, std::function<int(const std::string&)>> readers{
    {"csv", [](const std::string& text) { return read_logs(text, "a.csv") + read_small_tables(text); }},
    {"npz", [](const std::string& bytes) { return read_logs(bytes, "a.npz"); }},
    {"toml", [](const std::string& text) { return tried([&] { check_toml_shape(text, "a.toml"); }); }},
    {"estimators", read_estimators}};

// The same slip for the same number: what is found once is found again.
std::string slip(std::string text, std::uint64_t number) {
  static constexpr char literal[] = "\n\r\t \",'#[]{}()=.-+_|0159eEnaif\0\x1b\x7f\xff\xc3\x28";
  static constexpr std::string_view bytes(literal, sizeof literal - 1);  // the zero inside is one of them
  static constexpr std::array<std::string_view, 10> words{"nan",  "inf",  "1e400", "-1",         "9223372036854775808",
                                                          "\"\"", "\r\n", "0x1",   "4294967296", "1e-320"};
  Random random(Seed{20}, Stream::test_data, number);
  for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
    const std::size_t at = text.empty() ? 0 : random.below(text.size());
    switch (random.below(6)) {
      case 0:
        text.erase(at, 1 + random.below(16));
        break;
      case 1:
        if (!text.empty()) text[at] = static_cast<char>(random.below(256));
        break;
      case 2:
        text.insert(at, 1, bytes[random.below(bytes.size())]);
        break;
      case 3:
        text.insert(at, words[random.below(words.size())]);
        break;
      case 4:
        text.resize(at);
        break;
      default:
        text.insert(at, text.substr(random.below(text.size() + 1), random.below(40)));
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::uint64_t slips = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200;
  std::uint64_t number = 0;
  for (const auto& [kind, read] : readers) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(argv[1]) / kind)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::int64_t answered = 0, all = 0;
    for (const fs::path& file : files) {
      const std::string text = read_file(file);
      answered += read(text);
      for (std::uint64_t i = 0; i < slips; ++i, ++all) answered += read(slip(text, number++));
    }
    std::printf("%s: %zu files, %lld slips, read %lld times\n", kind.c_str(), files.size(), static_cast<long long>(all),
                static_cast<long long>(answered));
    if (files.empty() || answered == 0) return 1;  // the corpus is not where it should be, or nothing is read any more
  }
  return 0;
}
