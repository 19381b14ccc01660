// SPDX-License-Identifier: MIT
// Of cuBLAS its products of matrices, with which programs compare their own. They are right, and
// nothing else of it is here; in a kernel there is none.
#ifndef CUBLAS_V2_H
#define CUBLAS_V2_H
#define CUBLAS_API_H_ // by this name programs ask whether they have it

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "library_types.h"

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16,
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasMath_t {
    CUBLAS_DEFAULT_MATH,
    CUBLAS_TENSOR_OP_MATH,
    CUBLAS_PEDANTIC_MATH,
    CUBLAS_TF32_TENSOR_OP_MATH,
};
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32I = 72,
};
enum cublasGemmAlgo_t {
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
};
typedef struct emulated_cublas *cublasHandle_t;

extern "C" {
cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int bytes, const void *host, int host_step, void *device,
                               int step);
cublasStatus_t cublasGetVector(int n, int bytes, const void *device, int step, void *host,
                               int host_step);
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *host, int host_ld,
                               void *device, int ld);
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void *device, int ld,
                               void *host, int host_ld);

// C (m x n) = alpha op(A) op(B) + beta C, column by column; alpha and beta are the host's.
cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const float *alpha,
                           const float *A, int lda, const float *B, int ldb, const float *beta,
                           float *C, int ldc);
cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const double *alpha,
                           const double *A, int lda, const double *B, int ldb, const double *beta,
                           double *C, int ldc);
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half *alpha,
                           const __half *A, int lda, const __half *B, int ldb, const __half *beta,
                           __half *C, int ldc);
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const float *alpha, const float *A, int lda,
                                         long long A_step, const float *B, int ldb,
                                         long long B_step, const float *beta, float *C, int ldc,
                                         long long C_step, int count);
cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                           const float *alpha, const float *A, int lda, const float *x, int x_step,
                           const float *beta, float *y, int y_step);
cublasStatus_t cublasDgemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                           const double *alpha, const double *A, int lda, const double *x,
                           int x_step, const double *beta, double *y, int y_step);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *A, cudaDataType a_type, int lda, const void *B,
                            cudaDataType b_type, int ldb, const void *beta, void *C,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
}

inline std::size_t cublasGetCudartVersion()
{
    return 12040;
}

// As it was before there were types for how it is computed.
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                   const void *A, cudaDataType a_type, int lda, const void *B,
                                   cudaDataType b_type, int ldb, const void *beta, void *C,
                                   cudaDataType c_type, int ldc, cudaDataType compute,
                                   cublasGemmAlgo_t algorithm)
{
    const cublasComputeType_t type = compute == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
                                     : compute == CUDA_R_64F ? CUBLAS_COMPUTE_64F
                                     : compute == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                                             : CUBLAS_COMPUTE_32F;
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, a_type, lda, B, b_type, ldb,
                        beta, C, c_type, ldc, type, algorithm);
}
#endif
