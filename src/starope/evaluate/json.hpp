#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/finding.hpp"

namespace starope {

template <class T>
struct JsonAllocator {
  using value_type = T;
  JsonAllocator() = default;
  template <class U>
  JsonAllocator(const JsonAllocator<U>& /*all are one*/) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T))); }
  void deallocate(T* p, std::size_t /*n*/) noexcept { ::operator delete(p); }
  friend bool operator==(const JsonAllocator&, const JsonAllocator&) noexcept { return true; }
};

// Keys in the order in which they are explained.
using Json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t, std::uint64_t,
                                  double, JsonAllocator>;

// Trees take memory while they are destroyed: the library moves what is in them to a std::vector<Json> first. Where
// no memory is left that would end the process, in a destructor; so this vector, and nothing else, has a reserve.
void* take_json_memory(std::size_t bytes);  // std::bad_alloc where the reserve is used up, too
void return_json_memory(void* memory) noexcept;

}  // namespace starope

template <>
class std::allocator<starope::Json> {
 public:
  using value_type = starope::Json;
  constexpr allocator() noexcept = default;
  template <class U>
  constexpr allocator(const allocator<U>& /*all are one*/) noexcept {}  // NOLINT(google-explicit-constructor)
  starope::Json* allocate(std::size_t n);
  void deallocate(starope::Json* p, std::size_t /*n*/) noexcept { starope::return_json_memory(p); }
  friend bool operator==(const allocator&, const allocator&) noexcept { return true; }
};

inline starope::Json* std::allocator<starope::Json>::allocate(std::size_t n) {
  return static_cast<starope::Json*>(starope::take_json_memory(n * sizeof(starope::Json)));
}

namespace starope {

// JSON has no infinity and no NaN.
Json json_number(double x);
Json json_number(const std::optional<double>& x);

// The sentence of a finding, also of one that was read from a file of another version.
std::string sentence(const Finding& finding);

Json json_findings(const std::vector<Finding>& findings);

// The way back. Null is NaN, or no number where there may be none; Json::exception where the tree is another one.
double number_from(const Json& json);
std::optional<double> optional_number_from(const Json& json);
std::int64_t whole_from(const Json& json);  // a whole number that 64 bits hold; never a cast of something larger
std::uint64_t seed_from(const Json& json);
std::vector<Finding> findings_from(const Json& json);

// A member that older files lack, or null.
const Json& member_or_null(const Json& json, const char* name);

// A whole document: what it is, and who writes it.
struct JsonDocument {
  const char* schema;  // "starope.inspect/1"
  const char* code;    // of the DataError where the text is another one
  const char* what;    // "an inspection"
  const char* remedy;
};
[[noreturn]] void refuse_document(const JsonDocument& document, const std::string& source, const std::string& rule);

// read(json) of the document that the text is; DataError where it is none.
template <class Read>
auto read_document(const JsonDocument& document, std::string_view text, const std::string& source, const Read& read) {
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || member_or_null(json, "schema") != document.schema) {
      refuse_document(document, source, std::string("is not ") + document.what + " (schema " + document.schema + ")");
    }
    return read(json);
  } catch (const Json::exception& error) {
    refuse_document(document, source,
                    std::string("must be ") + document.what + " as starope writes it (" + error.what() + ")");
  }
}

// File names need not be UTF-8; JSON must be.
std::string json_text(const Json& json);

}  // namespace starope
