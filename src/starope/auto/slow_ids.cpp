#include "starope/auto/slow_ids.hpp"

#include <Spectra/SymEigsSolver.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

#include "starope/arp/move_counts.hpp"
#include "starope/fold/fold.hpp"

namespace starope {
namespace {

// Up to here all eigenvalues are found at once; that is fast, and exact where several are equal.
constexpr std::int64_t most_dense_ids = 128;

struct IdCounts {
  std::int64_t pairs = 0;
  std::vector<double> seen{};  // [code], over both states of all pairs
  MoveCounts moves{};

  IdCounts& operator+=(const IdCounts& other) {
    pairs += other.pairs;
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += other.seen[i];
    moves += other.moves;
    return *this;
  }
};

class IdFold {
 public:
  using Statistic = IdCounts;

  IdFold(const DiscreteStates& states, const std::vector<std::int32_t>& rank_of_code)
      : states_(states), rank_of_code_(rank_of_code) {}

  IdCounts identity() const {
    return {.seen = std::vector<double>(states_.ids.size(), 0.0), .moves = MoveCounts(states_.ids.size())};
  }

  void add(IdCounts& total, const LoggedEpisode& episode) const {
    const std::int64_t last = episode.length() - 1;
    if (last < 1) return;
    total.pairs += last;
    const std::int32_t* const code = states_.code.data() + episode.first_row;
    const auto rank = [&](std::int64_t t) { return static_cast<Label>(rank_of_code_[code[t]]); };
    for (std::int64_t t = 0; t < last; ++t) {
      total.seen[rank(t)] += 1.0;
      total.seen[rank(t + 1)] += 1.0;
      total.moves.add(rank(t), rank(t + 1), 1.0);
    }
  }

 private:
  const DiscreteStates& states_;
  const std::vector<std::int32_t>& rank_of_code_;
};

// With p the shares of the ids and e the ridge, C0 + e I = D - p p' with D = diag(p + e). Its root is known:
//
//   D - p p' = D^1/2 (I - q q') D^1/2,  q = D^-1/2 p,      (I - q q')^-1/2 = I + a q q',
//   a = ((1 - |q|^2)^-1/2 - 1) / |q|^2        (|q|^2 = sum p^2/(p + e) < 1),
//
// so C1 u = lambda (C0 + e I) u is the symmetric problem S v = lambda v with
//
//   L = D^-1/2 (I + a q q'),  S = L' C1 L,  u = L v,   C1 = (N + N') / (2 pairs) - p p',
//
// N the counts of moves. Ids in no pair have p = 0 and no moves: their rows of S are zero.
class WhitenedMoves {
 public:
  using Scalar = double;  // Spectra asks for the type, rows(), cols() and perform_op()

  WhitenedMoves(const IdCounts& counts, double ridge)
      : moves_(counts.moves.rows()),
        states_(2.0 * static_cast<double>(counts.pairs)),
        p_(Eigen::Map<const Eigen::VectorXd>(counts.seen.data(), static_cast<Eigen::Index>(counts.seen.size())) /
           states_) {
    const auto ids = static_cast<double>((p_.array() > 0.0).count());
    const double mean_variance = (p_.array() * (1.0 - p_.array())).sum() / ids;
    root_ = (p_.array() + ridge * mean_variance).rsqrt();
    q_ = root_.cwiseProduct(p_);
    const double q2 = q_.squaredNorm();
    // 1 - |q|^2 = sum p - p^2/(p + e) = sum p e/(p + e), without the loss of digits.
    const double rest = (p_.array() * ridge * mean_variance * root_.array().square()).sum();
    a_ = (1.0 / std::sqrt(rest) - 1.0) / q2;
  }

  Eigen::Index rows() const { return p_.size(); }
  Eigen::Index cols() const { return p_.size(); }

