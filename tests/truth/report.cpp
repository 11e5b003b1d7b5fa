#include "tests/truth/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>

#include "kernels/core/units.h"
#include "kernels/run/warp_state.h"

namespace warpscope::test {
namespace {

std::optional<double> find(const Counters& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? std::nullopt : std::optional(found->second);
}

double sumOf(const Counters& counters, std::initializer_list<const char*> names) {
  double sum = 0;
  for (const char* name : names) sum += find(counters, name).value_or(0);
  return sum;
}

// Every sector that a kernel's loads, stores and atomics ask L1 for.
double sectorsOf(const Counters& counters) {
  return sumOf(
      counters,
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
       "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
       "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"});
}

// Those of textures and surfaces.
double texelSectorsOf(const Counters& counters) {
  return sumOf(counters, {"l1tex__t_sectors_pipe_tex_mem_texture.sum",
                          "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum",
                          "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum"});
}

double bytesOf(const Counters& counters) {
  return sumOf(counters, {"dram__bytes_read.sum", "dram__bytes_write.sum"});
}

std::function<double(const Counters&)> counter(const char* name) {
  return [name](const Counters& counters) { return find(counters, name).value_or(0); };
}

// A quantity whose error is relative, in per cent. Where both values are below `little`, the error is that of
// nothing and is left out.
struct Quantity {
  const char* title;
  std::function<double(const Counters&)> of;
  double little = 0;
  bool points = false;            // a share: its error is a difference in points
  const char* counted = nullptr;  // a counter: where it was not counted, the error is left out
};

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> kQuantities{
      {"cycles", counter("sm__cycles_elapsed.max")},
      {"instructions", counter("smsp__inst_executed.sum")},
      {"thread instructions", counter("smsp__thread_inst_executed.sum")},
      {"sectors of L1", sectorsOf, 1},
      {"L2 read sectors", counter("lts__t_sectors_op_read.sum"), 20'000},
      {"L2 write sectors", counter("lts__t_sectors_op_write.sum"), 20'000},
      {"DRAM bytes", bytesOf, 2e6},
      {"shared wavefronts", counter("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), 1'000},
      {"divergent targets", counter("smsp__sass_branch_targets_threads_divergent.sum"), 100},
      {"L1 hit rate", counter("l1tex__t_sector_hit_rate.pct"), 0, true},
      {"L2 hit rate", counter("lts__t_sector_hit_rate.pct"), 0, true},
      {"achieved occupancy", counter("sm__warps_active.avg.pct_of_peak_sustained_active"), 0, true},
      {"sectors of textures and surfaces", texelSectorsOf, 1, false,
       "l1tex__t_sectors_pipe_tex_mem_texture.sum"}};
  return kQuantities;
}

// In per cent, or points.
std::optional<double> errorOf(const Quantity& quantity, const ComparedKernel& kernel) {
  if (quantity.counted != nullptr && !find(kernel.measured, quantity.counted)) return std::nullopt;
  const double measured = quantity.of(kernel.measured), modelled = quantity.of(kernel.modelled);
  if (quantity.points) return modelled - measured;
  if (measured <= quantity.little && modelled <= quantity.little) return std::nullopt;
  if (measured == 0) return 100.0;
  return 100 * (modelled / measured - 1);
}

// Of all warp-cycles, the share in each state, in per cent.
std::array<double, kWarpStates> sharesOf(const Counters& counters) {
  std::array<double, kWarpStates> shares{};
  double sum = 0;
  for (size_t i = 0; i < kWarpStates; ++i)
    sum += shares[i] = find(counters, warpStateCounter(static_cast<WarpState>(i))).value_or(0);
  for (double& share : shares) share *= sum > 0 ? 100 / sum : 0;
  return shares;
}

// The largest difference of a state's shares, in points, and that state.
std::pair<double, WarpState> worstShare(const ComparedKernel& kernel) {
  const auto measured = sharesOf(kernel.measured), modelled = sharesOf(kernel.modelled);
  std::pair<double, WarpState> worst{0, WarpState::kSelected};
  for (size_t i = 0; i < kWarpStates; ++i) {
    const double apart = modelled[i] - measured[i];
    if (std::abs(apart) > std::abs(worst.first)) worst = {apart, static_cast<WarpState>(i)};
  }
  return worst;
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

void printErrors(const char* title, std::vector<double> errors, const char* unit) {
  if (errors.empty()) return;
  double sum = 0, signed_sum = 0;
  for (double& error : errors) {
    signed_sum += error;
    error = std::abs(error);
    sum += error;
  }
  std::ranges::sort(errors);
  const auto count = static_cast<double>(errors.size());
  fmt::print("| {} | {} | {:.1f}{u} | {:.1f}{u} | {:.1f}{u} | {:.1f}{u} | {:+.1f}{u} |\n", title,
             errors.size(), sum / count, quantile(errors, 0.5), quantile(errors, 0.9), errors.back(),
             signed_sum / count, fmt::arg("u", unit));
}

}  // namespace

void printHead() {
  fmt::print("{:<22} {:>10} {:>10} {:>6} {:>11} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}  {}\n",
             "kernel", "cycles", "modelled", "ratio", "instr", "ratio", "sect", "L2 rd", "L2 wr", "DRAM",
             "wavef", "diver", "occup", "worst state, points");
}

void printRow(const ComparedKernel& kernel) {
  const auto& list = quantities();
  const auto ratio = [&](size_t i) {
    const auto error = errorOf(list[i], kernel);
    return error ? fmt::format("{:.2f}", 1 + *error / 100) : std::string("-");
  };
  const auto [apart, state] = worstShare(kernel);
  fmt::print(
      "{:<22} {:>10.0f} {:>10.0f} {:>6} {:>11.0f} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>+6.1f}  {} "
      "{:+.0f}\n",
      kernel.name, list[0].of(kernel.measured), list[0].of(kernel.modelled), ratio(0),
      list[1].of(kernel.measured), ratio(1), ratio(3), ratio(4), ratio(5), ratio(6), ratio(7), ratio(8),
      errorOf(list[11], kernel).value_or(0), warpStateName(state), apart);
}

void printDetails(const ComparedKernel& kernel) {
  for (const auto& [name, measured] : kernel.measured) {
    if (const auto modelled = find(kernel.modelled, name))
      fmt::print("    {:<75} {:>16.2f} {:>16.2f}\n", name, measured, *modelled);
  }
}

void printSummary(const std::vector<ComparedKernel>& all, Part part) {
  std::vector<ComparedKernel> kernels;
  std::ranges::copy_if(all, std::back_inserter(kernels), [part](const auto& of) { return of.part == part; });
  if (kernels.empty()) return;
  fmt::print(
      "\n| {} {} kernels | counted | mean | median | p90 | worst | mean with sign |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      kernels.size(), partName(part));
  for (const Quantity& quantity : quantities()) {
    std::vector<double> errors;
    for (const ComparedKernel& kernel : kernels) {
      if (const auto error = errorOf(quantity, kernel)) errors.push_back(*error);
    }
    printErrors(quantity.title, errors, quantity.points ? " points" : " %");
  }
  std::vector<double> shares;
  for (const ComparedKernel& kernel : kernels) shares.push_back(worstShare(kernel).first);
  printErrors("stall reasons, worst of a kernel", shares, " points");
  const auto near = std::ranges::count_if(shares, [](double apart) { return std::abs(apart) <= 10; });
  fmt::print("\nAll stall reasons within 10 points: {} of {} kernels.\n", near, kernels.size());
}

std::string scatterPlot(const std::vector<ComparedKernel>& kernels, const std::string& source) {
  constexpr double kSide = 480, kLeft = 90, kTop = 40, kRight = 50;  // the last label is centred at the edge
  const Quantity& cycles = quantities().front();
  double least = 1e300, most = 0;
  for (const ComparedKernel& kernel : kernels) {
    for (const double value : {cycles.of(kernel.measured), cycles.of(kernel.modelled)})
      least = std::min(least, value), most = std::max(most, value);
  }
  const double low = std::floor(std::log10(std::max(least, 1.0))),
               high = std::ceil(std::log10(std::max(most, 10.0)));
  const auto place = [&](double value) {
    return (std::log10(std::max(value, 1.0)) - low) / (high - low) * kSide;
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n",
      kLeft + kSide + kRight, kTop + kSide + 60);
  for (double power = low; power <= high; ++power) {
    const double at = place(std::pow(10, power));
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {4:.1f}H{5:.1f}\" stroke=\"#dddddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{6:.1f}\" text-anchor=\"middle\">{7}</text>\n"
        "<text x=\"{8:.1f}\" y=\"{9:.1f}\" text-anchor=\"end\">{7}</text>\n",
        kLeft + at, kTop, kTop + kSide, kLeft, kTop + kSide - at, kLeft + kSide, kTop + kSide + 20,
        formatCount(static_cast<int64_t>(std::pow(10, power))), kLeft - 8, kTop + kSide - at + 5);
  }
  svg += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#555555\"/>\n", kLeft, kTop + kSide,
                     kLeft + kSide, kTop);
  for (const ComparedKernel& kernel : kernels) {
    const double x = kLeft + place(cycles.of(kernel.measured)),
                 y = kTop + kSide - place(cycles.of(kernel.modelled));
    if (kernel.part == Part::kJudged) {
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"#0072b2\"/>\n", x, y);
      continue;
    }
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\" fill=\"none\" stroke=\"#d55e00\" "
        "stroke-width=\"1.5\"><title>{}: {:.0f} cycles measured, {:.0f} modelled</title></rect>\n",
        x - 3.5, y - 3.5, kernel.name, cycles.of(kernel.measured), cycles.of(kernel.modelled));
  }
  svg += fmt::format(
      "<text x=\"{:.1f}\" y=\"20\">Measured: {}</text>\n"
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"#0072b2\"/><text x=\"{:.1f}\" y=\"{:.1f}\">judged "
      "kernels</text>\n"
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\" fill=\"none\" stroke=\"#d55e00\" "
      "stroke-width=\"1.5\"/>"
      "<text x=\"{:.1f}\" y=\"{:.1f}\">open kernels</text>\n"
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">measured cycles</text>\n"
      "<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">modelled "
      "cycles</text>\n</svg>\n",
      kLeft, source.substr(0, source.find(", Nsight")), kLeft + 16, kTop + 18, kLeft + 28, kTop + 22,
      kLeft + 12.5, kTop + 34.5, kLeft + 28, kTop + 42, kLeft + kSide / 2, kTop + kSide + 48,
      kTop + kSide / 2);
  return svg;
}

}  // namespace warpscope::test
