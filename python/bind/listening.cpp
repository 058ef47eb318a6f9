#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "bind.hpp"
#include "starope/parallel/stop.hpp"

namespace starope::python {
namespace {

struct Progress {
  std::size_t done = 0, total = 0;
  std::string what{};
};

// Often enough for a person who pressed Ctrl-C, seldom enough to cost nothing.
constexpr std::chrono::milliseconds between_looks{50};

}  // namespace

void Listening::run(const nb::object& progress, const std::function<void(const Tell&, const Stop&)>& work) {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Progress> told;
  std::exception_ptr failure;
  bool finished = false;
  std::atomic<bool> stop{false};

  const Tell tell = [&](std::size_t done, std::size_t total, const std::string& what) {
    const std::scoped_lock lock(mutex);
    told = Progress{.done = done, .total = total, .what = what};
    changed.notify_one();
  };
  const Stop asked = [&] { return stop.load(std::memory_order_relaxed); };
  bool raised = false;
  {
    const nb::gil_scoped_release unlocked;
    std::jthread worker([&] {
      try {
        const StopScope scope(asked);
        work(tell, asked);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::scoped_lock lock(mutex);
      finished = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!finished) {
      changed.wait_for(lock, between_looks, [&] { return finished || told.has_value(); });
      const std::optional<Progress> news = std::exchange(told, std::nullopt);
      if (finished || raised) continue;
      lock.unlock();
      {
        const nb::gil_scoped_acquire locked;
        raised = PyErr_CheckSignals() != 0;
        if (!raised && news && !progress.is_none()) {
          PyObject* result = PyObject_CallFunction(progress.ptr(), "nns", static_cast<Py_ssize_t>(news->done),
                                                   static_cast<Py_ssize_t>(news->total), news->what.c_str());
          raised = result == nullptr;
          Py_XDECREF(result);
        }
        if (raised) stop = true;
      }
      lock.lock();
    }
  }
  if (raised) nb::raise_python_error();
  if (failure) std::rethrow_exception(failure);
}

std::shared_ptr<const void> keep_alive(nb::handle object) {
  object.inc_ref();
  return {object.ptr(), [](const void* kept) {
            if (Py_IsInitialized() == 0) return;
            const nb::gil_scoped_acquire locked;
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(kept)));
          }};
}

nb::bytes bytes_of(const Bytes& bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::span<const std::byte> span_of(const nb::bytes& bytes) {
  return {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()};
}

ProblemOptions question_of(double gamma, std::optional<std::int64_t> horizon) {
  ProblemOptions question{.discount = Discount{gamma}};
  if (horizon) question.horizon = Horizon{*horizon};
  return question;
}

Threads threads_of(std::optional<int> threads) {
  return threads ? Threads{*threads} : Threads::all();
}

}  // namespace starope::python
