#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "app/cli/reports.h"
#include "app/cli/table.h"
#include "kernels/access/access_shape.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"

namespace warpscope {
namespace {

// Empty where the compiler does not say: it has made one instruction of several lines.
std::string lineText(const LaneLog& log, uint32_t instruction) {
  const uint32_t line = lineOf(log, instruction);
  return line == 0 ? std::string() : fmt::to_string(line);
}

std::string doing(const MemoryRequest& request) {
  return request.atomic ? "atomic" : request.writes ? "write" : "read";
}

std::string counted(uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Only global memory has sectors that a kernel's author arranges, but local memory moves sectors, too;
// constants and shared memory do not.
bool movesSectors(const MemoryRequest& request) {
  return request.space == AccessSpace::kGlobal || request.space == AccessSpace::kLocal;
}

std::vector<std::string> rowOf(const LaneLog& log, const MemoryRequest& request) {
  std::vector<std::string> row{fmt::to_string(request.step), lineText(log, request.instruction),
                               fmt::format("{} {}", spaceName(request.space), doing(request)),
                               fmt::to_string(request.mask.count())};
  if (request.space == AccessSpace::kShared) {
    const sim::SharedShape shape = sim::sharedShape(request);
    row.push_back(fmt::format("{} (ideal {})", counted(shape.wavefronts, "wavefront"), shape.ideal));
    row.push_back(fmt::to_string(request.bytes * static_cast<uint32_t>(request.mask.count())));
    row.emplace_back();
  } else if (movesSectors(request)) {
    const sim::GlobalShape shape = sim::globalShape(request);
    row.push_back(
        fmt::format("{} in {}", counted(shape.sectors, "sector"), counted(shape.lines.size(), "line")));
    row.push_back(fmt::to_string(shape.bytes_asked));
    row.push_back(fmt::to_string(shape.bytes_moved));
  } else {
    row.insert(row.end(), 3, "");
  }
  row.push_back(textOf(log, request.instruction));
  return row;
}

std::vector<std::string> rowOf(const LaneLog& log, const LaneExchange& exchange) {
  return {fmt::to_string(exchange.step),
          lineText(log, exchange.instruction),
          exchangeName(exchange.kind),
          fmt::to_string(exchange.mask.count()),
          "",
          "",
          "",
          textOf(log, exchange.instruction)};
}

// Visits both lists together, in order of steps.
template <class Use>
void forEachStep(const LoggedWarp& warp, const Use& use) {
  size_t request = 0, exchange = 0;
  while (request < warp.requests.size() || exchange < warp.exchanges.size()) {
    const bool first =
        exchange == warp.exchanges.size() ||
        (request < warp.requests.size() && warp.requests[request].step < warp.exchanges[exchange].step);
    first ? use(warp.requests[request++]) : use(warp.exchanges[exchange++]);
  }
}

std::string heading(const LaneLog& log, const LoggedWarp& warp) {
  const auto& at = warp.block_index;
  return fmt::format(
      "{} {}: block {} ({}, {}, {}) of {} x {} x {}, warp {}: {} of 32 lanes exist. Addresses: simulated.\n",
      log.request.family, log.request.variant, warp.block.value, at.x, at.y, at.z, log.grid.x, log.grid.y,
      log.grid.z, warp.warp_in_block, warp.live.count());
}

std::string ending(const LaneLog& log, const LoggedWarp& warp) {
  std::string text;
  if (warp.dropped > 0) text += fmt::format("{} more were not kept.\n", formatCount(warp.dropped));
  if (!log.ended_early.empty()) text += fmt::format("The execution ended early: {}\n", log.ended_early);
  return text;
}

Json masked(LaneMask mask, const auto& value) {
  Json array = Json::array();
  for (int lane = 0; lane < kWarpSize; ++lane) array.push_back(mask.has(lane) ? Json(value(lane)) : Json());
  return array;
}

Json reportOf(const LaneLog& log, const MemoryRequest& request) {
  Json entry = {{"access", request.step},
                {"line", lineOf(log, request.instruction)},
                {"ptx", textOf(log, request.instruction)},
                {"space", spaceName(request.space)},
                {"does", doing(request)},
                {"bytes_per_lane", request.bytes},
                {"mask", request.mask.bits}};
  entry["addresses"] =
      masked(request.mask, [&](int lane) { return request.addresses[static_cast<size_t>(lane)]; });
  if (request.space == AccessSpace::kShared) {
    const sim::SharedShape shape = sim::sharedShape(request);
    entry["wavefronts"] = shape.wavefronts;
    entry["wavefronts_ideal"] = shape.ideal;
  } else if (movesSectors(request)) {
    const sim::GlobalShape shape = sim::globalShape(request);
    entry["sectors"] = shape.sectors;
    entry["lines"] = shape.lines.size();
    entry["bytes_asked"] = shape.bytes_asked;
    entry["bytes_distinct"] = shape.bytes_distinct;
    entry["bytes_moved"] = shape.bytes_moved;
  }
  if (request.space == AccessSpace::kGlobal) {
    entry["places"] = masked(request.mask, [&](int lane) { return placeOf(log, request, lane); });
  }
  return entry;
}

Json reportOf(const LaneLog& log, const LaneExchange& exchange) {
  Json entry = {{"access", exchange.step},
                {"line", lineOf(log, exchange.instruction)},
                {"ptx", textOf(log, exchange.instruction)},
                {"exchange", exchangeName(exchange.kind)},
                {"mask", exchange.mask.bits}};
  const auto at = [](const auto& values) {
    return [&values](int lane) { return values[static_cast<size_t>(lane)]; };
  };
  if (isShuffle(exchange.kind)) {
    entry["sources"] = masked(exchange.mask, at(exchange.source));
    entry["in_range"] = exchange.in_range.bits;
  }
  entry["received"] = masked(exchange.mask, at(exchange.received));
  return entry;
}

std::string stepTable(const LaneLog& log, const LoggedWarp& warp, const MemoryRequest& request) {
  const bool shared = request.space == AccessSpace::kShared;
  Table table(shared ? std::vector<Column>{{"lane", Align::kRight},
                                           {"thread"},
                                           {"byte", Align::kRight},
                                           {"banks"},
                                           {"wavefronts"}}
                     : std::vector<Column>{{"lane", Align::kRight},
                                           {"thread"},
                                           {"address", Align::kRight},
                                           {"place"},
                                           {"sector", Align::kRight}});
  const sim::SharedShape shape = shared ? sim::sharedShape(request) : sim::SharedShape{};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!request.mask.has(lane)) continue;
    const auto i = static_cast<size_t>(lane);
    const ThreadIndex& thread = warp.threads[i];
    const uint64_t address = request.addresses[i];
    std::vector<std::string> row{fmt::to_string(lane),
                                 fmt::format("{}, {}, {}", thread.x, thread.y, thread.z)};
    if (shared) {
      std::vector<uint32_t> banks, wavefronts;
      for (const sim::SharedWord& word : shape.words) {
        if (!word.lanes.has(lane)) continue;
        banks.push_back(word.bank);
        wavefronts.push_back(word.wavefront);
      }
      row.push_back(fmt::to_string(address));
      row.push_back(fmt::format("{}", fmt::join(banks, " ")));
      row.push_back(fmt::format("{}", fmt::join(wavefronts, " ")));
    } else {
      row.push_back(fmt::format("{:#x}", address));
      row.push_back(request.space == AccessSpace::kGlobal ? placeOf(log, request, lane) : "");
      row.push_back(movesSectors(request) ? fmt::to_string(address / sim::kSectorBytes) : "");
    }
    table.addRow(std::move(row));
  }
  return table.text();
}

std::string stepTable(const LaneExchange& exchange) {
  Table table({{"lane", Align::kRight},
               {"gave", Align::kRight},
               {"from lane", Align::kRight},
               {"got", Align::kRight}});
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!exchange.mask.has(lane)) continue;
    const auto i = static_cast<size_t>(lane);
    std::string from;
    if (isShuffle(exchange.kind)) {
      from = exchange.in_range.has(lane) ? fmt::to_string(exchange.source[i]) : "out of range";
    }
    const bool votes = exchange.kind >= ExchangeKind::kVoteAll && exchange.kind <= ExchangeKind::kBallot;
    table.addRow(
        {fmt::to_string(lane),
         votes ? (exchange.predicate.has(lane) ? "true" : "false") : fmt::to_string(exchange.given[i]), from,
         fmt::to_string(exchange.received[i])});
  }
  return table.text();
}

}  // namespace

