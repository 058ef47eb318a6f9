// Lines of results of studies, their specification as JSON, evaluations and inspections as JSON.
#include "starope/study/results.hpp"
#include "fuzz.hpp"
#include "starope/evaluate.hpp"
#include "starope/inspect.hpp"
#include "starope/study.hpp"

namespace starope {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  for (const bool must : {false, true}) fuzz::tried([&] { parse_result_line(text, "results.jsonl", 1, must); });
  fuzz::tried([&] { parse_study_json(text, "study.json"); });
  fuzz::tried([&] { to_json(evaluation_from_json(text, "a.json")); });
  fuzz::tried([&] { to_json(inspection_from_json(text, "a.json")); });
  return 0;
}

}  // namespace starope
