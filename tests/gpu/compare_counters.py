#!/usr/bin/env python3
"""Compares the counters that warpscope reads with those of Nsight Compute, on a real GPU:

  tests/gpu/compare_counters.py BIN_FOLDER [FAMILY/VARIANT ...] > table.md

Each launch is counted once by warpscope and twice by ncu, with a warm L2 and with clocks as they are, since times and what
depends on them differ from launch to launch. A metric agrees if it is within 2 % of one of ncu's (or one of what is
counted; ratios 0.006, since ncu prints two decimals). Prints a table by metric."""
import csv, io, json, subprocess, sys

bin_folder, *wanted = sys.argv[1:]
program = bin_folder + "/warpscope"


def command(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout


def ours(family, variant):
    text = command(program, "run", family, "--variant", variant, "--device", "cuda:0", "--counters", "--json")
    return json.loads(text)[0]["counters"]


def ncus(family, variant, names):
    text = command("ncu", "--target-processes", "all", "--clock-control", "none", "--cache-control", "none", "--csv",
                   "--print-units", "base", "--print-fp", "--kernel-name-base", "mangled",
                   "--kernel-name", "regex:NoProbe", "--metrics", ",".join(names), program, "run", family, "--variant",
                   variant, "--device", "cuda:0", "--repeats", "1", "--watchdog", "300")
    launches = {}
    for row in csv.DictReader(io.StringIO("\n".join(line for line in text.splitlines() if line.startswith('"')))):
        try:
            value = float(row["Metric Value"].replace(",", ""))
        except ValueError:
            continue
        launches.setdefault(int(row["ID"]), (row["Kernel Name"], {}))[1][row["Metric Name"]] = value
    first = launches[min(launches)][0]
    return launches[max(i for i in launches if launches[i][0] == first)][1]  # the last: warm


def agree(name, a, b):
    whole = name.endswith((".sum", ".max", ".avg"))
    return abs(a - b) <= max(0.02 * abs(b), 1.0 if whole else 0.006)


launches = [name.split("/") for name in wanted]
if not launches:
    for family in command(program, "list", "--names").split():
        variants = json.loads(command(program, "list", family, "--json"))[0]["variants"]
        launches += [[family, variant] for variant in variants]
by_metric = {}


def count(family, variant):
    mine = ours(family, variant)
    names = [name for name in mine if not name.startswith(("ptx.", "model."))]
    once, twice = ncus(family, variant, names), ncus(family, variant, names)
    for name in names:
        if name in once and name in twice:
            a, b, c = mine[name], once[name], twice[name]
            by_metric.setdefault(name, []).append((agree(name, a, b) or agree(name, a, c), agree(name, b, c),
                                                   f"{family}/{variant}: {a:g}, ncu {b:g} and {c:g}"))


done = 0
try:
    for family, variant in launches:
        count(family, variant)
        done += 1
finally:  # what there is if it is interrupted
    print("| metric | agrees | ncu agrees with itself | launches | one that differs |\n| --- | ---: | ---: | ---: | --- |")
    for name, entries in sorted(by_metric.items()):
        differing = [text for agrees, _, text in entries if not agrees]
        print(f"| {name} | {len(entries) - len(differing)} | {sum(itself for _, itself, _ in entries)} | {len(entries)} "
              f"| {differing[0] if differing else ''} |")
    print(f"\n{done} of {len(launches)} launches.")
