// starope_release_files FOLDER: one file of every kind that this version writes.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "starope/domains.hpp"
#include "starope/starope.hpp"
#include "starope/study.hpp"

namespace {

namespace fs = std::filesystem;
using namespace starope;  // NOLINT(google-build-using-namespace): a program of its own

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void write(const fs::path& path, const Bytes& bytes) {
  write(path, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string small_logs() {
  std::string text =
      "episode,t,state,action,reward,behavior_prob,target_prob,target_probs_0,target_probs_1,truncated\n";
  for (int i = 0; i < 20; ++i) {
    const int length = 2 + i % 4;
    for (int t = 0; t < length; ++t) {
      const int action = (i / 2 + t) % 2;
      text += std::to_string(i) + ',' + std::to_string(t) + ',' + std::to_string((i + t) % 3) + ',' +
              std::to_string(action) + ',' + std::to_string((i * t) % 5) + ",0.5," + (action == 1 ? "0.7" : "0.3") +
              ",0.3,0.7," + (t + 1 == length && i % 5 == 0 ? "1" : "0") + '\n';
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path folder = argv[1];
  fs::create_directories(folder);
  write(folder / "logs.csv", small_logs());
  const Dataset logs = io::read((folder / "logs.csv").string()).data;
  const ProblemOptions question{.discount = Discount{0.9}};
  const Problem problem = make_problem(logs, question);
  io::write_npz(logs, (folder / "logs.npz").string());

  const auto estimators = parse_estimators("naive,wis,wpdis,star(phi=identity,clip=2),mb,star(phi=grid)");
  write(folder / "evaluation.json",
        to_json(evaluate(problem, estimators, {.level = Level{0.95}, .details = true, .file = "logs.csv"})));

  const ArpOptions options{.clip = Clip::last(2)};
  const PhiFit phi = fit_phi(Identity{}, dataset_source(logs), question);
  const ArpCount count{
      .phi = phi.phi, .options = options, .question = question, .whole = survey(dataset_source(logs), question)};
  write(folder / "phi.bin", phi.phi.to_bytes());
  write(folder / "statistic-1.bin", fold(count, dataset_source(logs.take(0, 7))).to_bytes());
  write(folder / "statistic-2.bin", fold(count, dataset_source(logs.take(7, 20))).to_bytes());

  write(folder / "inspection.json", to_json(inspect(logs)));
  write(folder / "comparison.json", to_json(compare({PolicyProblem{"one", problem}, PolicyProblem{"two", problem}},
                                                    parse_estimators("wpdis,naive"))));
  const ShardStatistics first = starope::count(dataset_source(logs.take(0, 7)), question,
                                               parse_estimators("naive,wpdis,star(phi=identity,clip=2)"));
  write(folder / "part-1.star", first.to_bytes());
  write(folder / "part-2.star", starope::count(dataset_source(logs.take(7, 20)), first).to_bytes());

  StudySpec study{.name = "release", .seed = Seed{1}, .truth_episodes = 100};
  study.domains.push_back({.name = "win",
                           .domain = "model-win",
                           .sizes = {5, 10},
                           .trials = 2,
                           .estimators = {"naive", "star(phi=identity)", "star(phi=grid)"}});
  run_study(study, {.folder = (folder / "study").string(), .threads = Threads{1}});
  return 0;
}
