#!/usr/bin/env python3
"""Compares the counters that warpscope reads with those of Nsight Compute, on a real GPU:

  tests/gpu/compare_counters.py BIN_FOLDER [FAMILY[:SIZE] ...] > table.md

All variants of a family, at their defaults or at that size, are counted here by `record`, and by ncu, which runs the same
program again for each of its passes: so a launch finds in L2 what the launches before it left, as it does in warpscope. Clocks
are as they are. Each value counted here is compared with each of ncu's, and ncu's with each other, since many differ from run
to run. A pair agrees if it is within 2 % (or one of what is counted; ratios 0.006, since ncu prints two decimals). Stall
reasons are compared once more as shares of all of them: within 2 points. A variant is compared if its kernel has its name.
Prints a table by metric, and seconds to stderr."""
import argparse, csv, io, itertools, json, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("bin_folder")
parser.add_argument("families", nargs="*", metavar="FAMILY[:SIZE]", help="default: all, at their defaults")
parser.add_argument("--here", type=int, default=1, help="times that each variant is counted here")
parser.add_argument("--ncu", type=int, default=2, help="times that ncu counts it")
parser.add_argument("--values", help="a file for all values (JSON)")
arguments = parser.parse_args()
program = arguments.bin_folder + "/warpscope"
scratch = tempfile.mkdtemp()


def command(*words):
    begin = time.time()
    text = subprocess.run(words, capture_output=True, text=True).stdout
    return text, time.time() - begin


def asked(family):  # how the program is asked for it
    name, _, size = family.partition(":")
    return [name, *(["--size", size] if size else [])]


def here(family):  # by variant
    file = f"{scratch}/here.wsrec"
    _, seconds = command(program, "record", *asked(family), "--device", "cuda:0", "--output", file, "--counters")
    variants = {run["variant"]: run["counters"] for run in json.loads(command(program, "show", file, "--json")[0])}
    print(f"{family}: {len(variants)} variants counted in {seconds:.1f} s", file=sys.stderr)
    return {variant: {name: value for name, value in counters.items() if not name.startswith(("ptx.", "model."))}
            for variant, counters in variants.items()}


def ncus(family, names):  # by kernel, the last of its launches
    text, _ = command("ncu", "--target-processes", "all", "--clock-control", "none", "--cache-control", "none",
                      "--replay-mode", "application", "--csv", "--print-units", "base", "--print-fp", "--print-kernel-base",
                      "mangled", "--kernel-name-base", "mangled", "--kernel-name", "regex:NoProbe", "--metrics", ",".join(names),
                      program, "record", *asked(family), "--device", "cuda:0", "--repeats", "1", "--watchdog", "300",
                      "--output", f"{scratch}/ncu.wsrec")
    kernels = {}
    for row in csv.DictReader(io.StringIO("\n".join(line for line in text.splitlines() if line.startswith('"')))):
        try:
            value = float(row["Metric Value"].replace(",", ""))
        except ValueError:
            continue
        kernels.setdefault(row["Kernel Name"], {}).setdefault(int(row["ID"]), {})[row["Metric Name"]] = value
    if not kernels:
        print(text[-2000:], file=sys.stderr)
    return {kernel: launches[max(launches)] for kernel, launches in kernels.items()}


launches = {}  # by "family/variant": its counts here, and ncu's


def count(family):
    mine = [here(family) for _ in range(arguments.here)]
    names = sorted({name for variants in mine for counters in variants.values() for name in counters})
    theirs = [ncus(family, names) for _ in range(arguments.ncu)]
    for variant in mine[0]:
        kernels = [kernel for kernel in theirs[0] if f"{len(variant)}{variant}I" in kernel]
        if len(kernels) == 1 and all(kernels[0] in launch for launch in theirs):
            launches[f"{family}/{variant}"] = ([variants[variant] for variants in mine],
                                               [launch[kernels[0]] for launch in theirs])


def is_stall(name):
    return "issue_stalled" in name


def agree(name, a, b):
    if name.startswith("share of "):
        return abs(a - b) <= 0.02
    whole = name.endswith((".sum", ".max", ".avg"))
    return abs(a - b) <= max(0.02 * abs(b), 1.0 if whole else 0.006)


def with_shares(counters):
    stalls = {name: value for name, value in counters.items() if is_stall(name)}
    total = sum(stalls.values()) or 1.0
    return counters | {f"share of {name}": value / total for name, value in stalls.items()}


class Pairs:
    def __init__(self):
        self.agreeing, self.all = 0, 0

    def add(self, agreeing):
        self.agreeing += agreeing
        self.all += 1

    def __str__(self):
        return f"{self.agreeing} of {self.all} ({100 * self.agreeing / self.all:.1f} %)" if self.all else "none"


kinds = ("here and ncu", "ncu with itself", "here with itself")
by_metric = {}  # name: Pairs of each kind, and the launches that differ
totals = {title: [Pairs() for _ in kinds] for title in ("all metrics", "all but stall reasons", "stall reasons",
                                                         "stall reasons as shares, within 2 points")}


def title_of(name):
    return "all but stall reasons" if not is_stall(name) else \
        "stall reasons as shares, within 2 points" if name.startswith("share of ") else "stall reasons"


def compare(launch, mine, theirs):
    mine, theirs = [[with_shares(counters) for counters in counts] for counts in (mine, theirs)]
    for name in mine[0]:
        if not all(name in counters for counters in mine + theirs):
            continue
        a, b = [counters[name] for counters in mine], [counters[name] for counters in theirs]
        pairs = (itertools.product(a, b), itertools.combinations(b, 2), itertools.combinations(a, 2))
        of_metric, differing = by_metric.setdefault(name, ([Pairs() for _ in kinds], []))
        before = of_metric[0].all - of_metric[0].agreeing
        sums = [totals[title_of(name)]] + ([] if name.startswith("share of ") else [totals["all metrics"]])
        for kind, of_kind in enumerate(pairs):
            for pair in of_kind:
                for counted in [of_metric] + sums:
                    counted[kind].add(agree(name, *pair))
        if of_metric[0].all - of_metric[0].agreeing > before:
            differing.append(f"{launch}: {', '.join(f'{value:g}' for value in a)}, ncu {', '.join(f'{value:g}' for value in b)}")


try:
    for family in arguments.families or command(program, "list", "--names")[0].split():
        count(family)
finally:  # what there is if it is interrupted
    for launch, (mine, theirs) in launches.items():
        compare(launch, mine, theirs)
    if arguments.values:
        json.dump(launches, open(arguments.values, "w"))
    print(f"{len(launches)} launches: {', '.join(launches)}\n")
    print(f"| pairs of | {' | '.join(kinds)} |\n| --- | ---: | ---: | ---: |")
    for title, pairs in totals.items():
        print(f"| {title} | {' | '.join(map(str, pairs))} |")
    print(f"\n| metric | {' | '.join(kinds)} | launches that differ |\n| --- | ---: | ---: | ---: | --- |")
    for name, (pairs, differing) in sorted(by_metric.items()):
        print(f"| {name} | {' | '.join(map(str, pairs))} | {'; '.join(differing[:3])} |")
