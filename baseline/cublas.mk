# SPDX-License-Identifier: MIT
# cuBLAS comes with the CUDA Toolkit, of which nvcc is needed, too.
NAMES   = $(or $(CUBLAS_LIBRARY),libcublas.so.13 libcublas.so.12 libcublas.so.11 /usr/local/cuda/lib64/libcublas.so)
INSTALL = install the CUDA Toolkit
include ../library.mk
