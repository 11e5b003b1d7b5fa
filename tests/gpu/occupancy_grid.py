#!/usr/bin/env python3
"""Achieved occupancy as a run estimates it, beside Nsight Compute's sm__warps_active.avg.pct_of_peak_sustained_active of the
bare kernels, over a grid of families, blocks and sizes:

  tests/gpu/occupancy_grid.py BIN_FOLDER SECONDS > occupancy_grid.csv

The points are taken in the order of their hashes, all families in turn, until the time is up: whatever the time, the
settings are a sample that nobody chose. `half` is that of the setting's hash: to fit on, or to judge on."""
import csv, hashlib, io, json, os, subprocess, sys, tempfile, time

ACTIVE, WAVES, CYCLES = METRICS = ("sm__warps_active.avg.pct_of_peak_sustained_active", "launch__waves_per_multiprocessor",
                                   "sm__cycles_elapsed.max")
LAUNCHES = 3  # of each bare kernel: verified, warm-up, timed; the last counts
EVIDENCE = "probe_cycles,probe_share,held_share,uneven_share,spread_warps".split(",")
COLUMNS = "half,family,variant,block,size,waves,warps_per_block,theoretical,ncu,ncu_cycles,estimate".split(",") + EVIDENCE
THREADS = [64, 96, 128, 256, 512, 640, 768, 1024]
SIZES = [2**exponent for exponent in range(16, 25)]
FAMILIES = "divergence reduction banks coalescing occupancy atomics warp_primitives barriers".split()
# Families whose settings have other names: lists of values, by name.
OTHERS = {
    "transpose": {"block": "16x16 32x8 32x16 32x32".split(), "size": SIZES},
    "boundary": {"block": [64, 128, 256, 512], "size": SIZES, "tile": ["16x16", "32x32"]},
    "mapping": {"block_x": [32, 96, 256], "block_y": [1, 2, 4], "block_z": [1], "blocks": [64, 256, 2048, 16384]},
    "latency": {"block": [64, 256, 512], "warps_per_sm": [4, 16, 64]},
}


def hashed(*words):
    return int.from_bytes(hashlib.sha256("/".join(map(str, words)).encode()).digest()[:8], "big")


def half(family, variant, block, size):
    return "judge" if hashed("half", family, variant, block, size) % 2 else "fit"


def settings_of(family):
    """All settings of a family, as dictionaries, in the order of their hashes."""
    settings = [{}]
    for name, values in OTHERS.get(family, {"block": THREADS, "size": SIZES}).items():
        settings = [{**setting, name: value} for setting in settings for value in values]
    return sorted(settings, key=lambda setting: hashed(family, *setting.items()))


def points():
    lists = {family: settings_of(family) for family in [*FAMILIES, *OTHERS]}
    for at in range(max(map(len, lists.values()))):
        for family, settings in lists.items():
            if at < len(settings):
                yield family, settings[at]


def launches_of(text):
    """The metrics of each launch that ncu counted, in its order."""
    launches = {}
    for row in csv.DictReader(io.StringIO("\n".join(line for line in text.splitlines() if line.startswith('"')))):
        if "_second" in row["Kernel Name"]:  # a kernel that follows its own
            continue
        try:
            value = float(row["Metric Value"].replace(",", ""))
        except ValueError:
            continue
        launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = value
    return [launches[at] for at in sorted(launches)]


def measure(program, family, setting):
    """Pairs of a run's JSON and what ncu counted of its kernel; a reason instead if there are none. Two processes: under ncu
    a launch seems to take 0.1 s, and the program would not warm up before it writes when warps come and go."""
    command = [program, "run", family, "--variant", "all", "--device", "cuda:0", "--records", "1", "--repeats", "1",
               "--watchdog", "300", "--json"]
    command += [word for name, value in setting.items() for word in (f"--{name}", str(value))]
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "ncu.csv")
        subprocess.run(["ncu", "--target-processes", "all", "--clock-control", "none", "--cache-control", "none", "--csv",
                        "--print-units", "base", "--print-fp", "--kernel-name-base", "mangled", "--kernel-name",
                        "regex:NoProbe", "--metrics", ",".join(METRICS), "--log-file", log, *command], capture_output=True)
        text = open(log).read() if os.path.exists(log) else ""
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        runs = json.loads(done.stdout)
    except ValueError:
        return [], done.stderr.strip()[-300:]
    launches = launches_of(text)
    if len(launches) != LAUNCHES * len(runs):
        return [], f"{len(launches)} launches of {len(runs)} variants"
    return list(zip(runs, launches[LAUNCHES - 1::LAUNCHES])), ""


def block_and_size(setting):
    """The two that a row names; those of other families are joined."""
    block = "x".join(str(value) for name, value in setting.items() if name.startswith("block") and name != "blocks")
    size = "+".join(str(value) for name, value in setting.items() if name == "blocks" or not name.startswith("block"))
    return block, size


def threads_of(block):
    threads = 1
    for side in block.split("x"):
        threads *= int(side)
    return threads


def row_of(family, setting, run, counted):
    block, size = block_and_size(setting)
    occupancy = run["occupancy"]
    percent = lambda share: "" if share is None else f"{100 * share:.2f}"
    number = lambda value: "" if value is None else f"{value:.6g}"
    evidence = occupancy.get("residency", {})
    return [half(family, run["variant"], block, size), family, run["variant"], block, size, number(counted[WAVES]),
            (threads_of(block) + 31) // 32, percent(occupancy["theoretical"]), f"{counted[ACTIVE]:.2f}",
            number(counted[CYCLES]), percent(occupancy.get("achieved"))] + [number(evidence.get(name)) for name in EVIDENCE]


def main(bin_folder, seconds, measure=measure):
    program = os.path.join(bin_folder, "warpscope")
    until = time.monotonic() + float(seconds)
    version = subprocess.run(["ncu", "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-1]
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                         capture_output=True, text=True).stdout.strip()
    print(f"# {gpu}, {version}, {time.strftime('%F', time.gmtime())}")
    print(",".join(COLUMNS), flush=True)
    rows = 0
    for family, setting in points():
        if time.monotonic() > until:
            break
        pairs, problem = measure(program, family, setting)
        if problem:
            print(f"{family} {setting}: {problem}", file=sys.stderr, flush=True)
        for run, counted in pairs:
            print(",".join(map(str, row_of(family, setting, run, counted))), flush=True)
            rows += 1
    return 0 if rows else "nothing was measured"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
