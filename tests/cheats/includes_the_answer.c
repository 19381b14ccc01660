// SPDX-License-Identifier: MIT
// tries: includes the reference from the grader's files
// ends: FAIL which is not there
// off: sandbox
#include "THE_TOP/answers/lab01_cpu_naive/kernel.c"
