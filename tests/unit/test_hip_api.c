/* The numbers of measure/hip are those of AMD's headers. */
#include "test.h"

#include <stdio.h>

#if __has_include(<hip/hip_runtime_api.h>) && __has_include(<hip/hiprtc.h>)
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include "measure/hip/api.h"

#define SAME(ours, theirs) assert_int_equal((int)(ours), (int)(theirs))

static void test_runtime(void **state) {
  (void)state;
  SAME(HIP_NO_DEVICE, hipErrorNoDevice);
  SAME(HIP_INVALID_DEVICE, hipErrorInvalidDevice);
  SAME(700, hipErrorIllegalAddress); /* rf_streams_check */
  SAME(701, hipErrorLaunchOutOfResources);
  SAME(719, hipErrorLaunchFailure);
  SAME(HIP_ECC, hipDeviceAttributeEccEnabled);
  SAME(HIP_CLOCK_KHZ, hipDeviceAttributeClockRate);
  SAME(HIP_L2_BYTES, hipDeviceAttributeL2CacheSize);
  SAME(HIP_MAX_THREADS, hipDeviceAttributeMaxThreadsPerBlock);
  SAME(HIP_MEMORY_CLOCK_KHZ, hipDeviceAttributeMemoryClockRate);
  SAME(HIP_UNITS, hipDeviceAttributeMultiprocessorCount);
  SAME(HIP_MAX_SHARED, hipDeviceAttributeMaxSharedMemoryPerBlock);
  SAME(HIP_WAVEFRONT, hipDeviceAttributeWarpSize);
  SAME(RF_STREAM_NON_BLOCKING, hipStreamNonBlocking);
  SAME(RF_CAPTURE_THREAD_LOCAL, hipStreamCaptureModeThreadLocal);
#if HIP_VERSION_MAJOR < 6
  SAME(HIP_NAME_AT_R0000, offsetof(hipDeviceProp_t, gcnArchName));
#else
  SAME(HIP_NAME_AT_R0600, offsetof(hipDeviceProp_t, gcnArchName));
#endif
  SAME(sizeof(int), sizeof(hipDevice_t));
  SAME(sizeof(int), sizeof(hipError_t));
  SAME(sizeof(void *), sizeof(hipDeviceptr_t));
  SAME(0, HIPRTC_SUCCESS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_runtime)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  printf("skipped: no hip_runtime_api.h and hiprtc.h\n");
  return 77;
}
#endif
