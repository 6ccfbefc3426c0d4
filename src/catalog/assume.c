/* What is assumed of a machine whose file does not say it. */
#include "catalog/assume.h"

#include <math.h>
#include <string.h>

#include "core/figures.h"

/** Launch costs by class of device. */
static const struct {
  const char *device_class;
  double seconds;
  const char *source;
} launches[] = {
    {"gpu", 2e-6,
     "assumed: small bf16 GEMMs in CUDA graphs take 1.5 to 2.5 us on A100, H200, B200 and L40S "
     "(ai-dynamo/aiconfigurator@095f58a)"},
    {"accelerator", 2e-6, "assumed: as a GPU's; no measurement behind it"},
};

void rf_catalog_assume(roof_machine *machine) {
  for (size_t i = 0; i < sizeof launches / sizeof launches[0] && isnan(machine->launch_seconds); i++) {
    if (strcmp(machine->device_class, launches[i].device_class) == 0) {
      machine->launch_seconds = launches[i].seconds;
      rf_origin_set(&machine->launch_origin, ROOF_ASSUMED, launches[i].source, "2026-11-22");
    }
  }
}
