#!/usr/bin/env python3
"""Exports runs as Chrome traces and loads each into the trace viewer of a headless Chromium: the importer must not
complain, and its model must hold just what the recording does.

Usage: chromium_trace.py WARPSCOPE RECORDING...      Needs: chromium, python3, and trace_viewer.py's viewer.
"""
import json
import os
import subprocess
import sys
import tempfile

from devtools import Chromium
from trace_viewer import TraceViewer

LONGEST_LIST = 5


def expect(problems, what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: {found}, not {wanted}")


def check(viewer, path):
    """What the viewer sees differently from the trace; prints the trace's contents."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    totals = trace["otherData"]["totals"]
    events = trace["traceEvents"]
    model = viewer.load(path)
    problems = [f"importer: {warning}" for warning in model["warnings"]]
    expect(problems, "region slices", model["slices"].get("region", 0), totals["region_slices"])
    expect(problems, "region cycles", model["cycles"].get("region", 0), totals["region_cycles"])
    expect(problems, "region time (ms)", model["ms"].get("region", 0), totals["region_us"] / 1000)
    expect(problems, "instruction slices", model["slices"].get("instruction", 0), totals["instruction_slices"])
    if "operations" in totals:
        arrows = [event for event in events if event["ph"] == "s"]
        instants = sum(event.get("cat") == "operation" and event["ph"] == "i" for event in events)
        expect(problems, "operations", model["slices"].get("operation", 0) + instants, totals["operations"])
        expect(problems, "arrows", model["arrows"], len(arrows))
    expect(problems, "slices that cross others", model["crossing"], 0)
    expect(problems, "slices on top of others", model["nested"], 0)
    expect(problems, "instants", model["instants"], sum(event["ph"] == "i" for event in events))
    expect(problems, "counter samples", model["samples"], sum(event["ph"] == "C" for event in events))
    names = [name for _, name in sorted(model["names"])]
    wanted = [(event["args"]["sort_index"], event["pid"]) for event in events if event["name"] == "process_sort_index"]
    name_of = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    expect(problems, "processes", names, [name_of[pid] for _, pid in sorted(wanted)])
    threads = sorted(event["args"]["name"] for event in events if event["name"] == "thread_name")
    # The viewer ignores a thread without events.
    expect(problems, "threads that nobody named", sorted(set(model["thread_names"]) - set(threads)), [])
    print(f"{os.path.basename(path)}: {model['slices']}, {model['ms'].get('region', 0):.6f} ms of regions, "
          f"{model['instants']} instants, {model['counters']} counters, {len(model['warnings'])} warnings")
    return problems


def main(program, recordings):
    failed = False
    with Chromium() as browser, tempfile.TemporaryDirectory(prefix="warpscope-trace-") as folder:
        viewer = TraceViewer(browser)
        print(f"viewer: {viewer.place}, {browser.call('Browser.getVersion')['product']}")
        for number, recording in enumerate(recordings):
            runs = json.loads(subprocess.check_output([program, "export", recording, "--format", "json", "--table",
                                                       "runs", "--output", "-"]))
            # The first and the last: a recording's smallest and largest settings.
            for run in sorted({0, len(runs) - 1}):
                path = os.path.join(folder, f"{number}_{os.path.basename(recording)}_{run}.json")
                subprocess.check_call([program, "export", recording, "--format", "chrome", "--index", str(run),
                                       "--output", path], stdout=subprocess.DEVNULL)
                for problem in check(viewer, path)[:LONGEST_LIST]:
                    print(f"  WRONG: {problem}")
                    failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
