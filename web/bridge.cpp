// What the page calls in WebAssembly (page/worker.mjs): service.hpp with pointers instead of strings. Every text that
// is returned ends with a zero and is the caller's to free.

#include <emscripten.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "service.hpp"

// The page shows how far an evaluation is while it goes on.
// clang-format off
EM_JS(void, starope_tell, (double number, double total, const char* estimator), {
  postMessage({kind: "progress", number, total, estimator: UTF8ToString(estimator)});
})
// clang-format on

namespace {

using starope::web::Table;

Table table_of(const char* name, const char* bytes, double size) {
  return {.name = name, .bytes = {bytes, static_cast<std::size_t>(size)}};
}

char* handed_over(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE char* starope_offers() {
  return handed_over(starope::web::offers());
}

EMSCRIPTEN_KEEPALIVE char* starope_expectation(const char* name, const char* begin, double length, double size,
                                               const char* request) {
  return handed_over(
      starope::web::expectation(table_of(name, begin, length), static_cast<std::int64_t>(size), request));
}

EMSCRIPTEN_KEEPALIVE char* starope_look(const char* name, const char* bytes, double size, const char* request) {
  return handed_over(starope::web::look(table_of(name, bytes, size), request));
}

EMSCRIPTEN_KEEPALIVE char* starope_answer(const char* name, const char* bytes, double size, const char* request) {
  const auto tell = [](const starope::EvaluateProgress& at) {
    starope_tell(static_cast<double>(at.number), static_cast<double>(at.total), at.estimator.c_str());
  };
  return handed_over(starope::web::answer(table_of(name, bytes, size), request, tell));
}
}
