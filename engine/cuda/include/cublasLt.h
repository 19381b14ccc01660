// SPDX-License-Identifier: MIT
// Of cuBLASLt what programs declare and do not use: there is no product by it.
#ifndef CUBLASLT_H
#define CUBLASLT_H

#include "cublas_v2.h"

typedef struct emulated_cublas *cublasLtHandle_t;

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    return cublasCreate(handle);
}

inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return cublasDestroy(handle);
}
#endif
