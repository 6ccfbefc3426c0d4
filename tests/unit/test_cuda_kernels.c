/* Every kernel of the CUDA backend on the emulated device. */
#include "emulated_kernels.h"
#include "measure/cuda/cuda.h"

int main(void) {
  tested.forget = rf_cuda_forget;
  tested.driver = &rf_cuda_driver;
  tested.folder = "cuda";
  tested.library = "libcuda.so.1";
  tested.illegal = "CUDA_ERROR_ILLEGAL_ADDRESS";
  tested.least = 61;
  tested.formats = ~0u;
  setenv("ROOFLINE_CUDA_LIBRARIES", emulated_folder("cuda"), 1);
  if (rf_cuda_images_version == 0) {
    printf("skipped: built without nvcc\n");
    return 77;
  }
  return test_kernels();
}
