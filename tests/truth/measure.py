#!/usr/bin/env python3
"""Counts every kernel of the truth suite with Nsight Compute on a real GPU, its third launch:

  tests/truth/measure.py BIN_FOLDER [FOLDER [warm]] > tests/golden/truth_GPU.csv

FOLDER: tests/truth (without one: this), tests/truth/judged or any other folder of PTX files.

Warm: caches as the launches before leave them. Cold: emptied before the launch. Clocks are as they are. The whole program
is run again for each pass, because saving and restoring memory between passes would push data out of L2.

What a process counts first is not warm: on an H100 (580.159.04, 2026-11-27) the first kernels of 118 files wait 3 % of
their time more for constants than others do (IMC miss). So the first kernel is launched again after the others, and the
sixth launch is the one that counts."""
import csv, io, os, signal, subprocess, sys

program = os.path.join(sys.argv[1], "truth_suite")
folder = sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(os.path.abspath(__file__))
states = ("long_scoreboard short_scoreboard barrier membar wait not_selected selected lg_throttle mio_throttle "
          "math_pipe_throttle tex_throttle drain imc_miss branch_resolving no_instruction dispatch_stall sleeping").split()
metrics = """
  sm__cycles_elapsed.max gpu__time_duration.sum smsp__inst_executed.sum smsp__inst_issued.sum smsp__thread_inst_executed.sum
  smsp__inst_executed_op_branch.sum smsp__sass_branch_targets.sum smsp__sass_branch_targets_threads_divergent.sum
  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
  l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
  l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum
  l1tex__t_sectors_pipe_tex_mem_texture.sum l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum
  l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum
  l1tex__t_sector_hit_rate.pct lts__t_sector_hit_rate.pct lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum
  lts__t_sectors_op_atom.sum lts__t_sectors_op_red.sum dram__bytes_read.sum dram__bytes_write.sum
  l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum sm__warps_active.avg.pct_of_peak_sustained_active
  launch__registers_per_thread""".split()
metrics += [f"smsp__average_warps_issue_stalled_{state}_per_issue_active.ratio" for state in states]


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


list_run = subprocess.run([program, "list", folder], stdout=subprocess.PIPE, text=True)
if list_run.returncode != 0:
    sys.exit(list_run.returncode)  # it said why: two kernels have one name
listed = [line.split() for line in list_run.stdout.splitlines()]


MOST_SECONDS = 150  # of a file


def profile(caches, file):
    command = ["ncu", "--clock-control", "none", "--cache-control", "all" if caches == "cold" else "none",
               "--replay-mode", "application", "--check-exit-code", "0",
               "--csv", "--print-units", "base", "--print-fp", "--print-kernel-base", "mangled", "--kernel-name-base", "mangled",
               "--kernel-id", ":::3|6", "--metrics", ",".join(metrics), program, "launch", folder, "cuda:0", file]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               start_new_session=True)
    try:
        return process.communicate(timeout=MOST_SECONDS)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        print(f"{file}: given up after {MOST_SECONDS} s", file=sys.stderr)
        return ""


def measure(caches, file):  # a process for each file: a kernel that fails or hangs takes no other file's with it
    kernels = {entry: name for name, entry, of, _ in listed if of == file}
    text = profile(caches, file)
    rows = {}
    for row in csv.DictReader(io.StringIO("\n".join(line for line in text.splitlines() if line.startswith('"')))):
        try:
            value = float(row["Metric Value"].replace(",", ""))
        except ValueError:
            continue
        if row["Kernel Name"] in kernels:
            rows.setdefault(kernels[row["Kernel Name"]], {})[row["Metric Name"]] = value
    for name in kernels.values():
        if name not in rows:
            print(f"{name} was not counted ({caches})", file=sys.stderr)
            continue
        print(",".join([name, caches] + [f"{rows[name][m]:.10g}" if m in rows[name] else "" for m in metrics]), flush=True)
    if not rows:
        print(text[-2000:], file=sys.stderr)


gpu = output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").strip()
print(f"# {gpu}, {output('date', '-u', '+%F').strip()}, {output('ncu', '--version').splitlines()[-1]}")
print(",".join(["kernel", "caches"] + metrics))
for caches in sys.argv[3:] or ("warm", "cold"):
    for file in dict.fromkeys(file for _, _, file, _ in listed):
        measure(caches, file)
