#include "starope/evaluate/registry.hpp"
#include "bind.hpp"
#include "starope/estimators.hpp"

namespace starope::python {
namespace {

const char* name_of(OptionType type) {
  switch (type) {
    case OptionType::whole:
      return "whole";
    case OptionType::number:
      return "number";
    case OptionType::choice:
      return "choice";
    case OptionType::file:
      return "file";
    case OptionType::list:
      return "list";
    case OptionType::text:
      break;
  }
  return "text";
}

nb::dict option_of(const OptionSpec& spec) {
  nb::dict option;
  option["name"] = spec.name;
  option["type"] = name_of(spec.type);
  option["words"] = spec.words;
  option["usual"] = spec.usual;
  option["values"] = spec.values();
  option["help"] = spec.help;
  return option;
}

nb::list registry() {
  nb::list all;
  for (const EstimatorSpec& spec : estimator_registry()) {
    nb::list options;
    for (const OptionSpec& option : spec.options) options.append(option_of(option));
    nb::dict one;
    one["name"] = spec.name;
    one["summary"] = spec.summary;
    one["options"] = options;
    all.append(one);
  }
  return all;
}

}  // namespace

void bind_registry(nb::module_& m) {
  m.def("registry", &registry, "Every estimator with its options.");
  // Files are not looked at: a text is right or wrong wherever it is read.
  m.def(
      "check_estimator",
      [](const std::string& text) {
        const EstimatorFiles none{.centroids = [](const std::string&) { return CentroidTable{}; },
                                  .lookup = [](const std::string&) { return LookupTable{}; },
                                  .q_table = [](const std::string&) { return QTable{}; }};
        return parse_estimator(text, none).text;
      },
      nb::arg("text"));
  m.def("estimator_help", &estimator_help, nb::arg("width"));
}

}  // namespace starope::python
