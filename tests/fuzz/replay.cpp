// Every fuzzer on every file of its corpus, without libFuzzer: what was found once stays mended.
//
//   starope_fuzz_replay CORPUS      a folder per target

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#define STAROPE_FUZZ_TARGETS(X) X(csv) X(npz) X(arrow) X(estimators) X(toml) X(results) X(tables) X(statistics)

#define STAROPE_DECLARE(name) extern "C" int starope_fuzz_##name(const std::uint8_t* data, std::size_t size);
STAROPE_FUZZ_TARGETS(STAROPE_DECLARE)
#undef STAROPE_DECLARE

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  struct Target {
    const char* name;
    int (*run)(const std::uint8_t*, std::size_t);
  };
#define STAROPE_LIST(name) {#name, &starope_fuzz_##name},
  const Target targets[] = {STAROPE_FUZZ_TARGETS(STAROPE_LIST)};
#undef STAROPE_LIST
  for (const Target& target : targets) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(argv[1]) / target.name)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      std::printf("%s: %s\n", target.name, entry.path().filename().c_str());
      std::fflush(stdout);
      target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++files;
    }
    if (files == 0) return 1;
  }
  return 0;
}
