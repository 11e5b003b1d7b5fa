#include "kernels/sim/simt/contraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "kernels/sim/ptx/control_flow.h"
#include "kernels/sim/ptx/opcode_match.h"

namespace warpscope::sim {

namespace {

using ptx::Op;
using ptx::Operand;

constexpr uint32_t kNoProduct = 0xFFFFFFFFU;

bool isRegister(const Operand& operand) {
  return operand.kind == Operand::Kind::kRegister;
}

// Whether it is this operation on floats, without anything that forbids to fuse it.
bool isFree(const ptx::Instruction& in, Op op) {
  return in.op == op && ptx::isFloat(in.types[0]) && in.modifiers.rounding == ptx::Rounding::kNone &&
         in.guard.kind == Operand::Kind::kNone && isRegister(in.operands[0]);
}
bool isProduct(const ptx::Instruction& in) {
  return isFree(in, Op::kMul) && !in.modifiers.sat;
}
bool isSum(const ptx::Instruction& in) {
  return isFree(in, Op::kAdd) || isFree(in, Op::kSub);
}
bool addsTwice(const ptx::Instruction& sum) {
  return isRegister(sum.operands[1]) && isRegister(sum.operands[2]) &&
         sum.operands[1].index == sum.operands[2].index;
}

void eachRegister(const Operand& operand, const auto& visit) {
  const bool is_base = operand.kind == Operand::Kind::kAddress && operand.has_base;
  if (isRegister(operand) || is_base) visit(operand.index);
  for (const Operand& part : operand.parts) eachRegister(part, visit);
}
// Those that are read. The first operand of an instruction is its destination, if it is a register or a
// vector; the few that read it there (bar.sync, brx) do not take floats.
void eachSource(const ptx::Instruction& in, const auto& visit) {
  eachRegister(in.guard, visit);
  for (size_t i = 0; i < in.operands.size(); ++i) {
    if (i > 0 || in.operands[i].kind == Operand::Kind::kAddress) eachRegister(in.operands[i], visit);
  }
}
void eachDestination(const ptx::Instruction& in, const auto& visit) {
  if (!in.operands.empty() && in.operands[0].kind != Operand::Kind::kAddress)
    eachRegister(in.operands[0], visit);
}

// The fma that computes the sum with its operand `factor` (1 or 2) replaced by the product.
ptx::Instruction fused(const ptx::Instruction& sum, size_t factor, const ptx::Instruction& product) {
  const ptx::Modifiers& of = sum.modifiers;
  const std::string opcode =
      fmt::format("fma.rn{}{}.{}", of.ftz ? ".ftz" : "", of.sat ? ".sat" : "", ptx::typeName(sum.types[0]));
  const ptx::OpcodeMeaning meaning = ptx::meaningOf(opcode);
  if (meaning.matches.empty()) return sum;
  const ptx::OpcodeMatch& fma = meaning.matches.front().opcode;
  ptx::Instruction made = sum;
  made.op = fma.entry->op;
  made.entry = fma.entry;
  made.modifiers = fma.modifiers;
  made.modifiers.minus_product = sum.op == Op::kSub && factor == 2;
  made.modifiers.minus_addend = sum.op == Op::kSub && factor == 1;
  made.operands = {sum.operands[0], product.operands[1], product.operands[2], sum.operands[3 - factor]};
  return made;
}

class Contraction {
 public:
  explicit Contraction(const ptx::Function& function)
      : function_(function),
        instructions_(function.instructions),
        mentions_(function.registers.size()),
        product_in_(function.registers.size(), kNoProduct),
        written_at_(function.registers.size(), kNoProduct),
        here_(function.registers.size()) {}

  std::vector<ptx::Instruction> run() && {
    if (std::ranges::none_of(instructions_, isProduct) || std::ranges::none_of(instructions_, isSum))
      return std::move(instructions_);
    for (const ptx::Instruction& in : instructions_) {
      const auto count = [this](uint32_t r) { ++mentions_[r]; };
      eachSource(in, count);
      eachDestination(in, count);
    }
    for (const ptx::BasicBlock& block : ptx::controlFlow(function_).blocks) {
      for (uint32_t i = block.first; i < block.first + block.count; ++i) look(i);
      leaveBlock();
    }
    fuseAll();
    return std::move(instructions_);
  }

