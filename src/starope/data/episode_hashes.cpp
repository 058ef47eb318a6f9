#include "starope/data/episode_hashes.hpp"

#include <string_view>
#include <variant>

namespace starope {
namespace {

std::uint64_t mixed(std::uint64_t x) noexcept {  // splitmix64's finalizer: a bijection in which every bit matters
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t hash_of(std::int64_t id) noexcept {
  return mixed(static_cast<std::uint64_t>(id) + 0x9e3779b97f4a7c15);
}

std::uint64_t hash_of(std::string_view id) noexcept {
  std::uint64_t hash = mixed(id.size() + 0x632be59bd9b4e019);
  for (const char c : id) hash = mixed(hash ^ static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

std::vector<std::uint64_t> episode_hashes(const Dataset& block, std::int64_t before) {
  std::vector<std::uint64_t> hashes;
  std::visit(
      [&](const auto& ids) {
        for (const auto& id : ids) hashes.push_back(hash_of(id));
      },
      block.episode_ids());
  for (std::int64_t i = 0; hashes.size() < static_cast<std::size_t>(block.episodes()); ++i)
    hashes.push_back(hash_of(before + i));
  return hashes;
}

}  // namespace starope
