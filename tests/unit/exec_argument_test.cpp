// The options of `warpscope exec`: what it accepts, and how it interprets them.
#include "app/cli/exec_argument.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>

#include "kernels/core/json.h"
#include "kernels/program/element_type.h"

namespace warpscope {
namespace {

ElementType type(const std::string& name) {
  return parseElementType(name).value();
}

uint64_t bitsOf(const std::string& type_name, const std::string& text) {
  return parseElement(type(type_name), text).value();
}

std::string messageOf(const std::string& argument) {
  const auto parsed = parseExecArgument(argument);
  EXPECT_FALSE(parsed.has_value()) << argument;
  return parsed ? "" : parsed.error().message;
}

template <class T>
std::vector<T> contentOf(const std::string& argument, uint64_t first, size_t count) {
  std::vector<T> values(count);
  const auto parsed = parseExecArgument(argument).value();
  EXPECT_TRUE(initialBytes(parsed, first, std::as_writable_bytes(std::span(values))).has_value());
  return values;
}

TEST(ElementType, ReadsEveryTypeByName) {
  for (const char* name : {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "b8", "b16", "b32", "b64",
                           "f16", "f32", "f64"}) {
    EXPECT_EQ(type(name).name(), name);
  }
  for (const char* name : {"", "f8", "u", "u7", "int", "u128", "U32"}) {
    EXPECT_FALSE(parseElementType(name).has_value()) << name;
  }
}

TEST(ElementType, WholeNumbersKeepTheirRange) {
  EXPECT_EQ(bitsOf("u8", "255"), 255U);
  EXPECT_EQ(bitsOf("s8", "-128"), 0x80U);
  EXPECT_EQ(bitsOf("s32", "-1"), 0xFFFFFFFFU);
  EXPECT_EQ(bitsOf("u64", "18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(bitsOf("s64", "-9223372036854775808"), uint64_t{1} << 63);
  EXPECT_EQ(bitsOf("b32", "0xdeadbeef"), 0xDEADBEEFU);
  for (const auto& [name, text] :
       std::vector<std::pair<const char*, const char*>>{{"u8", "256"},
                                                        {"u8", "-1"},
                                                        {"s8", "128"},
                                                        {"s8", "-129"},
                                                        {"u32", "0x100000000"},
                                                        {"u32", "1.5"},
                                                        {"u32", ""},
                                                        {"u32", "x"},
                                                        {"s64", "9223372036854775808"},
                                                        {"f32", "one"},
                                                        {"f32", ""},
                                                        {"f64", "1e999"}}) {
    EXPECT_FALSE(parseElement(type(name), text).has_value()) << name << " " << text;
  }
}

TEST(ElementType, FloatsRoundToNearestEven) {
  EXPECT_EQ(bitsOf("f32", "1.5"), 0x3FC00000U);
  EXPECT_EQ(bitsOf("f32", "0x3f800000"), 0x3F800000U);
  EXPECT_EQ(bitsOf("f64", "-2"), 0xC000000000000000U);
  EXPECT_EQ(bitsOf("f16", "1"), 0x3C00U);
  EXPECT_EQ(bitsOf("f16", "65504"), 0x7BFFU);
  EXPECT_EQ(bitsOf("f16", "65520"), 0x7C00U);             // halfway to what would be 65536
  EXPECT_EQ(bitsOf("f16", "5.9604644775390625e-8"), 1U);  // the smallest subnormal
  EXPECT_EQ(bitsOf("f16", "6.103515625e-5"), 0x0400U);
  EXPECT_EQ(bitsOf("f16", "2049"), 0x6800U);  // a tie goes to even
  EXPECT_EQ(bitsOf("f16", "2051"), 0x6802U);
  EXPECT_EQ(bitsOf("f16", "-0"), 0x8000U);
}

TEST(ElementType, HalvesSurviveTheWayThere) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const auto text = elementText(type("f16"), std::as_bytes(std::span(&half, 1)));
    if (text == "nan" || text == "-nan") continue;
    ASSERT_EQ(bitsOf("f16", text), bits) << text;
  }
}

TEST(ElementType, TellsValuesAsJson) {
  const auto json = [](const char* name, auto value) {
    return elementJson(type(name), std::as_bytes(std::span(&value, 1)));
  };
  EXPECT_EQ(json("u32", 4000000000U), 4000000000U);
  EXPECT_EQ(json("s32", -5), -5);
  EXPECT_EQ(json("s8", int8_t{-5}), -5);
  EXPECT_EQ(json("f32", 0.5F), 0.5);
  EXPECT_EQ(json("f32", std::nanf("")), "nan");
  EXPECT_EQ(json("f64", -HUGE_VAL), "-inf");
  EXPECT_EQ(json("u64", UINT64_MAX), UINT64_MAX);
}

TEST(ExecArgument, PassesTexturesAndSurfaces) {
  const auto texture =
      parseExecArgument("tex2d:u8x4[64x32]=random:3,linear,mirror,normalized,as_float").value();
  ASSERT_TRUE(texture.image.has_value());
  EXPECT_EQ(describeImage(*texture.image), "texture2d 64x32 of u8x4");
  EXPECT_TRUE(texture.image->linear_filter && texture.image->normalized_coordinates);
  EXPECT_TRUE(texture.image->normalized_float);
  EXPECT_EQ(texture.image->address[1], AddressMode::kMirror);
  EXPECT_EQ(texture.type.name(), "u8");
  EXPECT_EQ(texture.arrayBytes(), 64U * 32 * 4);
  EXPECT_EQ(texture.content.seed, 3U);
  const auto surface = parseExecArgument("surface3d:f32[4x5x6]=zeros").value();
  EXPECT_EQ(describeImage(*surface.image), "surface3d 4x5x6 of f32");
  EXPECT_EQ(surface.count, 120U);
  EXPECT_TRUE(parseExecArgument("texbuffer:s32[1000]=iota").value().image->linear_memory);
  EXPECT_EQ(parseExecArgument("tex1d:f32[2]=a,b.bin,linear").value().content.file, "a,b.bin");
  for (const auto& [argument, why] : std::vector<std::pair<const char*, const char*>>{
           {"tex4d:f32[2]=ones", "neither texture1d"},
           {"tex2d:f32[2]=ones", "WIDTHxHEIGHT"},
           {"tex2d:f32=ones", "WIDTHxHEIGHT"},
           {"tex2d:f32[2x2", "TYPE"},
           {"tex2d:f32[2x0]=ones", "its height must be from 1 to 65536"},
           {"tex2d:f64[2x2]=ones", "1, 2 or 4 channels"},
           {"tex2d:f32x3[2x2]=ones", "1, 2 or 4 channels"},
           {"tex2d:u32[2x2]=ones,linear", "linear filtering needs floats"},
           {"surf2d:f32[2x2]=ones,linear", "a surface has neither filter"},
           {"texbuffer:f32[2]=ones,linear", "texture in linear memory"}}) {
    EXPECT_NE(messageOf(argument).find(why), std::string::npos) << messageOf(argument);
  }
}

TEST(ExecArgument, PassesValuesAndArrays) {
  const auto scalar = parseExecArgument("f32=1.5").value();
  EXPECT_FALSE(scalar.is_array);
  ASSERT_EQ(scalar.values.size(), 4U);
  const auto array = parseExecArgument("f64[2^10]=random:3").value();
  EXPECT_TRUE(array.is_array);
  EXPECT_EQ(array.arrayBytes(), 8192U);
  EXPECT_EQ(array.content.kind, InitialContent::Kind::kRandom);
  EXPECT_EQ(array.content.seed, 3U);
  const auto bytes = parseExecArgument("bytes=00fF10").value();
  EXPECT_EQ(bytes.values, (std::vector<std::byte>{std::byte{0}, std::byte{0xFF}, std::byte{0x10}}));
  EXPECT_EQ(parseExecArgument("bytes[3]=ones").value().arrayBytes(), 3U);
  EXPECT_EQ(parseExecArgument("u8[4]=my=file.bin").value().content.file, "my=file.bin");
}

TEST(ExecArgument, WhatIsWrongIsNamed) {
  EXPECT_NE(messageOf("u32").find("TYPE=VALUE"), std::string::npos);
  EXPECT_NE(messageOf("u31=5").find("no type 'u31'"), std::string::npos);
  EXPECT_NE(messageOf("u8=300").find("does not fit"), std::string::npos);
  EXPECT_NE(messageOf("u8[0]=zeros").find("at least 1"), std::string::npos);
  EXPECT_NE(messageOf("u8[-1]=zeros").find("at least 1"), std::string::npos);
  EXPECT_NE(messageOf("u8[]=zeros").find("at least 1"), std::string::npos);
  EXPECT_NE(messageOf("u8[4=zeros").find("TYPE[N]"), std::string::npos);
  EXPECT_NE(messageOf("u8[4]=").find("content"), std::string::npos);
  EXPECT_NE(messageOf("u8[4]=random:").find("seed"), std::string::npos);
  EXPECT_NE(messageOf("u64[2^62]=zeros").find("large"), std::string::npos);
  EXPECT_NE(messageOf("bytes=0").find("hexadecimal"), std::string::npos);
  EXPECT_NE(messageOf("bytes=").find("hexadecimal"), std::string::npos);
}

TEST(ExecArgument, ContentsAreTheSameInPieces) {
  EXPECT_EQ(contentOf<uint32_t>("u32[8]=iota", 2, 3), (std::vector<uint32_t>{2, 3, 4}));
  EXPECT_EQ(contentOf<float>("f32[8]=iota", 0, 3), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(contentOf<double>("f64[8]=ones", 5, 2), (std::vector<double>{1, 1}));
  EXPECT_EQ(contentOf<uint8_t>("u8[8]=zeros", 0, 2), (std::vector<uint8_t>{0, 0}));
  const auto whole = contentOf<float>("f32[1000]=random:7", 0, 1000);
  const auto part = contentOf<float>("f32[1000]=random:7", 600, 400);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 600));
  double sum = 0;
  for (const float value : whole) {
    EXPECT_TRUE(value >= 0 && value < 1);
    sum += static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
  EXPECT_NE(contentOf<uint64_t>("u64[4]=random:1", 0, 4), contentOf<uint64_t>("u64[4]=random:2", 0, 4));
}

TEST(ExecArgument, AFileMustHoldTheArrayExactly) {
  const auto path = std::filesystem::temp_directory_path() / ("warpscope-exec-" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary).write("\x01\0\0\0\x02\0\0\0", 8);
  const std::string file = path.string();
  EXPECT_TRUE(checkContent(parseExecArgument("u32[2]=" + file).value()).has_value());
  EXPECT_EQ(contentOf<uint32_t>("u32[2]=" + file, 1, 1), (std::vector<uint32_t>{2}));
  const auto wrong = checkContent(parseExecArgument("u32[3]=" + file).value());
  ASSERT_FALSE(wrong.has_value());
  EXPECT_NE(wrong.error().message.find("has 8 bytes, but the array has 12"), std::string::npos)
      << wrong.error().message;
  std::filesystem::remove(path);
  EXPECT_FALSE(checkContent(parseExecArgument("u32[2]=" + file).value()).has_value());
}

// A pipe without a writer would be waited for, for ever, and /dev/zero never ends.
TEST(ExecArgument, OnlyARegularFileIsRead) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("warpscope-exec-folder-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& [file, what] :
       std::vector<std::pair<std::string, const char*>>{{pipe, "it is not a regular file"},
                                                        {folder.string(), "it is a folder"},
                                                        {"/dev/zero", "it is not a regular file"},
                                                        {pipe + ".none", "No such file"}}) {
    const auto argument = parseExecArgument("u32[2]=" + file).value();
    std::array<std::byte, 8> bytes{};
    for (const auto& result : {checkContent(argument), initialBytes(argument, 0, bytes)}) {
      ASSERT_FALSE(result.has_value()) << file;
      EXPECT_EQ(result.error().kind, ErrorKind::kBadRequest);
      const std::string start = fmt::format("--arg u32[2]={0}: cannot read {0}: ", file);
      EXPECT_EQ(result.error().message.rfind(start + what, 0), 0U) << result.error().message;
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(ExecArgument, AFileThatShrinksIsAnError) {
  const auto path =
      std::filesystem::temp_directory_path() / ("warpscope-exec-short-" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary).write("\x01\0\0\0", 4);
  std::array<std::byte, 8> bytes{};
  const auto read = initialBytes(parseExecArgument("u32[2]=" + path.string()).value(), 0, bytes);
  std::filesystem::remove(path);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(read.error().message.find("it ends at offset 4"), std::string::npos) << read.error().message;
}

TEST(ExecOptions, RangesAndTargetsNameAnArray) {
  const std::vector<ExecArgument> arguments{parseExecArgument("u32=4").value(),
                                            parseExecArgument("f32[10]=zeros").value()};
  const auto range = parsePrintRange("1:2,3", arguments).value();
  EXPECT_EQ(range.argument, 1U);
  EXPECT_EQ(range.first, 2U);
  EXPECT_EQ(range.count, 3U);
  EXPECT_EQ(parsePrintRange("1", arguments).value().count, 10U);
  EXPECT_EQ(parsePrintRange("1:4", arguments).value().count, 6U);
  for (const char* wrong :
       {"", "0", "2", "x", "1:10", "1:8,3", "1:a", "1:0,x", "1:", "-1", "1:18446744073709551615,2"}) {
    EXPECT_FALSE(parsePrintRange(wrong, arguments).has_value()) << wrong;
  }
  EXPECT_EQ(parseSaveTarget("1=out=.bin", arguments).value().file, "out=.bin");
  for (const char* wrong : {"1", "1=", "0=x", "5=x", "=x"}) {
    EXPECT_FALSE(parseSaveTarget(wrong, arguments).has_value()) << wrong;
  }
}

TEST(ExecOptions, SizesHaveOneToThreeParts) {
  EXPECT_EQ(parseDim3("4", "--grid").value(), (Dim3{4, 1, 1}));
  EXPECT_EQ(parseDim3("4,5,6", "--grid").value(), (Dim3{4, 5, 6}));
  for (const char* wrong : {"", "0", "1,0", "1,2,3,4", "a", "1,", "4294967296", "-1"}) {
    const auto parsed = parseDim3(wrong, "--grid");
    ASSERT_FALSE(parsed.has_value()) << wrong;
    EXPECT_NE(parsed.error().message.find("--grid"), std::string::npos);
  }
}

TEST(ExecOptions, ArgumentsMustFitTheDeclaration) {
  const std::vector<DeclaredParameter> declared{{".u64", 8}, {".f32", 4}, {".b8[3]", 3}};
  const auto arguments = [](const std::vector<std::string>& texts) {
    std::vector<ExecArgument> parsed;
    parsed.reserve(texts.size());
    for (const std::string& text : texts) parsed.push_back(parseExecArgument(text).value());
    return parsed;
  };
  EXPECT_TRUE(
      checkArguments("k", declared, arguments({"u32[4]=zeros", "f32=1", "bytes=000000"})).has_value());
  EXPECT_TRUE(checkArguments("k", declared, arguments({"b64=0", "u32=1", "bytes=000000"})).has_value());
  const auto few = checkArguments("k", declared, arguments({"u32[4]=zeros"}));
  ASSERT_FALSE(few.has_value());
  EXPECT_NE(few.error().message.find("k(.u64, .f32, .b8[3]) takes 3 arguments, but 1"), std::string::npos)
      << few.error().message;
  const auto size = checkArguments("k", declared, arguments({"u32[4]=zeros", "f64=1", "bytes=000000"}));
  ASSERT_FALSE(size.has_value());
  EXPECT_NE(size.error().message.find("argument 1 (f64=1) passes 8 bytes, but the parameter is .f32, 4"),
            std::string::npos)
      << size.error().message;
}

}  // namespace
}  // namespace warpscope
