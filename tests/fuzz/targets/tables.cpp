// Small tables: policies, Q-functions, centroids, lookups; and policies as JSON.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fuzz.hpp"
#include "starope/domains/policy_table.hpp"
#include "starope/io/numeric_table.hpp"
#include "starope/policy.hpp"

namespace starope {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::tried([&] { policy_from_json(fuzz::text_of(data, size), "a.json"); });
  // Tables come from files only.
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("starope-fuzz-" + std::to_string(::getpid()) + ".csv")).string();
  std::ofstream(path, std::ios::binary | std::ios::trunc) << fuzz::text_of(data, size);
  fuzz::tried([&] { read_policy(path); });
  fuzz::tried([&] { domains::read_policy_table(path); });
  fuzz::tried([&] { io::read_q_rows(path); });
  fuzz::tried([&] { io::read_centroids(path); });
  fuzz::tried([&] { io::read_lookup(path); });
  ::unlink(path.c_str());
  return 0;
}

}  // namespace starope
