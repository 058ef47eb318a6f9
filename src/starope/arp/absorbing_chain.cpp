#include "starope/arp/absorbing_chain.hpp"

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "starope/arp/components.hpp"
#include "starope/base/assert.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

constexpr std::int64_t unreachable = -1;

// A dense component after elimination from its last state to its first.
//
// Eliminating state k sends its mass elsewhere: with pivot s_k = leak_k + sum_{j<k} a_kj (never 1 - a_kk) and
// f_ik = a_ik / s_k, every i < k gets a_ij += f_ik a_kj and leak_i += f_ik leak_k. That is I - Q = U L with
// U unit upper triangular (-f_ik) and L lower triangular (s_k on the diagonal, -a_kj below), both kept in `a`.
class DenseElimination {
 public:
  DenseElimination(std::vector<double> q, std::vector<double> leak) : n_(leak.size()), a_(std::move(q)), pivot_(n_) {
    for (std::size_t k = n_; k-- > 0;) {
      const double* const row_k = a_.data() + k * n_;
      double pivot = leak[k];
      for (std::size_t j = 0; j < k; ++j) pivot += row_k[j];
      pivot_[k] = pivot;
      if (pivot == 0.0) continue;  // trapped: the caller reports it and does not solve
      for (std::size_t i = 0; i < k; ++i) {
        double* const row_i = a_.data() + i * n_;
        if (row_i[k] == 0.0) continue;
        const double f = row_i[k] / pivot;
        row_i[k] = f;
        leak[i] += f * leak[k];
        for (std::size_t j = 0; j < k; ++j) row_i[j] += f * row_k[j];
      }
    }
  }

  void solve(std::vector<double>& x) const {  // U L x = rhs
    for (std::size_t k = n_; k-- > 0;) {
      for (std::size_t i = 0; i < k; ++i) x[i] += a_[i * n_ + k] * x[k];
    }
    for (std::size_t k = 0; k < n_; ++k) {
      double sum = x[k];
      for (std::size_t j = 0; j < k; ++j) sum += a_[k * n_ + j] * x[j];
      x[k] = sum / pivot_[k];
    }
  }

  void solve_transposed(std::vector<double>& x) const {  // L' U' x = rhs
    for (std::size_t k = n_; k-- > 0;) {
      x[k] /= pivot_[k];
      for (std::size_t j = 0; j < k; ++j) x[j] += a_[k * n_ + j] * x[k];
    }
    for (std::size_t k = 0; k < n_; ++k) {
      for (std::size_t i = 0; i < k; ++i) x[k] += a_[i * n_ + k] * x[i];
    }
  }

 private:
  std::size_t n_;
  std::vector<double> a_;
  std::vector<double> pivot_;
};

// A large component: sparse LU with one step of refinement and a residual check.
class SparseElimination {
 public:
  SparseElimination(std::size_t n, const std::vector<Eigen::Triplet<double>>& triplets)
      : matrix_(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n)) {
    matrix_.setFromTriplets(triplets.begin(), triplets.end());
    matrix_.makeCompressed();
    forward_ = std::make_unique<Lu>(matrix_);
    transposed_matrix_ = matrix_.transpose();
    transposed_matrix_.makeCompressed();
    transposed_ = std::make_unique<Lu>(transposed_matrix_);
    if (forward_->info() != Eigen::Success || transposed_->info() != Eigen::Success) {
      throw DegenerateModel("the model's linear system is singular: no exit can be reached from some of its states");
    }
  }

  void solve(std::vector<double>& x) const { refine(matrix_, *forward_, x); }
  void solve_transposed(std::vector<double>& x) const { refine(transposed_matrix_, *transposed_, x); }

 private:
  using Matrix = Eigen::SparseMatrix<double>;
  using Lu = Eigen::SparseLU<Matrix>;

  static void refine(const Matrix& matrix, const Lu& lu, std::vector<double>& x) {
    const Eigen::Map<Eigen::VectorXd> rhs(x.data(), static_cast<Eigen::Index>(x.size()));
    Eigen::VectorXd solution = lu.solve(rhs);
    solution += lu.solve(rhs - matrix * solution);
    const double residual = (rhs - matrix * solution).lpNorm<Eigen::Infinity>();
    const double size = rhs.lpNorm<Eigen::Infinity>() + solution.lpNorm<Eigen::Infinity>();
    if (!(residual <= 1e-10 * size) && size > 0.0) {
      throw DegenerateModel(
          "the model's linear system cannot be solved accurately: exits are too rare for its size; give a horizon");
    }
    std::copy(solution.begin(), solution.end(), x.begin());
  }

  Matrix matrix_, transposed_matrix_;
  std::unique_ptr<Lu> forward_, transposed_;
};

}  // namespace