 private:
  struct Product {
    uint32_t at = 0;
    bool is_fusable = true;      // all uses that were seen are sums
    std::vector<uint32_t> sums;  // that use it
  };

  void look(uint32_t i) {
    const ptx::Instruction& in = instructions_[i];
    eachSource(in, [&](uint32_t r) {
      mentionHere(r, false);
      if (product_in_[r] != kNoProduct) use(products_[product_in_[r]], i);
    });
    eachDestination(in, [&](uint32_t r) {
      mentionHere(r, true);
      product_in_[r] = kNoProduct;  // its uses are all known
      written_at_[r] = i;
    });
    if (!isProduct(in)) return;
    product_in_[in.operands[0].index] = static_cast<uint32_t>(products_.size());
    products_.push_back({.at = i});
  }

  void mentionHere(uint32_t r, bool writes) {
    if (here_[r].mentions == 0) {
      here_[r].begins_with_write = writes;
      touched_.push_back(r);
    }
    ++here_[r].mentions;
  }

  void use(Product& product, uint32_t at) {
    const ptx::Instruction& in = instructions_[at];
    const ptx::Instruction& mul = instructions_[product.at];
    product.sums.push_back(at);
    product.is_fusable = product.is_fusable && isSum(in) && in.types[0] == mul.types[0] &&
                         in.modifiers.ftz == mul.modifiers.ftz && !addsTwice(in) && stillHas(mul, product.at);
  }
  // Whether the factors have the values that they had.
  bool stillHas(const ptx::Instruction& mul, uint32_t at) const {
    return std::ranges::none_of(std::span(mul.operands).subspan(1), [&](const Operand& factor) {
      if (!isRegister(factor)) return false;
      const uint32_t written = written_at_[factor.index];
      return written != kNoProduct && written >= at;
    });
  }

  // What a register holds at a block's end may be used elsewhere, if it is mentioned there or read at the
  // block's beginning.
  void leaveBlock() {
    for (const uint32_t r : touched_) {
      const bool ends_here = here_[r].mentions == mentions_[r] && here_[r].begins_with_write;
      if (product_in_[r] != kNoProduct && !ends_here) products_[product_in_[r]].is_fusable = false;
      product_in_[r] = kNoProduct;
      here_[r] = {};
    }
    touched_.clear();
  }

  bool isWhole(const Product& product) const {
    return product.is_fusable && std::ranges::all_of(product.sums, [this](uint32_t sum) {
             return isSum(instructions_[sum]);  // not fused with another product
           });
  }

  size_t factorOf(const Product& product, const ptx::Instruction& sum) const {
    const uint32_t r = instructions_[product.at].operands[0].index;
    return isRegister(sum.operands[1]) && sum.operands[1].index == r ? 1 : 2;
  }

  void fuse(const Product& product) {
    if (!isWhole(product)) return;
    for (const uint32_t at : product.sums) {
      ptx::Instruction& sum = instructions_[at];
      sum = fused(sum, factorOf(product, sum), instructions_[product.at]);
    }
  }

  // Products with one use first, each sum's first operand before its second.
  void fuseAll() {
    std::erase_if(products_, [](const Product& product) { return product.sums.empty(); });
    const auto several = std::stable_partition(
        products_.begin(), products_.end(), [](const Product& product) { return product.sums.size() == 1; });
    const std::span<const Product> singles(products_.begin(), several);
    for (const size_t factor : {1, 2}) {
      for (const Product& product : singles) {
        if (isWhole(product) && factorOf(product, instructions_[product.sums.front()]) == factor)
          fuse(product);
      }
    }
    std::for_each(several, products_.end(), [this](const Product& product) { fuse(product); });
  }

  const ptx::Function& function_;
  std::vector<ptx::Instruction> instructions_;
  std::vector<uint32_t> mentions_;    // by register, in the whole function
  std::vector<uint32_t> product_in_;  // by register, where this block has come to: index into products_
  std::vector<uint32_t> written_at_;  // by register: the last instruction that was looked at and wrote it
  struct InBlock {
    uint32_t mentions = 0;
    bool begins_with_write = false;
  };
  std::vector<InBlock> here_;      // by register
  std::vector<uint32_t> touched_;  // registers that the block mentions
  std::vector<Product> products_;
};

}  // namespace

std::vector<ptx::Instruction> contracted(const ptx::Function& function) {
  return Contraction(function).run();
}

}  // namespace warpscope::sim
