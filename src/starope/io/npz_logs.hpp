#pragma once

#include <cstdint>
#include <string>

#include "starope/io.hpp"
#include "starope/io/input_file.hpp"

namespace starope::io {

// Reads logged episodes from a NumPy archive (numpy.savez) whose arrays are the columns of the canonical table, one
// entry per step. An array of shape (steps, d), such as `state` or `target_probs`, stands for the columns state_0 ..
// state_{d-1}. Episodes are integers. A row whose reward and probabilities are NaN gives the state after the last step.
// Rows are counted from 0 in messages.
ReadResult read_npz(const std::string& path, const ReadOptions& options = {});

// The same for a file that is open already.
ReadResult read_npz(InputFile file, const ReadOptions& options);

// What the arrays of an archive become: more than they unpack to, where they are truth values or small integers.
std::int64_t npz_bytes_in_memory(InputFile file);

}  // namespace starope::io
