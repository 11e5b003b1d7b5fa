#include "kernels/program/program_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "kernels/core/files.h"
#include "kernels/program/compare_outputs.h"
#include "kernels/program/host_reference.h"
#include "kernels/program/simulate_plan.h"

namespace warpscope {
namespace {

constexpr int kMostProducers = 8;  // kernels whose outputs are inputs of each other

// Everything that the kernels of a file have in common is one parameter.
bool isSame(const ParameterSpec& one, const ParameterSpec& two) {
  const auto parts = [](const ParameterSpec& spec) {
    return std::tie(spec.name, spec.kind, spec.min, spec.max, spec.step, spec.default_value, spec.role);
  };
  return parts(one) == parts(two);
}

FamilyInfo familyOf(const std::shared_ptr<const Program>& program,
                    const std::vector<ProgramKernel>& kernels) {
  FamilyInfo family;
  family.name = family.title = program->name;
  family.summary = fmt::format("Kernels of {}.", program->file);
  family.program = program;
  for (const ProgramKernel& kernel : kernels) {
    VariantInfo variant;
    variant.name = variant.title = kernel.signature.name;
    variant.summary = kernel.rules.guesses.empty()
                          ? fmt::format("Launched as {} says.", program->file)
                          : fmt::format("Guessed, as no comment in {} says it: {}.", program->file,
                                        fmt::join(kernel.rules.guesses, ", "));
    family.variants.push_back(std::move(variant));
    for (ParameterSpec& spec : launchParametersOf(kernel.rules)) {
      const auto same = std::ranges::find_if(family.parameters,
                                             [&](const ParameterSpec& each) { return isSame(each, spec); });
      ParameterSpec& added =
          same == family.parameters.end() ? family.parameters.emplace_back(std::move(spec)) : *same;
      added.variants.push_back(kernel.signature.name);
    }
  }
  return family;
}

// The values that the kernel's own rules know; other kernels of the file have others.
ParameterValues onlyOf(const ProgramKernel& kernel, const ParameterValues& parameters) {
  ParameterValues own;
  for (const ParameterSpec& spec : launchParametersOf(kernel.rules)) {
    const auto set = parameters.find(spec.name);
    own[spec.name] = set == parameters.end() ? spec.default_value : set->second;
  }
  return own;
}

Verification notChecked(const std::string& why) {
  return {.detail = why, .unchecked = true};
}

}  // namespace

ProgramExperiment::ProgramExperiment(std::shared_ptr<const Program> program, std::string module,
                                     std::vector<ProgramKernel> kernels)
    : program_(std::move(program)),
      module_(std::move(module)),
      source_(std::make_shared<const std::string>(program_->source)),
      kernels_(std::move(kernels)),
      info_(familyOf(program_, kernels_)) {}

const ProgramKernel* ProgramExperiment::kernel(const std::string& name) const {
  const auto found =
      std::ranges::find_if(kernels_, [&](const ProgramKernel& each) { return each.signature.name == name; });
  return found == kernels_.end() ? nullptr : &*found;
}

std::vector<Prediction> ProgramExperiment::predictions(const RunRequest& /*request*/,
                                                       const DeviceLimits& /*limits*/) const {
  return {};
}

Expected<std::vector<Region>> ProgramExperiment::regions(const std::string& variant) const {
  const ProgramKernel* found = kernel(variant);
  if (found == nullptr) return fail(ErrorKind::kBadRequest, "{} has no kernel '{}'", program_->file, variant);
  return found->regions;
}

std::string ProgramExperiment::sourceFile(const std::string& /*variant*/) const {
  return program_->file;
}

std::shared_ptr<const std::string> ProgramExperiment::source(const std::string& /*variant*/) const {
  return source_;
}

Expected<LaunchPlan> ProgramExperiment::plan(const RunRequest& request,
                                             const DeviceLimits& /*limits*/) const {
  const ProgramKernel* kernel = this->kernel(request.variant);
  if (kernel == nullptr)
    return fail(ErrorKind::kBadRequest, "{} has no kernel '{}'", program_->file, request.variant);
  auto plan = planOf(*kernel, request.parameters, 0);
  if (!plan) {
    const std::string& why = plan.error().message;
    if (why.starts_with(program_->file)) return plan;
    return fail(plan.error().kind, "{}, {}: {}", program_->file, request.variant, why);
  }
  const ReferenceRule& reference = kernel->rules.reference;
  const bool has_reference =
      reference.kind != ReferenceRule::Kind::kNone || !reference.expected_files.empty();
  using Contents = std::span<const std::span<const std::byte>>;
  if (has_reference) {
    plan->verify = [this, kernel, values = request.parameters](Contents outputs) {
      return verify(*kernel, values, outputs);
    };
  } else {
    plan->verify_by_simulation = [this, kernel, values = request.parameters](Contents outputs) {
      return verifyBySimulation(*kernel, values, outputs);
    };
  }
  return plan;
}

Expected<LaunchPlan> ProgramExperiment::planOf(const ProgramKernel& kernel, const ParameterValues& parameters,
                                               int depth) const {
  const auto launch = resolveLaunch(kernel.rules, parameters);
  if (!launch) return tl::unexpected(launch.error());
  LaunchPlan plan;
  plan.module = module_;
  plan.kernel = kernel.signature.name;
  plan.grid = launch->grid;
  plan.block = launch->block;
  plan.dynamic_shared_bytes = launch->shared_bytes;
  plan.cooperative = kernel.rules.cooperative;
  plan.cluster = launch->cluster;
  plan.has_probe_parameter = false;
  plan.is_marked = kernel.is_marked;
  for (size_t i = 0; i < kernel.rules.arguments.size(); ++i) {
    const ArgumentRule& argument = kernel.rules.arguments[i];
    if (const auto* value = std::get_if<ValueArgument>(&argument)) {
      plan.arguments.emplace_back(value->bytes);
    } else if (const auto* size = std::get_if<SizeArgument>(&argument)) {
      const auto number = static_cast<int64_t>(launch->values.at(size->name));
      Bytes bytes(kernel.signature.parameters[i].bytes);
      std::memcpy(bytes.data(), &number, std::min(bytes.size(), sizeof number));
      plan.arguments.emplace_back(std::move(bytes));
    } else {
      auto buffer = bufferOf(kernel, i, launch->counts[i], parameters, depth);
      if (!buffer) return tl::unexpected(buffer.error());
      plan.arguments.emplace_back(BufferArgument{plan.buffers.size(), launch->images[i]});
      plan.bytes_moved += buffer->bytes * (buffer->role == BufferSpec::Role::kInOut ? 2 : 1);
      plan.buffers.push_back(std::move(*buffer));
    }
  }
  return plan;
}

Expected<BufferSpec> ProgramExperiment::bufferOf(const ProgramKernel& kernel, size_t parameter,
                                                 uint64_t count, const ParameterValues& parameters,
                                                 int depth) const {
  const ArrayRule& rule = std::get<ArrayRule>(kernel.rules.arguments[parameter]);
  const KernelParameter& declared = kernel.signature.parameters[parameter];
  using Role = BufferSpec::Role;
  BufferSpec buffer;
  buffer.name = declared.name;
  buffer.bytes = count * rule.element.bytes;
  const bool is_zeros = rule.content.kind == InitialContent::Kind::kZeros && rule.from_kernel.empty();
  if (declared.is_written && (rule.untouched || is_zeros)) {
    // Where the file does not say what it holds at first, an element that is never written is to be seen.
    buffer.role = Role::kOutput;
    if (is_zeros && !rule.untouched) buffer.fill = 0;
    return buffer;
  }
  buffer.role = declared.is_written ? Role::kInOut : Role::kInput;
  if (rule.from_kernel.empty()) {
    if (auto possible = checkContent(rule.content, rule.element, count); !possible)
      return tl::unexpected(possible.error());
    const InitialContent& content = rule.content;
    buffer.content_key =
        fmt::format("content:{}:{}:{}:{}:{}", static_cast<int>(content.kind), content.seed,
                    content.range ? fmt::format("{}..{}", content.range->least, content.range->most) : "",
                    rule.element.name(), count);
    // A file may have changed meanwhile, so it is read each time.
    if (content.kind == InitialContent::Kind::kFile) buffer.content_key.clear();
    buffer.generate = [content, element = rule.element, bytes = buffer.bytes] {
      auto made = std::make_shared<Bytes>(bytes);
      static_cast<void>(initialBytes(content, element, 0, *made));  // checked above
      return std::shared_ptr<const Bytes>(std::move(made));
    };
    return buffer;
  }
  if (depth >= kMostProducers) {
    return fail(ErrorKind::kBadRequest, "{} begins with what {} leaves, and that in the end with its own",
                declared.name, rule.from_kernel);
  }
  const ProgramKernel& producer = *this->kernel(rule.from_kernel);
  const auto made = simulated(producer, onlyOf(producer, parameters), depth + 1);
  if (!made) return fail(made.error().kind, "what {} leaves: {}", rule.from_kernel, made.error().message);
  const std::vector<size_t> of_producer = outputParameters(producer);
  const auto index = static_cast<size_t>(
      std::ranges::find_if(
          of_producer,
          [&](size_t each) { return producer.signature.parameters[each].name == rule.from_parameter; }) -
      of_producer.begin());
  if (index >= (*made)->size())
    return fail(ErrorKind::kBadRequest, "{} does not write '{}'", rule.from_kernel, rule.from_parameter);
  const Bytes& left = (**made)[index];
  if (left.size() < buffer.bytes) {
    return fail(ErrorKind::kBadRequest, "{}.{} has {} bytes, but {} has {}", rule.from_kernel,
                rule.from_parameter, left.size(), declared.name, buffer.bytes);
  }
  buffer.generate = [kept = *made, index, bytes = buffer.bytes] {
    const Bytes& all = (*kept)[index];
    return std::make_shared<const Bytes>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(bytes));
  };
  return buffer;
}

