// The pages of the window, without a window: what their registry says of them, and that what they keep in
// sessions comes back.
#include "app/gui/pages/pages.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warpscope {
namespace {

TEST(PagesTest, NamesLabelsAndKeysTellThemApart) {
  const Pages pages;
  std::set<std::string> names, labels, views;
  std::set<std::string> keys;
  size_t with_key = 0, all_views = 0;
  for (const auto& page : pages.all()) {
    names.insert(page->name());
    labels.insert(page->label());
    views.insert(page->views().begin(), page->views().end());
    all_views += page->views().size();
    EXPECT_FALSE(page->views().empty()) << page->name();
    EXPECT_NE(std::string(page->help()), "") << page->name();
    if (page->key()[0] == '\0') continue;
    ++with_key;
    keys.insert(page->key());
    EXPECT_TRUE(findKey(page->key())) << page->name();
  }
  EXPECT_EQ(names.size(), pages.all().size());
  EXPECT_EQ(labels.size(), pages.all().size());
  EXPECT_EQ(keys.size(), with_key);
  EXPECT_EQ(views.size(), all_views) << "a view is on one page only";
  EXPECT_EQ(pages.viewNames().size(), all_views);
}

TEST(PagesTest, TheRunIsTheFirstAndStandsForOnesThatAreNotKnown) {
  const Pages pages;
  EXPECT_STREQ(pages.first().name(), "trace") << "in settings since the first version";
  EXPECT_EQ(&pages.find(""), &pages.first());
  EXPECT_EQ(&pages.find("of a newer version"), &pages.first());
  EXPECT_STREQ(pages.find("plots").name(), "plots");
}

TEST(PagesTest, EveryViewIsOnItsPage) {
  const Pages pages;
  const auto page_of = [&](const char* view) {
    const Page* page = pages.withView(view);
    return std::string(page == nullptr ? "none" : page->name());
  };
  EXPECT_EQ(page_of("timeline"), "trace");
  EXPECT_EQ(page_of("precision"), "trace");
  EXPECT_EQ(page_of("occupancy"), "trace") << "the view of a run, not the lab";
  EXPECT_EQ(page_of("occupancy_lab"), "occupancy");
  EXPECT_EQ(page_of("race"), "compare");
  EXPECT_EQ(page_of("plots"), "plots");
  EXPECT_EQ(page_of("nothing"), "none");
  for (const char* tab : lanesTabs()) EXPECT_EQ(page_of(tab), "trace") << tab;
  EXPECT_STREQ(lanesTabs().front(), "lanes");
  EXPECT_STREQ(lanesTabs().back(), "values");
}

TEST(PagesTest, AtTheStartThereIsNothingToKeep) {
  const Pages pages;
  for (const auto& page : pages.all()) EXPECT_EQ(page->store(), "") << page->name();
}

TEST(PagesTest, WhatIsKeptComesBack) {
  const Pages pages;
  Page& plots = pages.find("plots");
  const std::string kept =
      R"({"all_variants":true,"control_of_family":{"transpose":"tile"},"quantity":"achieved"})";
  plots.restore(kept);
  EXPECT_EQ(plots.store(), kept);
  plots.restore("");
  EXPECT_EQ(plots.store(), "") << "another session leaves nothing of it";
}

TEST(PagesTest, WhatCannotBeReadIsIgnored) {
  const Pages pages;
  for (const char* state :
       {"{", "[]", "17", R"({"quantity":17,"control_of_family":{"a":[]},"all_variants":"no"})"}) {
    for (const auto& page : pages.all()) {
      page->restore(state);
      EXPECT_EQ(page->store(), "") << page->name() << " " << state;
    }
  }
}

}  // namespace
}  // namespace warpscope
