#include "app/gui/panels.h"

namespace warpscope {
namespace {

void say(const Ui& ui, const std::string& why_not, const std::string& done) {
  notify(ui, why_not.empty() ? done : why_not, why_not.empty() ? 3 : 8);
}

}  // namespace

void keepShownRun(const Ui& ui) {
  say(ui, ui.model.compare().keep(ui.model.feed().shown().run),
      tr("Kept for comparison: C shows it beside the others."));
}

void keepVariant(const Ui& ui, const std::string& variant) {
  const std::string why_not = ui.model.keepVariant(variant);
  say(ui, why_not,
      ui.model.compare().keepPending() ? trf("{} will be run and kept.", variant)
                                       : trf("{} is kept for comparison.", variant));
}

}  // namespace warpscope
