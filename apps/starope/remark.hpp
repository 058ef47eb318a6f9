#pragma once

#include <string>
#include <vector>

namespace starope::cli {

// A sentence with figures in it. Sentences that differ only in their figures become one: "rests on 1.2 to 1.5 of 300
// episodes".
class Remark {
 public:
  explicit Remark(const std::string& sentence);

  // True if the other sentence has the same words and has been taken in.
  bool merge(const std::string& sentence);
  std::string text() const;

 private:
  struct Figure {
    std::string least{};  // as written
    std::string most{};
  };
  std::vector<std::string> words_{};  // words_[i] stands before figures_[i]; the last one behind all figures
  std::vector<Figure> figures_{};
};

}  // namespace starope::cli
