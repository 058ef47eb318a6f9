#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "injection.hpp"
#include "starope/error.hpp"
#include "starope/io/atomic_file.hpp"
#include "workloads.hpp"

namespace starope {
namespace {

using testing::Fault;
using testing::Folder;
using testing::Injection;

// The k-th call that changes a file fails, alone or with all after it, for every k.
template <class Work>
std::int64_t for_every_call(const Work& work) {
  for (std::int64_t k = 1;; ++k) {
    bool happened = false;
    for (const bool lasting : {false, true}) happened = work(k, lasting) || happened;
    if (!happened) return k - 1;
  }
}

TEST(Files, AnOutputIsTheOldOneOrTheNewOne) {
  const std::string text(700'000, 'x');  // more than one write
  for (const auto how : {io::AtomicFile::Temporary::nameless, io::AtomicFile::Temporary::named}) {
    const Folder folder;
    const std::int64_t disturbed = for_every_call([&](std::int64_t k, bool lasting) {
      folder.write("a", "old");
      bool said = false;
      {
        const Injection injection(Fault::file, k, lasting);
        try {
          io::AtomicFile file(folder.at("a"), how);
          file.write(text);
          file.commit();
        } catch (const FileError&) {
          said = true;
        }
      }
      const auto files = folder.files();
      EXPECT_EQ(files.size(), 1U) << k;  // and nothing beside it
      EXPECT_EQ(files.at("a") == text ? "new" : files.at("a"), said ? "old" : "new") << k;
      return Injection::happened();
    });
    EXPECT_GE(disturbed, 5);
  }
}

TEST(Files, AStudyOnAFailingDiskGoesOnWhereItStopped) {
  const Folder folder;
  testing::run(folder.at("whole"), false);
  const std::vector<std::string> whole = testing::said(folder.at("whole/results.jsonl"));
  const std::int64_t disturbed = for_every_call([&](std::int64_t k, bool lasting) {
    testing::fs::remove_all(folder.at("r"));
    {
      const Injection injection(Fault::file, k, lasting);
      try {
        testing::run(folder.at("r"), false);
      } catch (const FileError&) {
      }
    }
    const bool happened = Injection::happened();
    testing::run(folder.at("r"), true);
    EXPECT_EQ(testing::said(folder.at("r/results.jsonl")), whole) << k;
    for (const auto& [name, content] : folder.files()) EXPECT_EQ(name.find(".tmp"), std::string::npos) << k << name;
    return happened;
  });
  EXPECT_GE(disturbed, 10);
}

TEST(Files, AResumedStudyOnAFailingDiskLosesNothing) {
  const Folder folder;
  testing::run(folder.at("whole"), false);
  const std::vector<std::string> whole = testing::said(folder.at("whole/results.jsonl"));
  const std::string content = folder.read("whole/results.jsonl");
  for_every_call([&](std::int64_t k, bool lasting) {
    testing::fs::remove_all(folder.at("r"));
    testing::fs::copy(folder.at("whole"), folder.at("r"));
    folder.write("r/results.jsonl", content.substr(0, content.size() - 40));  // the last cell is torn
    {
      const Injection injection(Fault::file, k, lasting);
      try {
        testing::run(folder.at("r"), true);
      } catch (const FileError&) {
      }
    }
    const bool happened = Injection::happened();
    testing::run(folder.at("r"), true);
    EXPECT_EQ(testing::said(folder.at("r/results.jsonl")), whole) << k;
    return happened;
  });
}

TEST(Files, LogsAreWrittenWholeOrNotAtAll) {
  const Folder folder;
  folder.write("logs.csv", testing::logs_text());
  const Dataset data = io::read(folder.at("logs.csv"), {.threads = Threads{1}}).data;
  for (const std::string name : {"out.csv", "out.npz"}) {
    for_every_call([&](std::int64_t k, bool lasting) {
      folder.write(name, "old");
      bool said = false;
      {
        const Injection injection(Fault::file, k, lasting);
        try {
          name == "out.csv" ? io::write_csv(data, folder.at(name)) : io::write_npz(data, folder.at(name));
        } catch (const FileError&) {
          said = true;
        }
      }
      EXPECT_EQ(folder.files().size(), 2U) << k;
      if (said) {
        EXPECT_EQ(folder.read(name), "old") << k;
      } else {
        EXPECT_EQ(io::read(folder.at(name), {.threads = Threads{1}}).data.steps(), data.steps()) << k;
      }
      testing::fs::remove(folder.at(name));
      return Injection::happened();
    });
  }
}

}  // namespace
}  // namespace starope
