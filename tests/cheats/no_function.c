// SPDX-License-Identifier: MIT
// tries: is no function at all
// ends: FAIL
int gemm = 1;
