#include "app/gui/find/find_index.h"

#include <algorithm>
#include <string_view>

#include "app/gui/actions.h"
#include "app/gui/family_lookup.h"
#include "app/gui/find/find_places.h"
#include "app/gui/find/glossary.h"
#include "app/gui/pages/pages.h"

namespace warpscope {
namespace {

// Of entries that match equally well, those with the larger bonus come first.
constexpr int kPageBonus = 30, kFamilyBonus = 20, kSettingBonus = 25, kOwnVariantBonus = 15,
              kRegionBonus = 10;
constexpr int kViewBonus = -5, kTermBonus = -10, kDeviceBonus = -5, kLineBonus = -150,
              kInstructionBonus = -180;
constexpr size_t kMostPlaces = 12;
constexpr const char* kTyped = "typed ";  // begins the ids of what is not called anything

// "LITTLE'S LAW" as "Little's law": a title is written in capitals only above its panel.
std::string inSentenceCase(const std::string& title) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  if (std::ranges::any_of(title, is_small)) return title;
  std::string text;
  bool first = true;
  for (size_t at = 0; at < title.size();) {
    const size_t end = std::min(title.find(' ', at), title.size());
    std::string word = title.substr(at, end - at);
    const bool name = word.starts_with("SM");  // a name, wherever it stands
    for (size_t i = 0; i < word.size(); ++i) {
      if (!name && !(first && i == 0) && word[i] >= 'A' && word[i] <= 'Z')
        word[i] = static_cast<char>(word[i] - 'A' + 'a');
    }
    text += word + (end < title.size() ? " " : "");
    first = false;
    at = end + 1;
  }
  return text;
}

bool isQuestion(const std::string& typed) {
  const std::string text = folded(typed);
  return text.starts_with("what ") || text.find("什么") != std::string::npos;
}

const Term* findTerm(const std::string& name) {
  const auto found = std::ranges::find_if(glossary(), [&](const Term& term) { return name == term.name; });
  return found == glossary().end() ? nullptr : &*found;
}

// "family/variant" of an entry.
std::pair<std::string, std::string> variantOf(const FindEntry& entry) {
  const size_t slash = entry.name.find('/');
  return {entry.name.substr(0, slash), slash == std::string::npos ? "" : entry.name.substr(slash + 1)};
}

std::string variantText(const Ui& ui, const FindEntry& entry) {
  const auto [family_name, variant_name] = variantOf(entry);
  for (const FamilyInfo* family : ui.model.choice().families()) {
    if (family->name != family_name) continue;
    if (const auto index = findVariant(*family, variant_name))
      return trf("Chooses this variant of {}.", tr(family->title)) + " " +
             tr(family->variants[*index].summary);
  }
  return {};
}

std::string settingText(const Ui& ui, const FindEntry& entry) {
  const ParameterSpec* spec = findSpec(ui.model.choice().family(), entry.name);
  if (spec == nullptr) return {};
  const std::string now = tr(formatParameter(*spec, ui.model.choice().value(entry.name)));
  if (entry.to_complete) return trf("Type a value; it is {} now.", now) + " " + tr(spec->help);
  return trf("Sets it; it is {} now.", now) + " " + tr(spec->help);
}

std::string termText(const FindEntry& entry) {
  const Term* term = findTerm(entry.name);
  if (term == nullptr) return {};
  return tr(term->text) + std::string("\n") + trf("Read on: {}", term->source);
}

}  // namespace

const char* titleOf(FindKind kind) {
  switch (kind) {
    case FindKind::kSetting:
      return tr("setting");
    case FindKind::kWarp:
      return tr("warp");
    case FindKind::kBlock:
      return tr("block");
    case FindKind::kSm:
      return "SM";
    case FindKind::kLine:
      return tr("source line");
    case FindKind::kPage:
      return tr("page");
    case FindKind::kView:
      return tr("view");
    case FindKind::kAction:
      return tr("action");
    case FindKind::kFamily:
      return tr("family");
    case FindKind::kVariant:
      return tr("variant");
    case FindKind::kRegion:
      return tr("region");
    case FindKind::kInstruction:
      return tr("instruction");
    case FindKind::kDevice:
      return trAs("hardware", "device");
    case FindKind::kTerm:
      return trAs("glossary", "word");
  }
  return "";
}

