// SPDX-License-Identifier: MIT
// Products of matrices by cuBLAS's names: three loops, with sums in double.
#include "../include/cublas_v2.h"
#include "../../core/emulation.h"
#include "../include/cuda_bf16.h"

using namespace emulation;

struct emulated_cublas {
    cudaStream_t stream;
};

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    *handle = new emulated_cublas{nullptr};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t)
{
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS         ? "success"
           : status == CUBLAS_STATUS_INVALID_VALUE ? "an invalid value"
                                                   : "cuBLAS, emulated, failed";
}

// ---- elements of any type ---------------------------------------------------------------------
struct elements {
    void *start;
    cudaDataType type;
    double get(size_t i) const
    {
        switch (type) {
        case CUDA_R_64F:
            return static_cast<double *>(start)[i];
        case CUDA_R_16F:
            return float(static_cast<__half *>(start)[i]);
        case CUDA_R_16BF:
            return float(static_cast<__nv_bfloat16 *>(start)[i]);
        case CUDA_R_8I:
            return static_cast<signed char *>(start)[i];
        case CUDA_R_32I:
            return static_cast<int *>(start)[i];
        default:
            return static_cast<float *>(start)[i];
        }
    }
    void set(size_t i, double x) const
    {
        switch (type) {
        case CUDA_R_64F:
            static_cast<double *>(start)[i] = x;
            break;
        case CUDA_R_16F:
            static_cast<__half *>(start)[i] = x;
            break;
        case CUDA_R_16BF:
            static_cast<__nv_bfloat16 *>(start)[i] = x;
            break;
        case CUDA_R_8I:
            static_cast<signed char *>(start)[i] = static_cast<signed char>(x);
            break;
        case CUDA_R_32I:
            static_cast<int *>(start)[i] = int(x);
            break;
        default:
            static_cast<float *>(start)[i] = float(x);
        }
    }
};

static elements of(const void *start, cudaDataType type)
{
    return {const_cast<void *>(start), type};
}

struct matrix {
    elements all;
    int ld;
    bool is_transposed;
    std::vector<double> copy(int rows, int cols) const // row-major
    {
        std::vector<double> to(size_t(rows) * size_t(cols));
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                to[size_t(i) * size_t(cols) + size_t(j)] =
                    all.get(is_transposed ? size_t(i) * size_t(ld) + size_t(j)
                                          : size_t(j) * size_t(ld) + size_t(i));
        return to;
    }
};

static void multiply(int m, int n, int k, double alpha, const matrix &A, const matrix &B,
                     double beta, const matrix &C)
{
    const std::vector<double> a = A.copy(m, k), b = B.copy(k, n);
    std::vector<double> sums(static_cast<size_t>(n));
    for (size_t i = 0; i < size_t(m); i++) {
        sums.assign(size_t(n), 0);
        for (size_t l = 0; l < size_t(k); l++)
            for (size_t j = 0; j < size_t(n); j++)
                sums[j] += a[i * size_t(k) + l] * b[l * size_t(n) + j];
        for (size_t j = 0; j < size_t(n); j++) {
            const size_t at = j * size_t(C.ld) + i;
            C.all.set(at, alpha * sums[j] + (beta == 0 ? 0 : beta * C.all.get(at)));
        }
    }
}

static cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, double alpha, elements A,
                           int lda, elements B, int ldb, double beta, elements C, int ldc)
{
    if (m < 0 || n < 0 || k < 0 || lda < (transa == CUBLAS_OP_N ? m : k) ||
        ldb < (transb == CUBLAS_OP_N ? k : n) || ldc < m)
        return CUBLAS_STATUS_INVALID_VALUE;
    const matrix a = {A, lda, transa != CUBLAS_OP_N}, b = {B, ldb, transb != CUBLAS_OP_N},
                 c = {C, ldc, false};
    put(handle->stream, [=] {
        allow_device_memory(true);
        multiply(m, n, k, alpha, a, b, beta, c);
        allow_device_memory(false);
    });
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const float *alpha,
                           const float *A, int lda, const float *B, int ldb, const float *beta,
                           float *C, int ldc)
{
    return gemm(handle, transa, transb, m, n, k, *alpha, of(A, CUDA_R_32F), lda, of(B, CUDA_R_32F),
                ldb, *beta, of(C, CUDA_R_32F), ldc);
}

cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const double *alpha,
                           const double *A, int lda, const double *B, int ldb, const double *beta,
                           double *C, int ldc)
{
    return gemm(handle, transa, transb, m, n, k, *alpha, of(A, CUDA_R_64F), lda, of(B, CUDA_R_64F),
                ldb, *beta, of(C, CUDA_R_64F), ldc);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half *alpha,
                           const __half *A, int lda, const __half *B, int ldb, const __half *beta,
                           __half *C, int ldc)
{
    return gemm(handle, transa, transb, m, n, k, float(*alpha), of(A, CUDA_R_16F), lda,
                of(B, CUDA_R_16F), ldb, float(*beta), of(C, CUDA_R_16F), ldc);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *A, cudaDataType a_type, int lda, const void *B,
                            cudaDataType b_type, int ldb, const void *beta, void *C,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t)
{
    const cudaDataType scale = compute == CUBLAS_COMPUTE_16F   ? CUDA_R_16F
                               : compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F
                               : compute == CUBLAS_COMPUTE_32I ? CUDA_R_32I
                                                               : CUDA_R_32F;
    return gemm(handle, transa, transb, m, n, k, of(alpha, scale).get(0), of(A, a_type), lda,
                of(B, b_type), ldb, of(beta, scale).get(0), of(C, c_type), ldc);
}

// y (m, or n where A is transposed) = alpha op(A) x + beta y: a product with a matrix of one
// column.
template <class T>
static cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, T alpha,
                           const T *A, int lda, const T *x, int x_step, T beta, T *y, int y_step,
                           cudaDataType type)
{
    const int rows = trans == CUBLAS_OP_N ? m : n, depth = trans == CUBLAS_OP_N ? n : m;
    // A vector with a step is a row of a matrix that is read by columns: B's transpose, and C's.
    if (y_step != 1)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return gemm(handle, trans, CUBLAS_OP_T, rows, 1, depth, alpha, of(A, type), lda, of(x, type),
                x_step, beta, of(y, type), rows);
}

cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                           const float *alpha, const float *A, int lda, const float *x, int x_step,
                           const float *beta, float *y, int y_step)
{
    return gemv(handle, trans, m, n, *alpha, A, lda, x, x_step, *beta, y, y_step, CUDA_R_32F);
}

cublasStatus_t cublasDgemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                           const double *alpha, const double *A, int lda, const double *x,
                           int x_step, const double *beta, double *y, int y_step)
{
    return gemv(handle, trans, m, n, *alpha, A, lda, x, x_step, *beta, y, y_step, CUDA_R_64F);
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const float *alpha, const float *A, int lda,
                                         long long A_step, const float *B, int ldb,
                                         long long B_step, const float *beta, float *C, int ldc,
                                         long long C_step, int count)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++)
        status = cublasSgemm(handle, transa, transb, m, n, k, alpha, A + i * A_step, lda,
                             B + i * B_step, ldb, beta, C + i * C_step, ldc);
    return status;
}

// ---- from the host and to it ------------------------------------------------------------------
static cublasStatus_t copy_columns(void *to, int to_ld, const void *from, int from_ld, int rows,
                                   int cols, int bytes, cudaMemcpyKind kind)
{
    const auto size = [bytes](int count) { return size_t(count) * size_t(bytes); };
    const cudaError_t error =
        cudaMemcpy2D(to, size(to_ld), from, size(from_ld), size(rows), size_t(cols), kind);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t cublasSetVector(int n, int bytes, const void *host, int host_step, void *device,
                               int step)
{
    return copy_columns(device, step, host, host_step, 1, n, bytes, cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetVector(int n, int bytes, const void *device, int step, void *host,
                               int host_step)
{
    return copy_columns(host, host_step, device, step, 1, n, bytes, cudaMemcpyDeviceToHost);
}

cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *host, int host_ld,
                               void *device, int ld)
{
    return copy_columns(device, ld, host, host_ld, rows, cols, bytes, cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void *device, int ld,
                               void *host, int host_ld)
{
    return copy_columns(host, host_ld, device, ld, rows, cols, bytes, cudaMemcpyDeviceToHost);
}
