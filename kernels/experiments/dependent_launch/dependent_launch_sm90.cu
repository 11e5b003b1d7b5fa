// The same kernel for compute capability 9.0, where launches can trigger those that depend on them.
#include "kernels/experiments/dependent_launch/dependent_launch.cu"