std::string effectOf(const Ui& ui, const FindEntry& entry) {
  if (!entry.problem.empty()) return entry.problem;
  switch (entry.kind) {
    case FindKind::kSetting:
      return settingText(ui, entry);
    case FindKind::kWarp:
      if (!entry.warp) return tr("Goes to the first such warp; F3 goes on to the next.");
      return tr("Selects the warp and shows it.");
    case FindKind::kBlock:
      return tr("Goes to the block's first warp; F3 goes on to the next.");
    case FindKind::kSm:
      return tr("Goes to the SM's first warp; F3 goes on to the next.");
    case FindKind::kLine:
      return tr("Marks the line, and goes to the first warp that executes it; F3 goes on to the next.");
    case FindKind::kRegion:
      return tr("Selects the region, and goes to the first warp that executes it; F3 goes on to the next.");
    case FindKind::kInstruction:
      return tr("Goes to the first warp that executes it; F3 goes on to the next.");
    case FindKind::kPage:
      return tr(ui.pages.find(entry.name).help());
    case FindKind::kView:
      return trf("Gives it the whole window; {} shows all views again.",
                 ui.actions.shownKeys("window.single"));
    case FindKind::kAction: {
      const Action* action = ui.actions.find(entry.name);
      const std::string why_not = action != nullptr && action->why_not ? action->why_not(ui) : "";
      return why_not.empty() ? tr("Does it now.") : trf("Not possible now: {}", why_not);
    }
    case FindKind::kFamily:
      for (const FamilyInfo* family : ui.model.choice().families()) {
        if (family->name == entry.name) return tr(family->summary);
      }
      return {};
    case FindKind::kVariant:
      return variantText(ui, entry);
    case FindKind::kDevice:
      return tr("Runs the kernels there from now on.");
    case FindKind::kTerm:
      return termText(entry);
  }
  return {};
}

std::string idOf(const Ui& ui, const FindEntry& entry) {
  switch (entry.kind) {
    case FindKind::kSetting: {
      const ParameterSpec* spec = findSpec(ui.model.choice().family(), entry.name);
      return spec == nullptr || entry.to_complete
                 ? ""
                 : fmt::format("{}{} {}", kTyped, entry.name, formatParameter(*spec, entry.number));
    }
    case FindKind::kWarp:
    case FindKind::kBlock:
    case FindKind::kSm:
      return std::string(kTyped) + entry.title;
    case FindKind::kLine:
      return fmt::format("{}line {}", kTyped, entry.number);
    case FindKind::kPage:
      return "page " + entry.name;
    case FindKind::kView:
      return "view " + entry.name;
    case FindKind::kAction:
      return "action " + entry.name;
    case FindKind::kFamily:
      return "family " + entry.name;
    case FindKind::kVariant:
      return "variant " + entry.name;
    case FindKind::kRegion:
      return "region " + entry.name;
    case FindKind::kDevice:
      return "device " + entry.name;
    case FindKind::kTerm:
      return "word " + entry.name;
    case FindKind::kInstruction:
      break;
  }
  return {};
}

void FindIndex::add(FindEntry entry, const std::string& also, int bonus) {
  texts_.add(entry.title, also, bonus);
  entries_.push_back(std::move(entry));
}

void FindIndex::addCommands(const Ui& ui) {
  for (const auto& page : ui.pages.all())
    add({FindKind::kPage, tr(page->label()), page->name(), 0, {}, {}},
        fmt::format("{} {} page", page->label(), page->name()), kPageBonus);
  for (const Action& action : ui.actions.all()) {
    if (action.group == ActionGroup::kPages || action.id == "find.open") continue;
    add({FindKind::kAction, tr(action.name), action.id, 0, {}, {}},
        fmt::format("{} {}", action.name, action.also), 0);
  }
  for (const ParameterSpec* spec : ui.model.choice().controls()) {
    // Without a value: its name is completed first.
    add({FindKind::kSetting, tr(spec->label), spec->name, 0, {}, {}, true},
        fmt::format("{} {}", spec->name, spec->label), kSettingBonus);
  }
  for (const DeviceDescription& device : ui.model.devices().listed().devices)
    add({FindKind::kDevice, device.name, device.id, 0, {}, {}}, device.id, kDeviceBonus);
  for (const Term& term : glossary())
    add({FindKind::kTerm, tr(term.name), term.name, 0, {}, {}}, fmt::format("{} {}", term.name, term.also),
        kTermBonus);
}

