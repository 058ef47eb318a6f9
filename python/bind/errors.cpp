#include <exception>

#include "bind.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/parallel/stop.hpp"

namespace starope::python {
namespace {

nb::object class_of(const char* name) {
  return nb::module_::import_("starope._errors").attr(name);
}

// The core gives advice as the command line takes it.
nb::object in_python(const std::string& text) {
  return nb::module_::import_("starope._words").attr("in_python")(text);
}

void raise(const char* name, const Error& error) {
  const nb::object type = class_of(name);
  nb::object raised = type(in_python(error.what()));
  raised.attr("code") = error.code();
  PyErr_SetObject(type.ptr(), raised.ptr());
}

void raise(const DataError& error) {
  const nb::object type = class_of("DataError");
  nb::object raised = type(in_python(error.what()));
  const DataError::Problem& problem = error.problem();
  const auto text = [](const std::string& value) { return value.empty() ? nb::object(nb::none()) : nb::cast(value); };
  raised.attr("code") = error.code();
  raised.attr("file") = text(problem.at.file);
  raised.attr("row") = nb::cast(problem.at.row);
  raised.attr("episode") = text(problem.at.episode);
  raised.attr("step") = nb::cast(problem.at.step);
  raised.attr("column") = text(problem.at.column);
  raised.attr("value") = nb::cast(problem.value);
  raised.attr("rule") = in_python(problem.rule);
  raised.attr("remedy") = in_python(problem.remedy);
  PyErr_SetObject(type.ptr(), raised.ptr());
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const DataError& error) {
      raise(error);
    } catch (const InvalidArgument& error) {
      raise("InvalidArgument", error);
    } catch (const FileError& error) {
      raise("FileError", error);
    } catch (const DegenerateModel& error) {
      raise("DegenerateModel", error);
    } catch (const TooMuchWork& error) {
      raise("TooMuchWork", error);
    } catch (const Error& error) {
      raise("Error", error);
    } catch (const Stopped&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace starope::python
