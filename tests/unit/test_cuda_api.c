/* The numbers and structs of measure/cuda are those of NVIDIA's headers. */
#include "test.h"

#include <stdio.h>

#if __has_include(<cuda.h>) && __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <cuda.h>

#include "measure/cuda/cublas.h"

#define SAME(ours, theirs) assert_int_equal((int)(ours), (int)(theirs))

static void test_driver(void **state) {
  (void)state;
  SAME(CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
  SAME(CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
  SAME(CUDA_NO_BINARY, CUDA_ERROR_NO_BINARY_FOR_GPU);
  SAME(CUDA_NOT_FOUND, CUDA_ERROR_NOT_FOUND);
  SAME(700, CUDA_ERROR_ILLEGAL_ADDRESS); /* rf_streams_check */
  SAME(701, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  SAME(719, CUDA_ERROR_LAUNCH_FAILED);
  SAME(CUDA_MAX_THREADS, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  SAME(CUDA_WARP, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  SAME(CUDA_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  SAME(CUDA_UNITS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  SAME(CUDA_ECC, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
  SAME(CUDA_MEMORY_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  SAME(CUDA_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  SAME(CUDA_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  SAME(CUDA_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  SAME(CUDA_MAX_SHARED, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  SAME(CUDA_UNIT_SHARED, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  SAME(CUDA_FUNCTION_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  SAME(RF_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
  SAME(RF_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  SAME(CUDA_TENSOR_BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  SAME(CUDA_TENSOR_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B);
  SAME(CUDA_TENSOR_L2_256B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  SAME(sizeof(cuda_tensor_map), sizeof(CUtensorMap));
  SAME(_Alignof(cuda_tensor_map), _Alignof(CUtensorMap));
  SAME(CUDA_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  SAME(CUDA_EARLY, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  SAME(sizeof(cuda_launch_attribute), sizeof(CUlaunchAttribute));
  SAME(offsetof(cuda_launch_attribute, value), offsetof(CUlaunchAttribute, value));
  SAME(sizeof(cuda_launch_config), sizeof(CUlaunchConfig));
  SAME(offsetof(cuda_launch_config, block), offsetof(CUlaunchConfig, blockDimX));
  SAME(offsetof(cuda_launch_config, shared), offsetof(CUlaunchConfig, sharedMemBytes));
  SAME(offsetof(cuda_launch_config, stream), offsetof(CUlaunchConfig, hStream));
  SAME(offsetof(cuda_launch_config, attributes), offsetof(CUlaunchConfig, attrs));
  SAME(offsetof(cuda_launch_config, count), offsetof(CUlaunchConfig, numAttrs));
  SAME(sizeof(void *), sizeof(CUdeviceptr));
  SAME(sizeof(int), sizeof(CUdevice));
  SAME(sizeof(cuda_code), sizeof(CUresult));
}

static void test_library(void **state) {
  (void)state;
  SAME(LT_TRANSPOSE_A, CUBLASLT_MATMUL_DESC_TRANSA);
  SAME(LT_MAX_WORKSPACE, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  SAME(LT_TRANSPOSED, CUBLAS_OP_T);
  SAME(R_32F, CUDA_R_32F);
  SAME(R_64F, CUDA_R_64F);
  SAME(R_16F, CUDA_R_16F);
  SAME(R_8I, CUDA_R_8I);
  SAME(R_32I, CUDA_R_32I);
  SAME(R_16BF, CUDA_R_16BF);
  SAME(R_8F_E4M3, CUDA_R_8F_E4M3);
  SAME(COMPUTE_32F, CUBLAS_COMPUTE_32F);
  SAME(COMPUTE_64F, CUBLAS_COMPUTE_64F);
  SAME(COMPUTE_32I, CUBLAS_COMPUTE_32I);
  SAME(R_4F_E2M1, CUDA_R_4F_E2M1);
  SAME(LT_FAST_SUMS, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
  SAME(LT_SCALES_A, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
  SAME(LT_SCALES_B, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
  SAME(LT_SCALES_OF_A, CUBLASLT_MATMUL_DESC_A_SCALE_MODE);
  SAME(LT_SCALES_OF_B, CUBLASLT_MATMUL_DESC_B_SCALE_MODE);
  SAME(LT_SCALES_16_UE4M3, CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3);
  SAME(COMPUTE_32F_TF32, CUBLAS_COMPUTE_32F_FAST_TF32);
  SAME(sizeof(lt_algorithm), sizeof(cublasLtMatmulAlgo_t));
  SAME(sizeof(lt_choice), sizeof(cublasLtMatmulHeuristicResult_t));
  SAME(offsetof(lt_choice, workspace), offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
  SAME(offsetof(lt_choice, state), offsetof(cublasLtMatmulHeuristicResult_t, state));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_driver), cmocka_unit_test(test_library)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  printf("skipped: no cuda.h and cublasLt.h\n");
  return 77;
}
#endif
