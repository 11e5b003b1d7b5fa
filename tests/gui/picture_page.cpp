#include "tests/gui/picture_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/gui/png.h"
#include "kernels/core/files.h"

namespace warpscope::testing {
namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<meta charset="utf-8">
<title>warpscope: pictures of the {0} theme</title>
<style>
  body {{ font-family: sans-serif; background: #ddd; }}
  table {{ border-spacing: 8px; }}
  td {{ vertical-align: top; }}
  img {{ max-width: 32vw; image-rendering: pixelated; }}
</style>
<h1>Pictures of the {0} theme that changed: {1} of {2}</h1>
<table>
<tr><th>before<th>after<th>difference (red)</tr>
)";

struct Changed {
  const PicturePage::Entry* entry;
  PictureDifference difference;
};

std::string cell(const std::string& kind, const std::string& name, const Image& image) {
  if (image.rgb.empty()) return "<td>there is none";
  return fmt::format(R"(<td><img src="{}/{}" width="{}">)", kind, name, image.width);
}

}  // namespace

Expected<void> PicturePage::write(const std::filesystem::path& folder, const std::string& name,
                                  const Tolerance& tolerance) const {
  std::vector<Changed> changed;
  for (const Entry& entry : entries_) {
    const PictureDifference difference = compare(entry.before, entry.after, tolerance);
    if (!difference.within(tolerance)) changed.push_back({&entry, difference});
  }
  std::ranges::stable_sort(
      changed, [](const Changed& a, const Changed& b) { return a.difference.share > b.difference.share; });
  std::string page = fmt::format(kHead, name, changed.size(), entries_.size());
  for (const auto& [entry, difference] : changed) {
    const Image marked = differenceOf(entry->before, entry->after, tolerance);
    for (const auto& [kind, image] : {std::pair{"before", &entry->before}, {"difference", &marked}}) {
      if (image->rgb.empty()) continue;
      if (auto written = writePng(folder / kind / entry->name, *image); !written) return written;
    }
    page += fmt::format("<tr><td colspan=\"3\"><h2>{}: {}</h2></tr>\n<tr>{}{}{}</tr>\n", entry->name,
                        difference.same_size ? fmt::format("{:.3f} % of the pixels", difference.share * 100)
                                             : std::string("new, or of another size"),
                        cell("before", entry->name, entry->before), cell("after", entry->name, entry->after),
                        cell("difference", entry->name, marked));
  }
  return replaceFile(folder / (name + ".html"), page + "</table>\n");
}

}  // namespace warpscope::testing
