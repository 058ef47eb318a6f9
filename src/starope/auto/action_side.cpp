#include "starope/auto/action_side.hpp"

#include <utility>

#include "starope/stats/matrix_product.hpp"

namespace starope {

namespace {

// Q of the last action becomes what all have in common, and others say how much they differ from it: probabilities add
// up to 1, so the last action adds nothing of its own.
void measure_from_last(const ActionBasis& basis, RowMatrix& numbers) {
  const RowMatrix last = numbers.bottomRows(basis.own);
  numbers.topRows(basis.own) += last;
  for (std::int64_t a = 0; a + 1 < basis.actions; ++a)
    numbers.middleRows(basis.columns() + a * basis.own, basis.own) -= last;
}

}  // namespace

ActionSide::ActionSide(const ActionRows& rows, std::vector<RowMatrix> of_function, bool averaged)
    : rows_(&rows), of_function_(std::move(of_function)), averaged_(averaged) {
  for (std::size_t draw = 0; draw < of_function_.size(); ++draw)
    measure_from_last(rows.basis(draw), of_function_[draw]);
  if (!averaged_) return;
  for (RowMatrix& numbers : of_function_) numbers /= static_cast<double>(of_function_.size());
}

void ActionSide::evaluate(const LoggedEpisode& episode, ActionLook& look, Numbers& out) const {
  const std::int64_t steps = episode.length();
  const auto width = of_function_.front().cols();
  for (std::vector<RowMatrix>* numbers : {&out.state, &out.taken}) {
    numbers->resize(variants());
    for (RowMatrix& m : *numbers) m.setZero(steps, width);
  }
  RowMatrix part;
  for (std::size_t draw = 0; draw < of_function_.size(); ++draw) {
    const ActionBasis& basis = rows_->basis(draw);
    const double* functions = look.functions(*rows_, draw, episode.first_row, steps);
    RowMatrix& state = out.state[averaged_ ? 0 : draw];
    RowMatrix& taken = out.taken[averaged_ ? 0 : draw];
    const auto add_part = [&](Eigen::Index first, std::int64_t depth) {
      part.setZero(steps, width);
      add_product({.rows = static_cast<std::size_t>(steps),
                   .columns = static_cast<std::size_t>(width),
                   .depth = static_cast<std::size_t>(depth),
                   .left = {functions, static_cast<std::size_t>(basis.columns())},
                   .right = of_function_[draw].row(first).data(),
                   .right_stride = static_cast<std::size_t>(width),
                   .out = part.data(),
                   .out_stride = static_cast<std::size_t>(width)});
    };
    add_part(0, basis.columns());
    state += part;
    taken += part;
    for (std::int64_t a = 0; a + 1 < basis.actions; ++a) {
      add_part(basis.columns() + a * basis.own, basis.own);
      for (std::int64_t t = 0; t < steps; ++t) {
        const std::int64_t row = episode.first_row + t;
        state.row(t) += rows_->target(row)[a] * part.row(t);
        if (rows_->action(row) == a) taken.row(t) += part.row(t);
      }
    }
  }
}

}  // namespace starope
