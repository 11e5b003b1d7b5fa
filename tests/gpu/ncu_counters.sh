#!/usr/bin/env bash
# Nsight Compute's counts for every variant at three block sizes on a real GPU, in the format of tests/golden/ncu_h100.csv:
#   tests/gpu/ncu_counters.sh BIN_FOLDER > tests/golden/ncu_NAME.csv
# The last launch of each series (verified, warm-up, timed) is taken, with a warm L2. Clocks and caches are not controlled.
set -euo pipefail
bin=$(realpath "$1")
metrics=(
  sm__cycles_elapsed.max gpu__time_duration.sum smsp__inst_executed.sum smsp__thread_inst_executed.sum
  smsp__inst_executed_op_branch.sum smsp__sass_branch_targets.sum smsp__sass_branch_targets_threads_divergent.sum
  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
  l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
  l1tex__t_sector_hit_rate.pct lts__t_sector_hit_rate.pct lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum
  l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum sm__warps_active.avg.pct_of_peak_sustained_active
  dram__bytes_read.sum dram__bytes_write.sum
  smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
  smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio
  smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio
  smsp__average_warps_issue_stalled_wait_per_issue_active.ratio
  smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio
  smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio
  smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio
  smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio
  smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio
  smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio)

echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%F), $(ncu --version | tail -1)"
echo "family,variant,size,block,grid,block_shape,$(IFS=,; echo "${metrics[*]}")"

# FAMILY SIZE BLOCK
measure() {
  ncu --target-processes all --clock-control none --cache-control none --csv --kernel-name-base mangled \
    --kernel-name regex:NoProbe --metrics "$(IFS=,; echo "${metrics[*]}")" \
    "$bin/warpscope" run "$1" --variant all --device cuda:0 --size "$2" --block "$3" --repeats 1 --watchdog 300 2>/dev/null |
    FAMILY=$1 SIZE=$2 BLOCK=$3 METRICS=${metrics[*]} perl -ne '
      BEGIN { @names = split / /, $ENV{METRICS} }
      next unless /^"\d+",/;
      s/^"//; s/"\r?\n$//; @f = split /","/;
      ($id, $kernel, $block, $grid, $metric, $value) = ($f[0], $f[4], $f[7], $f[8], $f[12], $f[14]);
      $kernel =~ /(?:void )?(?:\w+::)*(\w+)</ or next;
      next if $1 =~ /_second$/;  # a launch that follows its own
      $variant{$id} = $1; $value =~ tr/,//d; tr/ ()//d, tr/,/x/ for $block, $grid;
      $shape{$id} = "$grid,$block"; $values{$id}{$metric} = $value; push @ids, $id unless $seen{$id}++;
      END {
        for (my $i = 2; $i < @ids; $i += 3) {
          my $id = $ids[$i];
          print join(",", $ENV{FAMILY}, $variant{$id}, $ENV{SIZE}, $ENV{BLOCK}, $shape{$id},
                     map { $values{$id}{$_} // "" } @names), "\n";
        }
      }'
}

for block in 64 256 1024; do
  measure divergence 2^17 $block
  measure reduction 2^20 $block
done
for shape in 32x8 32x32 16x16; do measure transpose 2^20 $shape; done
