// What an export writes besides its path, as the file dialog asks for it: which table, which part of the
// launch, and how large that will be.
#pragma once

#include <optional>
#include <string>

#include "app/gui/file_state.h"
#include "app/gui/ui.h"
#include "kernels/export/tables.h"
#include "kernels/metrics/selection.h"

namespace warpscope {

struct ExportChoice {
  TableKind table = TableKind::kRuns;
  std::optional<CycleRange> range;  // of a format that has ranges; absent: the whole launch
  bool operator==(const ExportChoice&) const = default;
};

class ExportOptions {
 public:
  void begin(const FileActionInfo& action);  // the whole launch, and the first table
  // `estimate`: how much will be written, for the reader. True: Enter in its field.
  bool draw(const Ui& ui, const std::string& estimate, float width);
  const ExportChoice& choice() const { return choice_; }
  // Why nothing can be written so; empty: it can.
  std::string problem() const;

 private:
  enum class Part { kWhole, kVisible, kSelected, kTyped };
  void drawTables(const Ui& ui, float width);
  void drawParts(const Ui& ui, float width);
  bool drawTypedRange(const Ui& ui);
  void choose(const Ui& ui, Part part);

  const FileActionInfo* action_ = nullptr;
  ExportChoice choice_;
  Part part_ = Part::kWhole;
  std::string typed_;  // the range, while it is the user's
  bool typed_is_range_ = false, focus_ = false;
};

}  // namespace warpscope
