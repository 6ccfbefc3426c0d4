/* Marks a triad and times it: ROOFLINE_REGIONS=regions.json ./region, then read regions.json. */
#include <stdio.h>
#include <stdlib.h>

#include <roofline/region.h>

static void triad(double *a, const double *b, const double *c, size_t n) {
  ROOF_REGION_BEGIN("triad");
  for (size_t i = 0; i < n; i++) {
    a[i] = b[i] + 3.0 * c[i];
  }
  ROOF_REGION_END("triad", 2.0 * (double)n, 3.0 * sizeof(double) * (double)n);
}

int main(void) {
  size_t n = 100000;
  double *data = malloc(3 * n * sizeof *data);
  if (data == NULL) {
    return 1;
  }
  ROOF_REGION_BEGIN("fill");
  for (size_t i = 0; i < 3 * n; i++) {
    data[i] = (double)i;
  }
  ROOF_REGION_END("fill", 0, 3.0 * sizeof(double) * (double)n);
  for (int repeat = 0; repeat < 10; repeat++) {
    triad(data, data + n, data + 2 * n, n);
  }
  printf("%g\n", data[n - 1]);
  free(data);
  return 0;
}
