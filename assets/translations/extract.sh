#!/usr/bin/env bash
# Prints a template of the texts in the sources: the window's, which are literals in tr, trf and trMark, and, with the
# context "message", the formats of sentences that the engine composes: theory, errors, results of checks.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# xgettext warns about texts that are not ASCII (they are UTF-8), and mistakes "100 % of" for a printf format.
extract() {
  local output=$1
  shift
  xgettext --language=C++ --from-code=UTF-8 --add-location=file --output="$output" "$@" 2>"$output.log" ||
    { cat "$output.log" >&2; exit 1; }
  sed -i '/^#, c-format$/d; /^"POT-Creation-Date/d; /^"Report-Msgid-Bugs-To/d; s/charset=CHARSET/charset=UTF-8/' "$output"
}

find app viz -name '*.cpp' -o -name '*.h' | sort >"$work/window.files"
extract "$work/window.pot" --keyword --keyword=tr --keyword=trf --keyword=trMark --keyword=trAs:1c,2 --files-from="$work/window.files"

{
  find kernels/experiments -name 'theory*.cpp'
  printf '%s\n' kernels/device/{child_process_device,devices,recorded_device}.cpp kernels/execute/{executor,executor_measure,executor_model,executor_prepare,launch_check}.cpp kernels/occupancy/{occupancy,suggestions,littles_law}.cpp kernels/program/{compare_outputs,program_experiment}.cpp
} | sort >"$work/whole.files"
extract "$work/whole.pot" --extract-all --files-from="$work/whole.files"
extract "$work/formats.pot" --keyword --keyword=fail:2 --keyword=add:2 --keyword=format \
  kernels/compare/explanation.cpp kernels/metrics/{achieved_cause,advice}.cpp kernels/experiments/{family,parameters,verification}.cpp kernels/execute/{clock_alignment,clock_readings,merge}.cpp
find kernels/experiments -name '*.cpp' | sort >"$work/families.files"
extract "$work/refusals.pot" --keyword --keyword=fail:2 --files-from="$work/families.files"
# Only texts with at least two words: the rest are names, symbols and numbers.
msgcat --use-first "$work/whole.pot" "$work/formats.pot" "$work/refusals.pot" |
  msggrep --msgid --extended-regexp --regexp='[A-Za-z]{2,}.* .*[A-Za-z]{2,}' --regexp='^(timing|tracing)$' - |
  awk '/^msgid/ { if (entries++ > 0) print "msgctxt \"message\"" } { print }' >"$work/messages.pot"
msgcat --use-first "$work/window.pot" "$work/messages.pot" assets/translations/hazards.pot
