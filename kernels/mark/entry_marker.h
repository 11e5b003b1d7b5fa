// Marks one entry of a module's text: what is inserted before its lines, and the copy that results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mark/entry_text.h"
#include "kernels/mark/mark.h"
#include "kernels/mark/places.h"
#include "kernels/mark/probe_text.h"

namespace warpscope {

inline constexpr const char* kMarkedSuffix = "_warpscope_marked";  // of copies' names

// The source that regions are named after.
class SourceLines {
 public:
  explicit SourceLines(std::string_view text) : lines_(linesOf(text)) {}
  std::string text(uint32_t line) const;  // "sum += in[i];", shortened; empty: there is no such line

 private:
  std::vector<std::string_view> lines_;
};

class EntryMarker {
 public:
  // `lines`: of the module's text, one statement each (entry_text.h). All must outlive the marker.
  EntryMarker(const ptx::Module& module, const ptx::Function& function,
              const std::vector<std::string_view>& lines, const SourceLines& source);

  MarkedKernel mark(MarkLevel level, const LineOf& line_of);
  const EntryRange& range() const { return range_; }
  std::string copy() const;  // of the entry, with all that was inserted

 private:
  void insert(uint32_t line, std::string text) { insertions_[line].push_back(std::move(text)); }
  std::string renamed(std::string_view line) const;
  std::optional<uint32_t> regionId(MarkedKernel& kernel, const std::string& name, uint32_t first,
                                   uint32_t last);
  void addMark(MarkedKernel& kernel, const MarkPlace& place);
  uint32_t aboveLabels(uint32_t line) const;
  void findCallSequences();
  uint32_t beforeCallSequence(uint32_t line) const;
  bool addHandMarks(MarkedKernel& kernel);
  void addExits();
  void noteCalls(MarkedKernel& kernel) const;

  const ptx::Module& module_;
  const ptx::Function& function_;
  const std::vector<std::string_view>& lines_;
  const SourceLines& source_;
  ProbeText probe_;
  EntryRange range_;
  std::vector<uint32_t> sequence_of_;  // by line from range_.open: where its call sequence begins; 0: in none
  uint32_t begin_line_ = 0;            // the entry's own mark comes before it
  std::map<uint32_t, std::vector<std::string>> insertions_;  // before lines, from 1; in the order of adding
};

}  // namespace warpscope
