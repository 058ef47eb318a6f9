#include "starope/arp/arp_model.hpp"

namespace starope {

ArpModel make_model(const ArpStatistic& statistic) {
  const auto cells = static_cast<std::size_t>(statistic.recipe.cells);
  ArpModel model{.cells = statistic.recipe.cells, .episodes = statistic.episodes};
  model.transition = statistic.move.rows();
  for (auto* column : {&model.start, &model.exit, &model.reward, &model.visit, &model.seen}) column->assign(cells, 0.0);
  for (std::size_t z = 0; z < cells; ++z) {
    model.start[z] = statistic.start[z] / statistic.episodes;
    double seen = statistic.exit[z];
    const auto first = static_cast<std::size_t>(model.transition.offsets[z]);
    const auto last = static_cast<std::size_t>(model.transition.offsets[z + 1]);
    for (std::size_t e = first; e < last; ++e) seen += model.transition.value[e];
    const double visit = seen + statistic.cut[z];
    model.seen[z] = seen;
    model.visit[z] = visit;
    if (visit > 0.0) model.reward[z] = statistic.reward[z] / visit;
    if (seen > 0.0) {
      model.exit[z] = statistic.exit[z] / seen;
      for (std::size_t e = first; e < last; ++e) model.transition.value[e] /= seen;
    }
  }
  return model;
}

}  // namespace starope
