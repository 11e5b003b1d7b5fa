#!/usr/bin/env python3
"""Compares the counters that warpscope reads with those of Nsight Compute, on a real GPU:

  tests/gpu/compare_counters.py BIN_FOLDER [FAMILY[:SIZE] ...] > table.md

All variants of a family are counted, at their defaults or at that size, by one `record`, and twice by ncu, which runs the same program again for each of its
passes: so a launch finds in L2 what the launches before it left, as it does in warpscope. Clocks are as they are. A metric
agrees if it is within 2 % of one of ncu's (or one of what is counted; ratios 0.006, since ncu prints two decimals). A variant is
compared if its kernel has its name. Prints a table by metric, and seconds to stderr."""
import csv, io, json, subprocess, sys, tempfile, time

bin_folder, *families = sys.argv[1:]
program = bin_folder + "/warpscope"
scratch = tempfile.mkdtemp()


def command(*words):
    begin = time.time()
    text = subprocess.run(words, capture_output=True, text=True).stdout
    return text, time.time() - begin


def asked(family):  # how the program is asked for it
    name, _, size = family.partition(":")
    return [name, *(["--size", size] if size else [])]


def record(family, *words):
    file = f"{scratch}/mine.wsrec"
    _, seconds = command(program, "record", *asked(family), "--device", "cuda:0", "--output", file, *words)
    return {run["variant"]: run["counters"] for run in json.loads(command(program, "show", file, "--json")[0])}, seconds


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


def agree(name, a, b):
    whole = name.endswith((".sum", ".max", ".avg"))
    return abs(a - b) <= max(0.02 * abs(b), 1.0 if whole else 0.006)


by_metric, compared = {}, []


def count(family):
    mine, seconds = record(family, "--counters")
    names = sorted({name for counters in mine.values() for name in counters if not name.startswith(("ptx.", "model."))})
    once, twice = ncus(family, names), ncus(family, names)
    print(f"{family}: {len(mine)} variants counted in {seconds:.1f} s", file=sys.stderr)
    for variant, counters in mine.items():
        kernels = [kernel for kernel in once if f"{len(variant)}{variant}I" in kernel and kernel in twice]
        if len(kernels) != 1:
            continue
        compared.append(f"{family}/{variant}")
        for name in counters:
            if name in once[kernels[0]] and name in twice[kernels[0]]:
                a, b, c = counters[name], once[kernels[0]][name], twice[kernels[0]][name]
                by_metric.setdefault(name, []).append((agree(name, a, b) or agree(name, a, c), agree(name, b, c),
                                                       f"{family}/{variant}: {a:g}, ncu {b:g} and {c:g}"))


try:
    for family in families or command(program, "list", "--names")[0].split():
        count(family)
finally:  # what there is if it is interrupted
    print("| metric | agrees | ncu agrees with itself | launches | ones that differ |\n| --- | ---: | ---: | ---: | --- |")
    for name, entries in sorted(by_metric.items()):
        differing = [text for agrees, _, text in entries if not agrees]
        print(f"| {name} | {len(entries) - len(differing)} | {sum(itself for _, itself, _ in entries)} | {len(entries)} "
              f"| {'; '.join(differing[:3])} |")
    print(f"\n{len(compared)} launches: {', '.join(compared)}")