  void perform_op(const double* x_in, double* y_out) const {
    const Eigen::Map<const Eigen::VectorXd> x(x_in, rows());
    const Eigen::VectorXd lx = color(x);
    Eigen::VectorXd y = -p_.dot(lx) * p_;
    for (std::int64_t from = 0; from < moves_.rows(); ++from) {
      const std::span<const Label> to = moves_.columns_of(from);
      const std::span<const double> count = moves_.values_of(from);
      const double x_from = lx[from] / states_;
      double sum = 0.0;
      for (std::size_t i = 0; i < to.size(); ++i) {
        sum += count[i] * lx[static_cast<Eigen::Index>(to[i])];
        y[static_cast<Eigen::Index>(to[i])] += count[i] * x_from;
      }
      y[from] += sum / states_;
    }
    y.array() *= root_.array();
    Eigen::Map<Eigen::VectorXd>(y_out, rows()) = y + a_ * q_.dot(y) * q_;
  }

  // L v
  Eigen::VectorXd color(const Eigen::VectorXd& v) const { return root_.cwiseProduct(v + a_ * q_.dot(v) * q_); }

 private:
  SparseRows moves_;
  double states_;
  Eigen::VectorXd p_, root_, q_;
  double a_ = 0.0;
};

struct Eigenpairs {
  Eigen::VectorXd values{};   // largest first
  Eigen::MatrixXd vectors{};  // a column each
};

Eigenpairs all_eigenpairs(const WhitenedMoves& moves) {
  const Eigen::Index size = moves.rows();
  Eigen::MatrixXd s(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(size, j);
    moves.perform_op(unit.data(), s.col(j).data());
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(s);
  return {.values = solver.eigenvalues().reverse(), .vectors = solver.eigenvectors().rowwise().reverse()};
}

// Of equal eigenvalues a Krylov method may find one vector only, and dense clusters of them converge slowly. Neither
// harms: features need to be slow, not complete and not exact, so what has converged after a fair number of restarts is
// taken, if need be to fewer digits.
Eigenpairs largest_eigenpairs(WhitenedMoves moves, std::int64_t wanted) {
  constexpr std::int64_t restarts = 200, enough = 8;
  Eigenpairs found;
  for (const double tolerance : {1e-8, 1e-5, 1e-2}) {
    Spectra::SymEigsSolver<WhitenedMoves> solver(moves, wanted, std::min<Eigen::Index>(3 * wanted, moves.rows()));
    solver.init();
    solver.compute(Spectra::SortRule::LargestAlge, restarts, tolerance);
    found = {.values = solver.eigenvalues(), .vectors = solver.eigenvectors()};
    if (found.values.size() >= std::min(enough, wanted)) break;
  }
  return found;
}

// Where each code comes in the order in which the logs show them; those that are never shown come last.
std::vector<std::int32_t> ranks_by_appearance(const DiscreteStates& states) {
  constexpr std::int32_t unmet = -1;
  std::vector<std::int32_t> rank(states.ids.size(), unmet);
  std::int32_t next = 0;
  const auto meet = [&](std::int32_t& of_code) {
    if (of_code == unmet) of_code = next++;
  };
  for (const std::int32_t code : states.code) meet(rank[code]);
  for (std::int32_t& of_code : rank) meet(of_code);
  return rank;
}

}  // namespace

SlowDirections slow_directions_of_ids(const Problem& problem, const SlowIdOptions& options, Threads threads) {
  const auto& states = std::get<DiscreteStates>(problem.data().states());
  const std::int64_t ids = states.ids.size();
  const std::vector<std::int32_t> rank_of_code = ranks_by_appearance(states);
  const IdCounts counts = fold(IdFold(states, rank_of_code), problem, {.threads = threads});
  const auto seen = std::count_if(counts.seen.begin(), counts.seen.end(), [](double x) { return x > 0.0; });
  if (seen < 2) return {};

  const WhitenedMoves moves(counts, options.ridge);
  const std::int64_t wanted = std::min<std::int64_t>(options.most, seen);
  const Eigenpairs found = ids <= most_dense_ids ? all_eigenpairs(moves) : largest_eigenpairs(moves, wanted);
  SlowDirections directions{.features = std::min<std::int64_t>(wanted, found.values.size())};
  directions.of_id.resize(ids * directions.features);
  for (std::int64_t j = 0; j < directions.features; ++j) {
    const double lambda = found.values[j];
    const Eigen::VectorXd u = moves.color(found.vectors.col(j));
    for (std::int64_t i = 0; i < ids; ++i) {
      directions.of_id[i * directions.features + j] = lambda * lambda * lambda * u[rank_of_code[i]];
    }
  }
  return directions;
}

}  // namespace starope
