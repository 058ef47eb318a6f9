#pragma once

// What one core of this machine can do at most, measured in the same run as the work beside it: bytes read in order,
// and multiply-adds in double precision. A benchmark reports its work as a share of one of them (`of_bandwidth`,
// `of_multiply_adds`); shares are comparable between machines, and between a busy and an idle hour, where times are
// not.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace starope::limits {

// Seconds of processor of this thread: others may use the machine as well.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The best of several tries, per second: what the machine can do, not what it did.
template <typename Work>
double best_rate(double amount, const Work& work) {
  double best = 0.0;
  for (int i = 0; i < 15; ++i) {
    const double start = processor_seconds();
    work();
    const double rate = amount / (processor_seconds() - start);
    if (rate > best) best = rate;
  }
  return best;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) inline double fused_chains(std::int64_t rounds) {
  __m256d sums[12];
  for (auto& sum : sums) sum = _mm256_set1_pd(1.0);
  const __m256d a = _mm256_set1_pd(0.999999), b = _mm256_set1_pd(1e-6);
  for (std::int64_t i = 0; i < rounds; ++i) {
    for (auto& sum : sums) sum = _mm256_fmadd_pd(sum, a, b);
  }
  double total = 0.0;
  for (const auto& sum : sums) total += sum[0] + sum[3];
  return total;
}
#endif

inline double plain_chains(std::int64_t rounds) {
  double sums[16];
  for (double& sum : sums) sum = 1.0;
  for (std::int64_t i = 0; i < rounds; ++i) {
    for (double& sum : sums) sum = sum * 0.999999 + 1e-6;
  }
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

// Multiply-adds per second: with 256-bit vectors where the processor has them.
inline double multiply_adds() {
  static const double rate = [] {
    constexpr std::int64_t rounds = 2'000'000;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      return best_rate(48.0 * rounds, [] { benchmark::DoNotOptimize(fused_chains(rounds)); });
#endif
    return best_rate(16.0 * rounds, [] { benchmark::DoNotOptimize(plain_chains(rounds)); });
  }();
  return rate;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) inline double wide_sum(const double* values, std::size_t count) {
  __m256d sums[8];
  for (auto& sum : sums) sum = _mm256_setzero_pd();
  for (std::size_t i = 0; i + 32 <= count; i += 32) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] = _mm256_add_pd(sums[j], _mm256_loadu_pd(values + i + 4 * j));
  }
  double total = 0.0;
  for (const auto& sum : sums) total += sum[0] + sum[1] + sum[2] + sum[3];
  return total;
}
#endif

inline double plain_sum(const double* values, std::size_t count) {
  double sums[8] = {};
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] += values[i + j];
  }
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

// Bytes per second, read in order from memory that no cache holds.
inline double bandwidth() {
  static const double rate = [] {
    const std::vector<double> values(32'000'000, 1.0);  // 256 MB
    const double bytes = 8.0 * static_cast<double>(values.size());
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
      return best_rate(bytes, [&] { benchmark::DoNotOptimize(wide_sum(values.data(), values.size())); });
#endif
    return best_rate(bytes, [&] { benchmark::DoNotOptimize(plain_sum(values.data(), values.size())); });
  }();
  return rate;
}

// Work of one iteration as a share of what the machine could do in the time that it took.
inline void report_bytes(benchmark::State& state, double bytes) {
  state.counters["of_bandwidth"] =
      benchmark::Counter(bytes / bandwidth(), benchmark::Counter::kIsIterationInvariantRate);
}
inline void report_multiply_adds(benchmark::State& state, double operations) {
  state.counters["of_multiply_adds"] =
      benchmark::Counter(operations / multiply_adds(), benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace starope::limits
