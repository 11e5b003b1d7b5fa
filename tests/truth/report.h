// Tables and a picture of how far modelled counts are from measured ones.
#pragma once

#include <string>
#include <vector>

#include "tests/truth/suite.h"

namespace warpscope::test {

struct ComparedKernel {
  std::string name;
  Part part = Part::kOpen;
  Counters measured, modelled;
};

void printHead();
void printRow(const ComparedKernel& kernel);
void printDetails(const ComparedKernel& kernel);  // every counter that both have
// Of each quantity, over the kernels of a part: mean, median, p90 and worst of the errors. Nothing for none.
void printSummary(const std::vector<ComparedKernel>& all, Part part);
// Modelled over measured cycles, both logarithmic, as an SVG of its own. Judged kernels are points without
// names.
std::string scatterPlot(const std::vector<ComparedKernel>& kernels, const std::string& source);

}  // namespace warpscope::test
