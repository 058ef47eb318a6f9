#include "starope/fold/sum_recipe.hpp"

#include <fmt/format.h>

#include <limits>

#include "starope/error.hpp"

namespace starope {

void write(ByteWriter& to, const ProblemOptions& question) {
  to.number(question.discount.gamma());
  to.number(question.horizon ? question.horizon->steps() : std::int64_t{0});
  to.flag(question.hide_beyond_horizon);
}

ProblemOptions read_question(ByteReader& from) {
  ProblemOptions question;
  const double gamma = from.real();
  if (!(gamma >= 0.0 && gamma <= 1.0)) from.fail(fmt::format("{} is not a discount", gamma));
  question.discount = Discount{gamma};
  const std::int64_t horizon = from.number_within(0, std::numeric_limits<std::int64_t>::max());
  if (horizon > 0) question.horizon = Horizon{horizon};
  question.hide_beyond_horizon = from.flag();
  return question;
}

std::string text_of(const ProblemOptions& question) {
  return fmt::format("gamma {}, horizon {}{}", question.discount.gamma(),
                     question.horizon ? fmt::format("{}", question.horizon->steps()) : std::string("none"),
                     question.hide_beyond_horizon ? " with nothing shown behind it" : "");
}

std::string SumRecipe::text() const {
  const std::string fitted = model == Fingerprint{} ? "" : fmt::format(" of model {}", model.text());
  return fmt::format("{}{}, {}", of, fitted, text_of(question));
}

void SumRecipe::write(ByteWriter& to) const {
  to.text(of);
  starope::write(to, question);
  to.fingerprint(model);
}

SumRecipe SumRecipe::read(ByteReader& from) {
  SumRecipe recipe;
  recipe.of = from.text();
  recipe.question = read_question(from);
  recipe.model = from.fingerprint();
  return recipe;
}

void refuse_to_merge(const std::string& mine, const std::string& other) {
  throw InvalidArgument(fmt::format(
      "cannot merge statistics of different recipes: {}; against {}. Count both with the same fitted phi, options, "
      "discount and horizon",
      mine, other));
}

}  // namespace starope
