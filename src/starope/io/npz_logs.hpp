#pragma once

#include <string>

#include "starope/data/dataset.hpp"
#include "starope/io/column_roles.hpp"
#include "starope/io/csv_writer.hpp"
#include "starope/io/long_table.hpp"

namespace starope::io {

// Reads logged episodes from a NumPy archive (numpy.savez) whose arrays are the columns of the canonical table, one
// entry per step. An array of shape (steps, d), such as `state` or `target_probs`, stands for the columns state_0 ..
// state_{d-1}. Episodes are integers. A row whose reward and probabilities are NaN gives the state after the last step.
// Rows are counted from 0 in messages.
ReadResult read_npz(const std::string& path, const ReadOptions& options = {});

// Writes such a file; it appears whole or not at all. States of bits are written as truth values. Episodes whose ids
// are texts are numbered.
void write_npz(const Dataset& data, const std::string& path, const WriteOptions& options = {});

}  // namespace starope::io
