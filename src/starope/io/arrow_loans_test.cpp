#include "starope/io/arrow_loans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "starope/io.hpp"
#include "starope/io/testing_arrow.hpp"

namespace starope::io {
namespace {

using namespace ::starope::testing;  // NOLINT(google-build-using-namespace): a table in every second line
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A stream whose arrays tell where their numbers lie and when they are released.
class Watched {
 public:
  explicit Watched(std::vector<ArrowNode> batches) : inner_(arrow_stream(batches.front(), batches)) {}
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
    if (inner_.release != nullptr) inner_.release(&inner_);
  }

  // Which live as long as this.
  ArrowArrayStream stream() {
    ArrowArrayStream made{};
    made.private_data = this;
    made.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      return of(self).inner_.get_schema(&of(self).inner_, out);
    };
    made.get_next = [](ArrowArrayStream* self, ArrowArray* out) { return of(self).next(out); };
    made.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
    made.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    return made;
  }

  std::map<std::string, const void*> numbers{};  // of the first batch
  std::set<std::string> alive{};

 private:
  struct Child {
    Watched* watched;
    std::string name;
    void (*release)(ArrowArray*);
    void* kept;
  };

  static Watched& of(ArrowArrayStream* self) { return *static_cast<Watched*>(self->private_data); }

  int next(ArrowArray* out) {
    const int code = inner_.get_next(&inner_, out);
    for (std::int64_t i = 0; code == 0 && out->release != nullptr && i < out->n_children; ++i) {
      ArrowArray& child = *out->children[i];
      ArrowSchema schema{};
      inner_.get_schema(&inner_, &schema);
      const std::string name = schema.children[i]->name;
      schema.release(&schema);
      const bool list = child.n_children > 0;
      numbers.emplace(name, list ? child.children[0]->buffers[1] : child.buffers[1]);
      alive.insert(name);
      child.private_data = new Child{this, name, child.release, child.private_data};
      child.release = [](ArrowArray* self) {
        const std::unique_ptr<Child> watched(static_cast<Child*>(self->private_data));
        watched->watched->alive.erase(watched->name);
        self->private_data = watched->kept;
        watched->release(self);
        self->release = nullptr;
      };
    }
    return code;
  }

  ArrowArrayStream inner_;
};

std::vector<ArrowNode> columns() {
  return {numbers<std::int64_t>("episode", "l", {7, 7, 8, 8}),
          numbers<double>("state", "g", {0.5, 1.5, 2.5, 3.5}),
          numbers<double>("reward", "g", {1, 2, 3, 4}),
          numbers<float>("behavior_prob", "f", {0.5, 0.5, 0.5, 0.5}),
          numbers<double>("target_prob", "g", {0.25, 0.25, 0.25, 0.75}),
          numbers<double>("nobody", "g", {1, 2, 3, 4})};
}

std::vector<ArrowNode> with(const ArrowNode& column) {
  std::vector<ArrowNode> all = columns();
  for (ArrowNode& each : all) {
    if (each.name == column.name) each = column;
  }
  return all;
}

ReadResult read_watched(Watched& watched, const ReadOptions& options = {}) {
  ArrowArrayStream stream = watched.stream();
  return read(&stream, "frame", options);
}

TEST(ArrowLoans, ATableInOneBatchIsUsedWhereItLies) {
  Watched watched({table(columns())});
  {
    const ReadResult result = read_watched(watched);
    EXPECT_EQ(static_cast<const void*>(result.data.rewards().data()), watched.numbers["reward"]);
    const DenseStates& states = std::get<DenseStates>(result.data.states());
    EXPECT_EQ(static_cast<const void*>(states.values.doubles()->data()), watched.numbers["state"]);
    EXPECT_EQ(static_cast<const void*>(result.data.columns().target->values.data()), watched.numbers["target_prob"]);
    EXPECT_THAT(result.data.rewards(), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(result.data.columns().behavior->values, ElementsAre(0.5, 0.5, 0.5, 0.5));
    // What is not used is gone, with what had to be converted.
    EXPECT_THAT(watched.alive, UnorderedElementsAre("state", "reward", "target_prob"));
  }
  EXPECT_TRUE(watched.alive.empty());
}

TEST(ArrowLoans, ListsOfOneLengthAreAMatrix) {
  const std::vector<float> features{1, 2, 3, 4, 5, 6, 7, 8};
  const ArrowNode elements = numbers<float>("item", "f", features);
  for (const ArrowNode& lists :
       {fixed_lists("state", 2, elements), starope::testing::lists<std::int32_t>("state", {0, 2, 4, 6, 8}, elements)}) {
    Watched watched({table(with(lists))});
    const ReadResult result = read_watched(watched);
    const DenseStates& states = std::get<DenseStates>(result.data.states());
    ASSERT_NE(states.values.floats(), nullptr);
    EXPECT_EQ(static_cast<const void*>(states.values.floats()->data()), watched.numbers["state"]) << lists.format;
    EXPECT_EQ(states.dimension, 2);
    EXPECT_THAT(*states.values.floats(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  }
}

TEST(ArrowLoans, SlicesBeginWhereTheyBegin) {
  for (const ArrowNode& slice : {sliced(table(columns()), 1, 4), sliced_columns(table(columns()), 1, 4)}) {
    Watched watched({slice});
    const ReadResult result = read_watched(watched);
    EXPECT_THAT(result.data.rewards(), ElementsAre(2, 3, 4));
    EXPECT_EQ(result.data.rewards().data(), static_cast<const double*>(watched.numbers["reward"]) + 1);
  }
}

TEST(ArrowLoans, RowsThatMoveAreCopied) {
  // Of two batches, in another order, and with the state after the last step behind an episode.
  Watched two({sliced(table(columns()), 0, 2), sliced(table(columns()), 2, 4)});
  EXPECT_THAT(read_watched(two).data.rewards(), ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(two.alive.empty());

  Watched mixed({table(with(numbers<std::int64_t>("episode", "l", {7, 8, 7, 8})))});
  EXPECT_THAT(read_watched(mixed, {.sort = true}).data.rewards(), ElementsAre(1, 3, 2, 4));
  EXPECT_TRUE(mixed.alive.empty());

  std::vector<ArrowNode> partial = with(numbers<double>("reward", "g", {1, 2, 3, nan}));
  partial[3] = numbers<double>("behavior_prob", "g", {0.5, 0.5, 0.5, nan});
  partial[4] = numbers<double>("target_prob", "g", {0.25, 0.25, 0.25, nan});
  partial.push_back(numbers<std::uint8_t>("truncated", "C", {0, 1, 1, 0}));
  Watched finals({table(partial)});
  const ReadResult result = read_watched(finals);
  EXPECT_THAT(result.data.rewards(), ElementsAre(1, 2, 3));
  EXPECT_EQ(result.summary.final_states, 1);
  EXPECT_TRUE(finals.alive.empty());
}

TEST(ArrowLoans, WhatIsMissingIsFoundWhereItLies) {
  Watched gap({table(with(numbers<double>("reward", "g", {1, nan, 3, 4})))});
  EXPECT_THROW(read_watched(gap), DataError);
  EXPECT_TRUE(gap.alive.empty());
  // A null has no number: nothing of the column can be used as it lies.
  Watched null(
      {table(with(with_nulls(numbers<double>("target_prob", "g", {0.25, 9, 0.25, 0.75}), {true, false, true, true})))});
  EXPECT_THROW(read_watched(null), DataError);
}

}  // namespace
}  // namespace starope::io
