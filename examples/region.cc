// Regions in C++, nested and in single precision: ROOFLINE_REGIONS=regions.json ./region
#include <cmath>
#include <cstdio>
#include <vector>

#include <roofline/region.h>

static float norm(const std::vector<float> &x) {
  ROOF_REGION_BEGIN("norm");
  float sum = 0;
  for (float value : x) {
    sum += value * value;
  }
  ROOF_REGION_END_AS("norm", ROOF_FP32, 2.0 * double(x.size()), sizeof(float) * double(x.size()));
  return std::sqrt(sum);
}

int main() {
  std::vector<float> x(100000, 0.5f);
  ROOF_REGION_BEGIN("solve");
  float total = 0;
  for (int repeat = 0; repeat < 10; repeat++) {
    total += norm(x);
  }
  ROOF_REGION_END_AS("solve", ROOF_FP32, 10 * 2.0 * double(x.size()), NAN); // its bytes are not known
  std::printf("%g\n", double(total));
}