std::vector<size_t> ProgramExperiment::outputParameters(const ProgramKernel& kernel) const {
  std::vector<size_t> outputs;
  for (size_t i = 0; i < kernel.signature.parameters.size(); ++i) {
    if (kernel.signature.parameters[i].is_pointer && kernel.signature.parameters[i].is_written)
      outputs.push_back(i);
  }
  return outputs;
}

Expected<ProgramExperiment::Outputs> ProgramExperiment::simulated(const ProgramKernel& kernel,
                                                                  const ParameterValues& parameters,
                                                                  int depth) const {
  constexpr size_t kMostKept = 4;
  {
    const std::lock_guard lock(mutex_);
    for (const Simulated& each : simulated_) {
      if (each.kernel == kernel.signature.name && each.parameters == parameters) return each.outputs;
    }
  }
  const auto plan = planOf(kernel, parameters, depth);
  if (!plan) return tl::unexpected(plan.error());
  auto outputs = simulatePlan(*plan).map([](std::vector<Bytes>&& made) -> Outputs {
    return std::make_shared<const std::vector<Bytes>>(std::move(made));
  });
  const std::lock_guard lock(mutex_);
  if (simulated_.size() >= kMostKept) simulated_.erase(simulated_.begin());
  simulated_.push_back({kernel.signature.name, parameters, outputs});
  return outputs;
}