void FindIndex::addViews(const Ui& ui) {
  for (const auto& page : ui.pages.all()) {
    for (const PanelName& panel : page->panels(ui))
      add({FindKind::kView,
           trf("{} alone", inSentenceCase(panel.title)),
           fmt::format("{}/{}", page->name(), panel.name),
           0,
           {},
           {}},
          fmt::format("{} alone single view whole window", panel.name), kViewBonus);
  }
}

void FindIndex::addFamilies(const Ui& ui) {
  const FamilyInfo* own = &ui.model.choice().family();
  for (const FamilyInfo* family : ui.model.choice().families()) {
    add({FindKind::kFamily, tr(family->title), family->name, 0, {}, {}},
        fmt::format("{} {}", family->name, family->title), kFamilyBonus);
    for (size_t i = 0; i < family->variants.size(); ++i) {
      const VariantInfo& variant = family->variants[i];
      add({FindKind::kVariant,
           fmt::format("{}  ({})", tr(variant.title), variant.name),
           family->name + "/" + variant.name,
           0,
           {},
           {}},
          fmt::format("{} {} {} {}", variant.name, variant.title, family->name, i + 1),
          family == own ? kOwnVariantBonus : 0);
    }
  }
}

void FindIndex::addRun(const Run& run) {
  for (const Region& region : run.regions)
    add({FindKind::kRegion, tr(region.name), region.name, 0, {}, {}}, region.name, kRegionBonus);
  std::string_view rest = run.source == nullptr ? std::string_view() : std::string_view(*run.source);
  for (int64_t line = 1; !rest.empty(); ++line) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const size_t begin = rest.find_first_not_of(" \t");
    if (begin < end)
      add({FindKind::kLine, fmt::format("{}  {}", line, rest.substr(begin, end - begin)), {}, line, {}, {}},
          "", kLineBonus);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (run.listing == nullptr) return;
  for (size_t i = 0; i < run.listing->size(); ++i)
    add({FindKind::kInstruction, (*run.listing)[i].text, {}, static_cast<int64_t>(i), {}, {}}, "",
        kInstructionBonus);
}

uint64_t FindIndex::update(const Ui& ui) {
  const Model& model = ui.model;
  const std::shared_ptr<const Run>& run = model.feed().shown().run;
  std::string made_for =
      fmt::format("{} {} {} {}", model.choice().family().name, model.choice().variant().name,
                  model.devices().version(), language().code);
  // The next run of the same kernel has the same lines and regions.
  const bool same_code =
      run == run_ || (run != nullptr && run_ != nullptr && run->source == run_->source &&
                      run->listing == run_->listing && run->request.variant == run_->request.variant);
  if (version_ > 0 && same_code && made_for == made_for_) return version_;
  run_ = run;
  made_for_ = std::move(made_for);
  entries_.clear();
  texts_ = {};
  addCommands(ui);
  addViews(ui);
  addFamilies(ui);
  if (run_ != nullptr) addRun(*run_);
  return ++version_;
}

std::vector<FindEntry> FindIndex::recent(const Ui& ui, const std::vector<std::string>& ids) const {
  std::vector<FindEntry> found;
  for (const std::string& id : ids) {
    if (id.starts_with(kTyped)) {
      const auto places = placesIn(ui, id.substr(std::string_view(kTyped).size()));
      if (!places.empty()) found.push_back(places.front());
      continue;
    }
    const auto entry =
        std::ranges::find_if(entries_, [&](const FindEntry& known) { return idOf(ui, known) == id; });
    if (entry != entries_.end()) found.push_back(*entry);
  }
  return found;
}

std::vector<FindEntry> FindIndex::search(const Ui& ui, const std::string& typed, size_t most) const {
  std::vector<FindEntry> found = placesIn(ui, typed);
  if (found.size() > kMostPlaces) found.resize(kMostPlaces);
  std::vector<FindEntry> named;
  for (const FuzzyTexts::Hit& hit : texts_.search(typed, most)) named.push_back(entries_[hit.index]);
  if (isQuestion(typed))
    std::stable_partition(named.begin(), named.end(),
                          [](const FindEntry& entry) { return entry.kind == FindKind::kTerm; });
  for (FindEntry& entry : named) {
    if (found.size() < most) found.push_back(std::move(entry));
  }
  return found;
}

}  // namespace warpscope
