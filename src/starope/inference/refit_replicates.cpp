#include "starope/inference/refit_replicates.hpp"

#include <vector>

#include "starope/error.hpp"
#include "starope/inference/replicate_counts.hpp"
#include "starope/inference/replicate_run.hpp"

namespace starope {

Replicates refit_replicates(const Refit& estimated, const Problem& problem, const ReplicateOptions& options) {
  const ReplicateCounts counts(problem.data(), options.seed);
  return run_replicates(
      options.replicates, 1, options.threads,
      [&](std::int64_t b, std::int64_t, std::vector<std::optional<Replicate>>& all) {
        std::vector<std::int64_t> resample;
        const std::vector<double> times = counts.of_replicate(b);
        for (std::size_t i = 0; i < times.size(); ++i)
          resample.insert(resample.end(), static_cast<std::size_t>(times[i]), static_cast<std::int64_t>(i));
        if (resample.empty()) return;
        try {
          const Estimate estimate = estimated(problem.take(resample));
          all[b] = Replicate{.value = estimate.value,
                             .error = options.errors ? std::optional(estimate.std_error.value_or(0.0)) : std::nullopt};
        } catch (const TooMuchWork&) {  // in this one as in all others
          throw;
        } catch (const Error&) {  // no value in this replicate
        }
      });
}

}  // namespace starope