namespace {

std::vector<ComparedOutput> comparedOutputs(const ProgramKernel& kernel,
                                            const std::vector<size_t>& parameters,
                                            std::span<const std::span<const std::byte>> got) {
  std::vector<ComparedOutput> compared;
  for (size_t i = 0; i < parameters.size() && i < got.size(); ++i) {
    const ElementType type = std::get<ArrayRule>(kernel.rules.arguments[parameters[i]]).element;
    const std::string& name = kernel.signature.parameters[parameters[i]].name;
    compared.push_back({name, type, got[i], {}, kernel.rules.reference.unordered.contains(name)});
  }
  return compared;
}

double toleranceOf(const ProgramKernel& kernel, const std::vector<ComparedOutput>& outputs) {
  if (kernel.rules.reference.tolerance > 0) return kernel.rules.reference.tolerance;
  double tolerance = 0;
  for (const ComparedOutput& each : outputs) tolerance = std::max(tolerance, usualTolerance(each.type));
  return tolerance;
}

}  // namespace

Verification ProgramExperiment::verify(const ProgramKernel& kernel, const ParameterValues& parameters,
                                       std::span<const std::span<const std::byte>> outputs) const {
  const ReferenceRule& rule = kernel.rules.reference;
  const std::vector<size_t> written = outputParameters(kernel);
  std::vector<ComparedOutput> compared = comparedOutputs(kernel, written, outputs);
  std::vector<std::string> files(written.size());
  std::string what;
  Outputs reference;
  if (rule.kind == ReferenceRule::Kind::kKernel) {
    what = fmt::format("the kernel {} on the simulated GPU", rule.name);
    const ProgramKernel& other = *this->kernel(rule.name);
    // The block may be another one, the arrays are the same.
    auto made = simulated(other, onlyOf(other, parameters), 0);
    if (!made)
      return notChecked(
          fmt::format("the reference {} could not be executed: {}", rule.name, made.error().message));
    reference = *made;
  } else if (rule.kind == ReferenceRule::Kind::kHostFunction) {
    what = fmt::format("the function {} on the host", rule.name);
    const auto plan = planOf(kernel, parameters, 0);
    if (!plan) return notChecked(plan.error().message);
    auto made = callHostFunction(*program_, rule.name, *plan);
    if (!made)
      return notChecked(
          fmt::format("the reference {} could not be called: {}", rule.name, made.error().message));
    reference = std::make_shared<const std::vector<Bytes>>(std::move(*made));
  }
  for (size_t i = 0; reference && i < compared.size() && i < reference->size(); ++i)
    compared[i].expected = (*reference)[i];
  for (size_t i = 0; i < compared.size(); ++i) {
    const auto file = rule.expected_files.find(compared[i].name);
    if (file == rule.expected_files.end()) continue;
    auto content = readFile(file->second);
    if (!content)
      return notChecked(
          fmt::format("the expected bytes of {}: {}", compared[i].name, content.error().message));
    files[i] = std::move(*content);
    compared[i].expected = std::as_bytes(std::span(files[i]));
    what += fmt::format("{}{}", what.empty() ? "" : " and ", file->second.string());
  }
  return compareOutputs(compared, what, toleranceOf(kernel, compared));
}

Verification ProgramExperiment::verifyBySimulation(
    const ProgramKernel& kernel, const ParameterValues& parameters,
    std::span<const std::span<const std::byte>> outputs) const {
  const auto made = simulated(kernel, parameters, 0);
  if (!made)
    return notChecked(
        fmt::format("no reference is named, and the simulated GPU cannot say: {}", made.error().message));
  std::vector<ComparedOutput> compared = comparedOutputs(kernel, outputParameters(kernel), outputs);
  for (size_t i = 0; i < compared.size() && i < (*made)->size(); ++i) compared[i].expected = (**made)[i];
  Verification result =
      compareOutputs(compared, "the same kernel on the simulated GPU", toleranceOf(kernel, compared));
  const std::string& why = kernel.signature.order_dependence;
  if (!result.failed() || why.empty()) return result;
  return notChecked(
      fmt::format("{}, which proves nothing: {}. A reference, or 'unordered = {}' in a launch "
                  "comment, says what is right",
                  result.detail, why, compared.front().name));
}

}  // namespace warpscope
