// SPDX-License-Identifier: MIT
// cuBLAS. Its matrices are stored column by column: what is row-major A to us is its transpose to
// cuBLAS. As the transpose of A * B is that of B times that of A, B comes first, and nothing is
// copied.
#include "library.h"
#include "gpu.h"
#include "params.h"

typedef int cublas_create(void **handle);
typedef int cublas_version(void *handle, int *version);
typedef int cublas_gemm(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
                        const void *alpha, const void *A, cudaDataType A_type, int lda,
                        const void *B, cudaDataType B_type, int ldb, const void *beta, void *C,
                        cudaDataType C_type, int ldc, int compute, int algorithm);
// As in cublas_api.h.
enum { NO_TRANSPOSE = 0, COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_TF32 = 77, DEFAULT = -1 };
static const cudaDataType REAL = sizeof(real) == 8 ? CUDA_R_64F : CUDA_R_32F;

static void check_cublas(int status, const char *call)
{
    if (status != 0)
        exit_with(EXIT_USAGE, "%s failed with status %d: see cublas_api.h", call, status);
}

// How cuBLAS is to compute, and the type of A and B, says the kernel that includes this.
static inline void multiply_as(int compute, cudaDataType type, int M, int N, int K, const void *A,
                               int lda, const void *B, int ldb, real *C)
{
    static void *handle;
    static cublas_gemm *gemm_ex;
    if (handle == NULL) {
        void *library = open_library();
        int version = 0;
        check_cublas(((cublas_create *)find(library, "cublasCreate_v2"))(&handle), "cublasCreate");
        ((cublas_version *)find(library, "cublasGetVersion_v2"))(handle, &version);
        gemm_ex = (cublas_gemm *)find(library, "cublasGemmEx");
        snprintf(used_library, sizeof used_library, "cuBLAS %d", version);
    }
    const real one = 1, zero = 0;
    check_cublas(gemm_ex(handle, NO_TRANSPOSE, NO_TRANSPOSE, N, M, K, &one, B, type, ldb, A, type,
                         lda, &zero, C, REAL, N, compute, DEFAULT),
                 "cublasGemmEx");
}

static inline void multiply(int compute, int M, int N, int K, const real *A, const real *B, real *C)
{
    multiply_as(compute, REAL, M, N, K, A, K, B, N, C);
}
