#!/usr/bin/env bash
# Achieved occupancy as a run reports it, beside Nsight Compute's sm__warps_active.avg.pct_of_peak_sustained_active, for every
# variant at its default settings, and once more with a larger grid if that has fewer than four waves:
#   tests/gpu/achieved_occupancy.sh BIN_FOLDER [MOST_POINTS_APART]
# Fails if the two differ by more than that (default 5) for a launch of at least four full waves.
set -euo pipefail
bin=$(realpath "$1")
most=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%F), $(ncu --version | tail -1)"
metrics=sm__warps_active.avg.pct_of_peak_sustained_active,launch__waves_per_multiprocessor,sm__maximum_warps_per_active_cycle_pct

# FAMILY [OPTION ...]: three launches of each bare kernel (verified, warm-up, timed); the last counts. Ours is of another
# process: under ncu a launch seems to take 0.1 s, and the program would not warm up before it looks when warps come and go.
measure() {
  local family=$1
  shift
  local command=("$bin/warpscope" run "$family" --variant all --device cuda:0 --records 1 --repeats 1 --watchdog 300 --json "$@")
  ncu --target-processes all --clock-control none --cache-control none --csv --kernel-name-base mangled \
    --kernel-name regex:NoProbe --metrics "$metrics" --log-file "$work/ncu.csv" \
    "${command[@]}" >"$work/log" 2>&1 || true
  "${command[@]}" >"$work/runs.json" 2>"$work/log" || true
  FAMILY="$family $*" perl -MJSON::PP -e '
    local $/; open my $json, "<", "$ARGV[0]/runs.json"; my $runs = decode_json(<$json>);
    $/ = "\n"; open my $csv, "<", "$ARGV[0]/ncu.csv"; my (%values, @ids, %seen);
    while (<$csv>) {
      next unless /^"\d+",/;
      s/^"//; s/"\r?\n$//; my @f = split /","/;
      next if $f[4] =~ /_second/;  # a launch that follows its own
      (my $value = $f[14]) =~ tr/,//d;
      $values{$f[0]}{$f[12]} = $value; push @ids, $f[0] unless $seen{$f[0]}++;
    }
    die "$ENV{FAMILY}: ", scalar @ids, " launches of ", scalar @$runs, " variants\n" if @ids != 3 * @$runs;
    for my $i (0 .. $#$runs) {
      my ($run, $of) = ($runs->[$i], $values{$ids[3 * $i + 2]});
      my $waves = $of->{launch__waves_per_multiprocessor};
      my $ncu = $of->{"sm__warps_active.avg.pct_of_peak_sustained_active"};
      my $achieved = $run->{occupancy}{achieved};
      printf "%-16s %-24s waves %8.2f  theoretical %5.1f ncu %5.1f  achieved %5s ncu %5.1f  apart %5s\n", (split / /, $ENV{FAMILY})[0],
        $run->{variant}, $waves, 100 * $run->{occupancy}{theoretical}, $of->{sm__maximum_warps_per_active_cycle_pct},
        defined $achieved ? sprintf("%.1f", 100 * $achieved) : "-", $ncu,
        defined $achieved ? sprintf("%.1f", 100 * $achieved - $ncu) : "-";
    }' "$work"
}

{
  for family in $("$bin/warpscope" list --names); do
    [ "$family" = broken ] || measure "$family"
  done
  for family in divergence banks atomics warp_primitives barriers; do measure "$family" --size 2^24; done
  measure occupancy --size 2^24 --waves 50
} | tee "$work/table"
awk -v most="$most" '
  /waves/ { for (i = 1; i <= NF; ++i) { if ($i == "waves") waves = $(i + 1); if ($i == "apart") apart = $(i + 1) }
            if (waves < 4) { ++few; next }
            if (apart == "-") { ++unknown; print "unknown: " $1, $2; next }
            ++compared; if (apart < -most || apart > most) { ++far; print "too far: " $0 } }
  END { printf "%d launches of four waves and more compared, %d further apart than %s points; %d unknown; %d had fewer waves\n",
               compared, far, most, unknown, few; exit far > 0 || compared == 0 }' "$work/table"
