#include "bind.hpp"
#include "starope/version.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The core of starope. Private: starope has the names to use.";
  m.attr("version") = STAROPE_VERSION;
  starope::python::bind_errors(m);
  starope::python::bind_logs(m);
  starope::python::bind_blocks(m);
  starope::python::bind_evaluation(m);
  starope::python::bind_comparison(m);
  starope::python::bind_registry(m);
  starope::python::bind_shards(m);
  starope::python::bind_statistics(m);
  starope::python::bind_auto_model(m);
  starope::python::bind_worlds(m);
}
