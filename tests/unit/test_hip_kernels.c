/* Every kernel of the HIP backend on the emulated device, whose hiprtc compiles the text that AMD's would get. */
#include "emulated_kernels.h"
#include "measure/hip/hip.h"

int main(void) {
  tested.forget = rf_hip_forget;
  tested.driver = &rf_hip_driver;
  tested.folder = "hip";
  tested.library = "libamdhip64.so.6";
  tested.illegal = "hipErrorIllegalAddress";
  tested.least = 50;
  tested.formats = ~0u;
  if (*emulated_counter("hip", tested.library, "fake_cuda_sanitized") !=
      0) { /* which takes long to compile */
    tested.least = 25;
    tested.formats = 1u << ROOF_FP32 | 1u << ROOF_BF16;
  }
  setenv("ROOFLINE_HIP_LIBRARIES", emulated_folder("hip"), 1);
  return test_kernels();
}