class AbsorbingChain::Component {
 public:
  Component(std::vector<std::int64_t> members, const SparseRows& q, std::span<const double> leak,
            const std::vector<std::int64_t>& place, const std::vector<std::int64_t>& component_of, std::int64_t self)
      : states(std::move(members)) {
    const std::size_t n = states.size();
    std::vector<double> out(n);  // mass that leaves the component: out of the chain or to later components
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = leak[states[i]];
      const auto columns = q.columns_of(states[i]);
      const auto values = q.values_of(states[i]);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        if (component_of[columns[e]] != self) out[i] += values[e];
      }
      if (out[i] > 0.0) leaves = true;
    }
    if (!leaves) return;
    const auto for_inner = [&](const auto& visit) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto columns = q.columns_of(states[i]);
        const auto values = q.values_of(states[i]);
        for (std::size_t e = 0; e < columns.size(); ++e) {
          if (component_of[columns[e]] == self) visit(i, static_cast<std::size_t>(place[columns[e]]), values[e]);
        }
      }
    };
    if (n <= most_dense_states) {
      std::vector<double> dense(n * n, 0.0);
      for_inner([&](std::size_t i, std::size_t j, double x) { dense[i * n + j] = x; });
      dense_.emplace(std::move(dense), std::move(out));
    } else {
      std::vector<Eigen::Triplet<double>> triplets;
      for (std::size_t i = 0; i < n; ++i) triplets.emplace_back(static_cast<int>(i), static_cast<int>(i), 1.0);
      for_inner([&](std::size_t i, std::size_t j, double x) {
        triplets.emplace_back(static_cast<int>(i), static_cast<int>(j), -x);
      });
      sparse_ = std::make_unique<SparseElimination>(n, triplets);
    }
  }

  void solve(std::vector<double>& x) const { dense_ ? dense_->solve(x) : sparse_->solve(x); }
  void solve_transposed(std::vector<double>& x) const {
    dense_ ? dense_->solve_transposed(x) : sparse_->solve_transposed(x);
  }

  std::vector<std::int64_t> states;  // ascending
  bool leaves = false;

 private:
  std::optional<DenseElimination> dense_;
  std::unique_ptr<SparseElimination> sparse_;
};

AbsorbingChain::~AbsorbingChain() = default;
AbsorbingChain::AbsorbingChain(AbsorbingChain&&) noexcept = default;
AbsorbingChain& AbsorbingChain::operator=(AbsorbingChain&&) noexcept = default;

AbsorbingChain::AbsorbingChain(const SparseRows& q, std::span<const double> leak, std::span<const double> start)
    : q_(q), component_of_(leak.size(), unreachable), place_of_(leak.size(), unreachable) {
  std::vector<std::int64_t> begins;
  for (std::size_t z = 0; z < start.size(); ++z) {
    if (start[z] > 0.0) begins.push_back(static_cast<std::int64_t>(z));
  }
  std::vector<std::vector<std::int64_t>> found = strong_components(q_, begins);
  for (std::size_t c = 0; c < found.size(); ++c) {
    const auto& members = found[c];
    for (std::size_t i = 0; i < members.size(); ++i) {
      component_of_[members[i]] = static_cast<std::int64_t>(c);
      place_of_[members[i]] = static_cast<std::int64_t>(i);
    }
  }
  components_.reserve(found.size());
  for (auto& members : found) {
    const auto self = static_cast<std::int64_t>(components_.size());
    components_.emplace_back(std::move(members), q_, leak, place_of_, component_of_, self);
    const Component& made = components_.back();
    if (!made.leaves) trapped_.insert(trapped_.end(), made.states.begin(), made.states.end());
  }
  std::sort(trapped_.begin(), trapped_.end());
}

std::vector<double> AbsorbingChain::values(std::span<const double> reward) const {
  STAROPE_ASSERT(trapped_.empty());
  std::vector<double> v(reward.size(), 0.0);
  std::vector<double> x;
  for (std::size_t c = 0; c < components_.size(); ++c) {
    const Component& component = components_[c];
    x.assign(component.states.size(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::int64_t z = component.states[i];
      x[i] = reward[z];
      const auto columns = q_.columns_of(z);
      const auto values = q_.values_of(z);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        if (component_of_[columns[e]] != static_cast<std::int64_t>(c)) x[i] += values[e] * v[columns[e]];
      }
    }
    component.solve(x);
    for (std::size_t i = 0; i < x.size(); ++i) v[component.states[i]] = x[i];
  }
  return v;
}

std::vector<double> AbsorbingChain::visits(std::span<const double> start) const {
  STAROPE_ASSERT(trapped_.empty());
  std::vector<double> d(start.begin(), start.end());
  for (std::size_t z = 0; z < d.size(); ++z) {
    if (component_of_[z] == unreachable) d[z] = 0.0;
  }
  std::vector<double> x;
  for (std::size_t c = components_.size(); c-- > 0;) {
    const Component& component = components_[c];
    x.assign(component.states.size(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = d[component.states[i]];
    component.solve_transposed(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::int64_t z = component.states[i];
      d[z] = x[i];
      const auto columns = q_.columns_of(z);
      const auto values = q_.values_of(z);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        if (component_of_[columns[e]] != static_cast<std::int64_t>(c)) d[columns[e]] += values[e] * x[i];
      }
    }
  }
  return d;
}

}  // namespace starope
