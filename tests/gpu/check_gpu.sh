#!/usr/bin/env bash
# Everything that only a machine with an NVIDIA GPU can tell, in one go, with programs that may have been built elsewhere:
#   tests/gpu/check_gpu.sh BIN_FOLDER OUT_FOLDER [tests] [sanitizer] [bench] [record] [table]
# Without a step's name all steps run. Prints a closing line per step; exits non-zero if any failed.
set -uo pipefail
bin=$(realpath "$1"); out=$(realpath -m "$2"); shift 2
steps=${*:-tests sanitizer bench table record}
mkdir -p "$out"
failed=0
verdict() { if [ "$2" -eq 0 ]; then echo "== $1: ok"; else echo "== $1: FAILED ($2)"; failed=1; fi; }

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/gpu.txt"
date -u +%F | tee -a "$out/gpu.txt"

families=$("$bin/warpscope" list --names)
for step in $steps; do
  case $step in
    tests)
      "$bin/gpu_test" --gtest_brief=1 >"$out/gpu_test.log" 2>&1
      status=$?
      grep -E '^\[  (FAILED|PASSED|SKIPPED)' "$out/gpu_test.log" | head -40
      verdict "gpu tests" $status ;;
    sanitizer)
      for tool in memcheck racecheck; do
        : >"$out/$tool.log"
        status=0
        for family in $families; do
          shapes=$([ $family = transpose ] && echo "32x8 32x32 16x16" || echo "96 256 1024")
          measures="--size 65543 --block"
          if [ $family = mapping ]; then shapes="1 40 160"; measures="--blocks 67 --block_x"; fi
          for block in $shapes; do
            compute-sanitizer --tool $tool --target-processes all --error-exitcode 9 \
              "$bin/warpscope" run $family --variant all --device cuda:0 $measures $block --repeats 1 \
              --watchdog 300 >>"$out/$tool.log" 2>&1 || status=$?
          done
        done
        grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$out/$tool.log" | sort | uniq -c
        # The child's errors reach us through the summary lines, whatever the parent's exit status.
        if grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$out/$tool.log" | grep -vqE ': 0 (errors|hazards)'; then status=9; fi
        grep -qE 'ERROR SUMMARY|RACECHECK SUMMARY' "$out/$tool.log" || status=10
        verdict "compute-sanitizer $tool" $status
      done ;;
    bench)
      "$bin/live_bench" cuda:0 2>&1 | tee "$out/live_bench.txt"
      verdict "live bench" "${PIPESTATUS[0]}" ;;
    table)
      status=0
      for family in $families; do
        "$bin/warpscope" run $family --variant all --device cuda:0 --json >"$out/$family.json" || status=$?
        "$bin/warpscope" run $family --variant all --device cuda:0 || status=$?
      done
      verdict "table of variants" $status ;;
    record)
      rm -rf "$out/recordings"
      "$bin/warpscope" record --all "$out/recordings" --device cuda:0 2>"$out/record.log"
      status=$?
      tail -n 3 "$out/record.log"
      du -sb "$out/recordings"
      verdict "record" $status ;;
    *) echo "no step '$step'"; failed=1 ;;
  esac
done
exit $failed
