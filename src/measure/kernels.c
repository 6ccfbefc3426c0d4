/* The kernels that a backend runs, listed. */
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "kernels/device/_device.h"
#include "roofline/measure.h"
#include "roofline/ops.h"

static const char *family_of(const roof_kernel *kernel) {
  const roof_op *op = NULL;
  return roof_op_find(kernel->op, &op, NULL) == ROOF_OK ? op->family : "";
}

static int list_family(const roof_backend *backend, const char *family, roof_listed *out, int capacity) {
  int count = 0;
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *k = roof_kernel_at(i);
    if (strcmp(family_of(k), family) != 0 || !roof_kernel_runs_on(k, backend->name)) {
      continue;
    }
    if (count < capacity) {
      out[count] = (roof_listed){.kernel = k,
                                 .name = k->name,
                                 .family = family,
                                 .op = k->op,
                                 .sizes = roof_backend_sizes(backend, k, false),
                                 .quick_sizes = k->quick_sizes,
                                 .summary = k->summary,
                                 .library = k->library != NULL ? k->library() : NULL,
                                 .disabled = k->disabled_reason != NULL ? k->disabled_reason() : NULL};
    }
    count++;
  }
  return count;
}

int roof_backend_kernels(const roof_backend *backend, roof_listed *out, int capacity) {
  int count = 0;
  for (int i = 0; i < roof_op_count(); i++) {
    const char *family = roof_op_at(i)->family;
    if (i == 0 || strcmp(family, roof_op_at(i - 1)->family) != 0) {
      int room = capacity > count ? capacity - count : 0;
      count += list_family(backend, family, room > 0 ? out + count : NULL, room);
    }
  }
  return count;
}

/** Names of the variants that an accelerator's kernel has. */
static json_t *variants_json(const roof_kernel *kernel) {
  const rf_device_variant *v = kernel->backends != NULL ? rf_device_kernel_of(kernel)->variants : NULL;
  json_t *names = json_array();
  for (; v != NULL && v->name != NULL; v++) {
    rf_json_append(names, json_string(v->name));
  }
  return names;
}

static json_t *listed_json(const roof_listed *listed) {
  const roof_kernel *k = listed->kernel;
  json_t *formats = json_array();
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    if (k->supports((roof_dtype)d)) {
      rf_json_append(formats, json_string(roof_dtype_name((roof_dtype)d)));
    }
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:i, s:s, s:s, s:s, s:s?, s:s?, s:o}", "name", listed->name,
                   "family", listed->family, "op", listed->op, "dtypes", formats, "rung", k->rung, "sizes",
                   listed->sizes, "quick_sizes", listed->quick_sizes, "summary", listed->summary, "library",
                   listed->library, "disabled", listed->disabled, "variants", variants_json(k));
}

roof_status roof_kernels_write(const roof_backend *backend, roof_text *out, roof_error *error) {
  int most = roof_kernel_count();
  roof_listed *list = calloc((size_t)most, sizeof *list);
  json_t *kernels = json_array();
  if (list == NULL) {
    json_decref(kernels);
    return roof_error_set(error, ROOF_E_MEMORY, "kernels: out of memory");
  }
  int count = roof_backend_kernels(backend, list, most);
  for (int i = 0; i < count; i++) {
    rf_json_append(kernels, listed_json(&list[i]));
  }
  free(list);
  return rf_json_write(json_pack("{s:s, s:o}", "schema", "roofline.kernels/1", "kernels", kernels), "kernels",
                       out, error);
}