std::string warpTable(const LaneLog& log, const LoggedWarp& warp) {
  Table table({{"access", Align::kRight},
               {"line", Align::kRight},
               {"what"},
               {"lanes", Align::kRight},
               {"costs"},
               {"bytes asked", Align::kRight},
               {"moved", Align::kRight},
               {"PTX"}});
  forEachStep(warp, [&](const auto& step) { table.addRow(rowOf(log, step)); });
  return heading(log, warp) + table.text() + ending(log, warp);
}

std::string stepTable(const LaneLog& log, const LoggedWarp& warp, uint32_t step) {
  for (const MemoryRequest& request : warp.requests) {
    if (request.step == step) return textOf(log, request.instruction) + "\n" + stepTable(log, warp, request);
  }
  for (const LaneExchange& exchange : warp.exchanges) {
    if (exchange.step == step) return textOf(log, exchange.instruction) + "\n" + stepTable(exchange);
  }
  return "";
}

Json lanesReport(const LaneLog& log, const LoggedWarp& warp) {
  Json report = {{"family", log.request.family},
                 {"variant", log.request.variant},
                 {"parameters", log.request.parameters},
                 {"kernel", log.kernel},
                 {"addresses", "simulated"},
                 {"grid", {log.grid.x, log.grid.y, log.grid.z}},
                 {"block", {log.block.x, log.block.y, log.block.z}},
                 {"block_index", warp.block.value},
                 {"warp", warp.warp_in_block},
                 {"dropped", warp.dropped}};
  if (!log.ended_early.empty()) report["ended_early"] = log.ended_early;
  report["threads"] = masked(warp.live, [&](int lane) {
    const ThreadIndex& thread = warp.threads[static_cast<size_t>(lane)];
    return std::array{thread.x, thread.y, thread.z};
  });
  Json& accesses = report["accesses"] = Json::array();
  forEachStep(warp, [&](const auto& step) { accesses.push_back(reportOf(log, step)); });
  return report;
}

}  // namespace warpscope
