/* The variant of a kernel that a machine's file has. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/device/job.h"
#include "roofline/report.h"

/** How far two shapes are from each other: the factor of 2 between two of their sizes, the largest there is. */
static double apart(const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < ROOF_PARAM_MAX; i++) {
    most = a[i] != b[i] ? fmax(most, fabs(log2(a[i] / b[i]))) : most;
  }
  return most;
}

static roof_status find(const roof_kernel *kernel, const char *machine, const char *name,
                        const rf_device_variant **found, roof_error *error) {
  enum { MOST = 32 };
  const rf_device_variant *all = rf_device_kernel_of(kernel)->variants;
  const char *names[MOST + 1] = {NULL};
  char what[2 * ROOF_NAME_MAX + 16];
  for (int i = 0; all[i].name != NULL && i < MOST; i++) {
    names[i] = all[i].name;
    if (strcmp(name, all[i].name) == 0) {
      *found = &all[i];
      return ROOF_OK;
    }
  }
  snprintf(what, sizeof what, "%s: variant of %s", machine, kernel->name);
  return roof_error_unknown(error, what, name, names, "`roofline measure` finds it anew");
}

roof_status rf_device_variant_kept(const roof_machine *machine, const char *name, const roof_kernel_run *run,
                                   const rf_device_variant **found, roof_error *error) {
  static const double farthest = 1;
  const roof_report *report = machine != NULL ? roof_machine_report(machine) : NULL;
  bool varied = rf_device_kernel_of(run->kernel)->variants != NULL && report != NULL &&
                strcmp(machine->name, name) == 0;
  const roof_blocks *nearest = NULL;
  double least = farthest, values[ROOF_PARAM_MAX];
  for (int i = 0; varied && i < report->block_count; i++) {
    const roof_blocks *b = &report->blocks[i];
    roof_error why = {.message = ""};
    if (b->dtype != run->dtype || strcmp(b->kernel, run->kernel->name) != 0) {
      continue;
    }
    roof_status status = roof_kernel_values(run->kernel, b->parameters, values, &why);
    if (status != ROOF_OK) {
      return roof_error_set(error, status, "%s: blocks of %s: %.300s", name, b->kernel, why.message);
    }
    double far = apart(values, run->values);
    if (far < least || (far == least && nearest == NULL)) {
      nearest = b;
      least = far;
    }
  }
  *found = NULL;
  return nearest != NULL && nearest->variant[0] != '\0'
             ? find(run->kernel, name, nearest->variant, found, error)
             : ROOF_OK;
}
