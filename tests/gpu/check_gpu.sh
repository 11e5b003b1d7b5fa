#!/usr/bin/env bash
# Everything that needs a machine with an NVIDIA GPU, in one go, with programs that may have been built elsewhere:
#   tests/gpu/check_gpu.sh BIN_FOLDER OUT_FOLDER [tests] [sanitizer] [broken] [bench] [record] [table]
# Without step names all steps run. Prints a closing line per step; exits non-zero if any failed.
set -uo pipefail
bin=$(realpath "$1"); out=$(realpath -m "$2"); shift 2
steps=${*:-tests sanitizer broken bench table record}
mkdir -p "$out"
failed=0
verdict() { if [ "$2" -eq 0 ]; then echo "== $1: ok"; else echo "== $1: FAILED ($2)"; failed=1; fi; }

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/gpu.txt"
date -u +%F | tee -a "$out/gpu.txt"

families=$("$bin/warpscope" list --names)
right_families=$(grep -vx broken <<<"$families")
# The result of a compute-sanitizer tool for a run: its summary lines with a count.
sanitized() { compute-sanitizer --tool "$1" --target-processes all "${@:2}" 2>&1 </dev/null; }
found_something() { grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' | grep -qvE ': 0 (errors|hazards)'; }
for step in $steps; do
  case $step in
    tests)
      "$bin/gpu_test" --gtest_brief=1 >"$out/gpu_test.log" 2>&1
      status=$?
      grep -E '^\[  (FAILED|PASSED|SKIPPED)' "$out/gpu_test.log" | head -40
      verdict "gpu tests" $status ;;
    sanitizer)
      # Small launches of each family, several families at a time: the tools are slow, the launches tiny.
      for tool in memcheck racecheck synccheck; do
        rm -rf "$out/$tool"; mkdir -p "$out/$tool"
        status=0
        xargs -P 8 -I{} sh -c "compute-sanitizer --tool $tool --target-processes all --error-exitcode 9 \
            '$bin/warpscope' check --device cuda:0 --small --family {} --watchdog 300 \
            >'$out/$tool/{}.log' 2>&1 || touch '$out/$tool/{}.failed'" <<<"$right_families"
        for family in $right_families; do
          # The child's errors reach us through the summary lines, whatever the parent's exit status.
          found_something <"$out/$tool/$family.log" && touch "$out/$tool/$family.failed"
          grep -qE 'ERROR SUMMARY|RACECHECK SUMMARY' "$out/$tool/$family.log" || touch "$out/$tool/$family.failed"
          if [ -e "$out/$tool/$family.failed" ]; then status=9; echo "$tool $family: see $out/$tool/$family.log"; fi
        done
        grep -hE ' runs verified' "$out/$tool"/*.log
        verdict "compute-sanitizer $tool" $status
      done ;;
    broken)
      # Each tool must find what is planted for it, and nothing in the corrected kernel.
      status=0
      : >"$out/broken.log"
      while read -r tool broken right; do
        for variant in $broken $right; do
          text=$(sanitized "$tool" "$bin/warpscope" run broken --variant "$variant" --device cuda:0 --repeats 1 --watchdog 300)
          printf '== %s %s\n%s\n' "$tool" "$variant" "$text" >>"$out/broken.log"
          found=no; found_something <<<"$text" && found=yes
          wanted=no; [ "$variant" = "$broken" ] && wanted=yes
          echo "$tool $variant: found $found, planted $wanted"
          [ $found = $wanted ] || status=1
        done
      done <<'PAIRS'
memcheck out_of_bounds in_bounds
racecheck missing_syncthreads with_syncthreads
racecheck missing_syncwarp with_syncwarp
synccheck divergent_barrier uniform_barrier
PAIRS
      verdict "compute-sanitizer finds what is broken" $status ;;
    bench)
      "$bin/live_bench" cuda:0 2>&1 | tee "$out/live_bench.txt"
      verdict "live bench" "${PIPESTATUS[0]}" ;;
    table)
      status=0
      for family in $families; do
        "$bin/warpscope" run $family --variant all --device cuda:0 --json >"$out/$family.json" || [ $family = broken ] || status=$?
        "$bin/warpscope" run $family --variant all --device cuda:0 || [ $family = broken ] || status=$?
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
