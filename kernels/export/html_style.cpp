#include "kernels/core/colours.h"
#include "kernels/export/html_parts.h"

namespace warpscope::html {
namespace {

std::string variables(const PageColours& page, size_t regions) {
  std::string text = fmt::format(
      "--background:{};--panel:{};--border:{};--grid:{};--text:{};--quiet:{};--accent:{};--ok:{};--warning:{}"
      ";"
      "--error:{};",
      hexColour(page.background), hexColour(page.panel), hexColour(page.border), hexColour(page.grid_line),
      hexColour(page.text), hexColour(page.text_quiet), hexColour(page.accent), hexColour(page.ok),
      hexColour(page.warning), hexColour(page.error));
  for (size_t i = 0; i < regions; ++i) text += fmt::format("--r{}:{};", i, hexColour(regionColour(i, page)));
  for (size_t i = 0; i < kSeriesColours; ++i) {
    const Rgb colour = seriesColour(i, page);
    text += fmt::format("--s{}:{};--on{}:{};", i, hexColour(colour), i, hexColour(textOn(colour)));
  }
  return text;
}

constexpr const char* kRules = R"css(
*{box-sizing:border-box}
body{background:var(--background);color:var(--text);margin:0 auto;padding:1.5rem;max-width:76rem;
  font:15px/1.45 Roboto,"DejaVu Sans",system-ui,sans-serif;-webkit-print-color-adjust:exact;print-color-adjust:exact}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:.75rem;border-top:1px solid var(--border)}
h2 small{font-size:.9rem;font-weight:400}h3{font-size:1rem;margin:1.5rem 0 .4rem}a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
p{margin:.3rem 0;max-width:60rem}.quiet{color:var(--quiet)}
.badge{display:inline-block;font-size:.75rem;font-weight:600;line-height:1.2;padding:.15em .6em;border-radius:.7em;vertical-align:middle;
  border:1.5px solid var(--accent);background:var(--accent);color:var(--background)}
.badge.modelled{background:none;color:var(--accent);border-style:dashed}
.scroll{overflow-x:auto;margin:.4rem 0}.scroll.modelled{padding:4px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.87rem}
th,td{text-align:left;padding:.28rem .6rem;border-bottom:1px solid var(--grid);white-space:nowrap;vertical-align:top}
th{white-space:normal;vertical-align:bottom;color:var(--quiet);font-weight:600;background:var(--panel);border-bottom:1px solid var(--border)}
td.n,th.n{text-align:right}td small{color:var(--quiet)}
.modelled>table{outline:1.5px dashed var(--border);outline-offset:2px}
.ok{color:var(--ok)}.warning{color:var(--warning)}.error{color:var(--error);font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.4rem 0;font-size:.87rem}dt{color:var(--quiet)}dd{margin:0}
.key{display:inline-block;width:.85em;height:.85em;border-radius:2px;margin-right:.4em;vertical-align:-.08em;border:1px solid var(--border)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.3rem 0;padding:0;list-style:none;font-size:.85rem}
svg.timeline,svg.operations{display:block;width:100%;height:auto;background:var(--panel);border:1px solid var(--border);border-radius:4px}
svg.modelled{border-style:dashed}svg.hatches{position:absolute}td.wide{white-space:normal;min-width:16rem}ul.notes{margin:.4rem 0;padding-left:1.2rem;font-size:.87rem}
svg text{fill:var(--quiet);font-size:8.5px}svg text.warp{text-anchor:end;font-size:8px}svg text.sm{fill:var(--text);font-weight:600}
svg text.tick{text-anchor:middle;font-size:10px}svg text.axis-title{text-anchor:middle;font-size:11px;fill:var(--text)}
svg line.grid{stroke:var(--grid)}svg line.axis{stroke:var(--quiet)}svg line.sm{stroke:var(--border)}
svg.modelled line.axis{stroke-dasharray:5 3}
svg text.row{font-size:10.5px}svg text.on{font-size:10px}svg .hatch{stroke:var(--quiet);stroke-width:1;fill:none}
svg .rising{fill:url(#rising)}svg .falling{fill:url(#falling)}svg .crossed{fill:url(#crossed)}svg .level{fill:url(#level)}
svg .arrow{stroke:var(--text);stroke-width:1;fill:var(--text)}svg .warp.odd{fill-opacity:.65}
svg.modelled .operation{stroke:var(--text);stroke-width:.5;stroke-dasharray:2 1}
svg .resident{fill:var(--grid)}svg .unknown{fill:var(--quiet)}
svg.modelled .span{stroke:var(--text);stroke-width:.35;stroke-dasharray:2 1;fill-opacity:.8}
details>summary{cursor:pointer;color:var(--accent);margin:.4rem 0}
table.source{font-family:"JetBrains Mono","DejaVu Sans Mono",ui-monospace,monospace;font-size:.78rem;line-height:1.35;
  font-variant-ligatures:none}
table.source td{border:0;padding:0 .6rem;white-space:pre}table.source td.n{color:var(--quiet);user-select:none}
table.source td.mark{padding:0;width:.45rem}table.source td.name{color:var(--quiet);white-space:nowrap}
table.source tr.gap td{color:var(--quiet);padding:.3rem .6rem}
@media print{body{max-width:none;padding:0;font-size:11px}h2{break-before:page}h2:first-of-type{break-before:auto}
  tr,svg{break-inside:avoid}details::details-content{content-visibility:visible}.scroll{overflow:visible}
  th,td{white-space:normal;padding:.15rem .3rem}table.source td{white-space:pre-wrap}}
)css";

}  // namespace

std::string style(size_t regions) {
  const std::string light = variables(kLightPage, regions), dark = variables(kDarkPage, regions);
  std::string text = fmt::format(":root{{color-scheme:light dark;{}}}\n", light);
  text += fmt::format("@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n", dark);
  for (size_t i = 0; i < regions; ++i)
    text += fmt::format(".r{}{{fill:var(--r{});background:var(--r{})}}", i, i, i);
  for (size_t i = 0; i < kSeriesColours; ++i)
    text += fmt::format(".s{}{{fill:var(--s{});background:var(--s{})}}", i, i, i);
  text += kRules;
  for (size_t i = 0; i < kSeriesColours; ++i)
    text += fmt::format("svg text.on.s{}{{fill:var(--on{})}}", i, i);
  return text + "\n";
}

}  // namespace warpscope::html
