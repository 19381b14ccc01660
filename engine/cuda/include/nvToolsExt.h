// SPDX-License-Identifier: MIT
// Marks for a profiler.
#ifndef NVTOOLSEXT_H
#define NVTOOLSEXT_H

inline int nvtxRangePush(const char *)
{
    return 0;
}

inline int nvtxRangePushA(const char *)
{
    return 0;
}

inline int nvtxRangePop()
{
    return 0;
}

inline void nvtxMark(const char *)
{
}
#endif
