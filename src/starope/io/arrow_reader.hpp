#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "starope/io/arrow_array.hpp"
#include "starope/io/arrow_loans.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// A stream of Arrow tables as a table: what pandas, polars, pyarrow and DuckDB hand out. A column of lists that are all
// of one length is as many columns, NAME_0, NAME_1, ...; dictionaries are what they stand for. Nulls are empty cells,
// and so are NaNs where a cell may be empty: pandas means that. Rows are counted from 0.
class ArrowTableReader : public TableReader {
 public:
  // Takes the stream over and releases it at its end. The name is for messages.
  ArrowTableReader(ArrowArrayStream* stream, std::string name);
  ~ArrowTableReader() override { loans_.take_from(*batch_.get()); }

  const std::vector<TableColumn>& columns() const override { return columns_; }
  TableSource source() const override { return {.file = name_, .first_row = numbered_from_ + first_row_}; }
  // The column of the stream that a column of the table is, or is an element of.
  std::string column_of(const std::string& name) const;
  bool holds_texts(const std::string& name) const;  // a column of the table, as the stream declares it
  std::optional<std::int64_t> next(std::int64_t key) override;
  TableReading read(std::vector<WantedColumn> wanted) override;
  std::optional<RealColumn> lend(const std::vector<std::int64_t>& fields) override;

  // What errors call the first row: a stream of a text has a line for each.
  void number_rows_from(std::int64_t first) { numbered_from_ = first; }
  void expect_rows(std::int64_t rows) { expected_rows_ = rows; }  // what who made the stream knows
  std::optional<std::int64_t> expected_rows() const override { return expected_rows_; }
  std::optional<double> share_read() const override;

 private:
  struct Field {
    std::size_t child = 0;
    std::int64_t width = 0;  // of the lists; 0: no list
    std::int64_t element = 0;
    ArrowType list{};
    ArrowType codes{};  // of a dictionary
    bool coded = false;
    ArrowType type{};  // of the values
  };
  using Values = ArrowValues;

  bool fetch();  // the next batch that has rows
  void describe(const ArrowSchema& schema, std::size_t child);
  TableColumn::Type type_of(const Field& field) const;
  [[noreturn]] void fail(const std::string& rule, const std::string& remedy, const std::string& column = {}) const;
  [[noreturn]] void fail_contradiction(const std::string& what, const std::string& column) const;
  const std::string& name_of(std::int64_t field) const { return columns_[field].name; }

  Values values_of(std::int64_t field, Offences& trouble) const;
  Values find_values(const Field& field, const std::string& name, Offences& trouble) const;
  void follow_codes(const Field& field, const std::string& name, Values& values) const;
  std::vector<std::int64_t> partial_rows(const std::vector<WantedColumn>& wanted, std::vector<Values>& values,
                                         Offences& trouble) const;
  void store(const WantedColumn& wanted, const Values& values, TextRuns& text, Offences& trouble) const;

  std::string name_;
  ArrowOwned<ArrowArrayStream> stream_;
  ArrowOwned<ArrowSchema> schema_{};
  ArrowOwned<ArrowArray> batch_{};
  ArrowLoans loans_{};
  std::vector<TableColumn> columns_{};
  std::vector<Field> fields_{};
  std::int64_t first_row_ = 0;  // of the batch
  std::int64_t numbered_from_ = 0;
  std::optional<std::int64_t> expected_rows_{};
  bool begun_ = false;
};

}  // namespace starope::io
