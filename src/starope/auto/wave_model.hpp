#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "starope/auto/wave_basis.hpp"
#include "starope/problem.hpp"

namespace starope {

// What a smooth model of the target policy's process needs to know of episodes, for one draw of waves phi: sums, so
// that parts merge. w_t = g^t rho_t; "seen": the logs know what followed the step.
struct WaveSums {
  Eigen::MatrixXd here{};         // sum over seen steps of w_t phi_t phi_t'
  Eigen::MatrixXd moves{};        // sum over seen steps of w_t phi_t phi_{t+1}' (0 after a termination)
  Eigen::VectorXd reward{};       // sum over seen steps of w_t phi_t r_t
  Eigen::MatrixXd unseen_here{};  // the same over the other steps; empty: there are none
  Eigen::VectorXd unseen_reward{};
  Eigen::VectorXd start{};  // sum over episodes of phi_0
  double weight = 0.0;      // sum of all w_t

  WaveSums& operator+=(const WaveSums& other);
};

WaveSums wave_sums(const WaveRows& waves, std::size_t draw, const Problem& problem,
                   std::span<const std::int64_t> episodes,
                   double greatest_ratio = std::numeric_limits<double>::infinity());

// The model, solved for every number of steps (docs/auto-math.md 4.1). With A = here + ridge, B = moves, R = reward:
//
//     beta_H = 0, beta_k = A^-1 (R + g B beta_{k+1})            V_k(s) = phi(s)' beta_k
//     A alpha_0 = start, alpha_{k+1} = g A^-1 B' alpha_k        omega_k(s) = phi(s)' alpha_k
//     theta = (A + unseen)^-1 (R + unseen rewards)              r(s) = phi(s)' theta
struct WaveModel {
  Eigen::MatrixXd values{};     // columns k = 0 .. H: beta_k
  Eigen::MatrixXd occupancy{};  // columns k = 0 .. H-1: alpha_k
  Eigen::VectorXd reward{};     // theta; zero where every outcome was seen: it then cancels
};

struct WaveSolve {
  double gamma = 1.0;
  std::int64_t horizon = 1;
  double ridge = 1e-3;    // times the sum of the weights
  bool occupancy = true;  // false: left empty
};
WaveModel solve(const WaveSums& sums, const WaveSolve& options);

}  // namespace starope
