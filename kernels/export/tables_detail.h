// The two halves of writeTable: the table of runs, and those whose rows depend on a single run.
#pragma once

#include "kernels/export/tables.h"

namespace warpscope::detail {

Expected<void> writeRuns(const RunSource& runs, RowWriter& out);
Expected<void> writeRowsOfRuns(TableKind kind, const RunSource& runs, RowWriter& out);

}  // namespace warpscope::detail
