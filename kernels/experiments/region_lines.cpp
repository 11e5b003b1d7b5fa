// See region_lines.h. This first blanks out the comments, keeping the lines; then lists functions with their
// bodies; then walks from the kernel through the functions that it calls.
#include "kernels/experiments/region_lines.h"

#include <algorithm>
#include <cctype>

namespace warpscope {
namespace {

constexpr std::string_view kCall = ".mark(";

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string withoutComments(std::string_view source) {
  std::string text(source);
  for (size_t at = text.find('/'); at != std::string::npos; at = text.find('/', at)) {
    const std::string_view two = std::string_view(text).substr(at, 2);
    size_t end = at;
    if (two == "//") end = std::min(text.find('\n', at), text.size());
    if (two == "/*") {
      const size_t close = text.find("*/", at + 2);
      end = close == std::string::npos ? text.size() : close + 2;
    }
    if (end == at) ++at;  // a division
    for (; at < end; ++at) {
      if (text[at] != '\n') text[at] = ' ';
    }
  }
  return text;
}

struct Function {
  std::string_view name, body;
  size_t body_begin = 0;  // offset in the text
};

// The identifier that ends just before `end`.
std::string_view wordBefore(std::string_view text, size_t end) {
  while (end > 0 && text[end - 1] == ' ') --end;
  size_t begin = end;
  while (begin > 0 && isWordCharacter(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

size_t closingBrace(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return text.size();
}

// A function's name is the first word before a parenthesis that does not belong to an attribute.
std::string_view functionName(std::string_view text, size_t begin, size_t end) {
  for (size_t open = text.find('(', begin); open < end; open = text.find('(', open + 1)) {
    const std::string_view word = wordBefore(text, open);
    if (!word.empty() && word != "__launch_bounds__") return word;
  }
  return {};
}

std::vector<Function> listFunctions(std::string_view text) {
  std::vector<Function> functions;
  size_t at = 0;
  while (true) {
    at = std::min(text.find("__global__", at), text.find("__device__", at));
    const size_t open = at == std::string_view::npos ? at : text.find_first_of("{;", at);
    if (open == std::string_view::npos) return functions;
    if (text[open] == ';') {  // a declaration
      at = open;
      continue;
    }
    const size_t close = closingBrace(text, open);
    functions.push_back({functionName(text, at, open), text.substr(open, close - open), open});
    at = close;
  }
}

bool callsFunction(std::string_view body, std::string_view name) {
  for (size_t at = body.find(name); at != std::string_view::npos; at = body.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool whole =
        (at == 0 || !isWordCharacter(body[at - 1])) && end < body.size() && !isWordCharacter(body[end]);
    if (whole && (body[end] == '(' || body[end] == '<')) return true;
  }
  return false;
}

uint32_t lineOf(std::string_view text, size_t offset) {
  return 1 +
         static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(offset), '\n'));
}

void addSites(std::string_view text, const Function& function, std::vector<MarkSite>& sites) {
  std::vector<MarkSite> own;
  for (size_t at = function.body.find(kCall); at != std::string_view::npos;
       at = function.body.find(kCall, at + 1)) {
    const size_t begin = at + kCall.size();
    const size_t end = function.body.find(')', begin);
    if (end == std::string_view::npos) break;
    const uint32_t line = lineOf(text, function.body_begin + at);
    if (!own.empty()) own.back().last_line = std::max(own.back().first_line, line - 1);
    own.push_back({std::string(function.body.substr(begin, end - begin)), line, line});
  }
  if (!own.empty()) own.back().last_line = lineOf(text, function.body_begin + function.body.size());
  for (MarkSite& site : own) {
    if (std::ranges::find(sites, site.region, &MarkSite::region) == sites.end())
      sites.push_back(std::move(site));
  }
}

}  // namespace

Expected<std::vector<MarkSite>> findMarkSites(std::string_view source, std::string_view kernel) {
  const std::string text = withoutComments(source);
  const std::vector<Function> functions = listFunctions(text);
  std::vector<const Function*> reached;
  for (const Function& function : functions) {
    if (function.name == kernel) reached.push_back(&function);
  }
  if (reached.empty()) return fail(ErrorKind::kBadRequest, "the source has no kernel '{}'", kernel);
  std::vector<MarkSite> sites;
  for (size_t i = 0; i < reached.size(); ++i) {
    addSites(text, *reached[i], sites);
    for (const Function& function : functions) {
      if (std::ranges::count(reached, &function) == 0 && callsFunction(reached[i]->body, function.name)) {
        reached.push_back(&function);
      }
    }
  }
  return sites;
}

}  // namespace warpscope
