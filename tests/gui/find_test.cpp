// What the search field reads from typed text, and its glossary.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "app/gui/find/find_places.h"
#include "app/gui/find/glossary.h"

namespace warpscope {
namespace {

TEST(TypedPlaceTest, BlocksWarpsSmsAndLines) {
  const TypedPlace warp{.block = 12, .warp = 3, .sm = {}, .line = {}};
  for (const char* typed : {"b12 w3", "B12W3", "block 12, warp 3", "  b 12   w 3 ", "w3 b12", "b=12 w=3"})
    EXPECT_EQ(typedPlace(typed), warp) << typed;
  EXPECT_EQ(typedPlace("sm 4"), (TypedPlace{.block = {}, .warp = {}, .sm = 4, .line = {}}));
  EXPECT_EQ(typedPlace("SM131"), (TypedPlace{.block = {}, .warp = {}, .sm = 131, .line = {}}));
  EXPECT_EQ(typedPlace("gpu 1 sm 8"), (TypedPlace{.block = {}, .warp = {}, .sm = 8, .line = {}, .gpu = 1}));
  EXPECT_EQ(typedPlace("gpu 1"), std::nullopt) << "no place in a run";
  EXPECT_EQ(typedPlace("line 27"), (TypedPlace{.block = {}, .warp = {}, .sm = {}, .line = 27}));
  EXPECT_EQ(typedPlace("L27"), (TypedPlace{.block = {}, .warp = {}, .sm = {}, .line = 27}));
  EXPECT_EQ(typedPlace("b 7"), (TypedPlace{.block = 7, .warp = {}, .sm = {}, .line = {}}));
  EXPECT_EQ(typedPlace("线程块 7"), (TypedPlace{.block = 7, .warp = {}, .sm = {}, .line = {}}));
}

TEST(TypedPlaceTest, WhatIsNoPlace) {
  for (const char* typed :
       {"", " ", "b", "12", "b12 w", "b12 b13", "size 512", "b12 w3 x", "b99999999999999", "b-1", "w3.5"})
    EXPECT_FALSE(typedPlace(typed)) << typed;
}

TEST(GlossaryTest, EachWordIsExplainedWithASource) {
  std::set<std::string> names;
  EXPECT_GE(glossary().size(), 40U);
  for (const Term& term : glossary()) {
    EXPECT_TRUE(names.insert(term.name).second) << term.name;
    EXPECT_GT(std::strlen(term.text), 40U) << term.name;
    EXPECT_LT(std::strlen(term.text), 300U) << term.name << ": short enough to be read at once";
    EXPECT_GT(std::strlen(term.source), 5U) << term.name;
  }
}

}  // namespace
}  // namespace warpscope
