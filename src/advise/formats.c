#include "roofline/formats.h"

#include "roofline/units.h"

static roof_dtype default_dtype(const roof_machine *machine) {
  bool half = roof_machine_peak(machine, ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL;
  bool brain = roof_machine_peak(machine, ROOF_BF16, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL;
  return half ? ROOF_FP16 : brain ? ROOF_BF16 : ROOF_FP32;
}

static roof_status read_group(const char *text, double *group, roof_error *error) {
  roof_error why = {0};
  roof_status status = roof_quantity_parse_unit(text, "", group, &why);
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "--group %s", why.message);
  }
  return *group >= 1 ? ROOF_OK
                     : roof_error_set(error, ROOF_E_ARGUMENT, "--group %s: must be at least 1", text);
}

roof_status roof_formats_read(const roof_formats *formats, const roof_machine *machine, roof_types *types,
                              roof_error *error) {
  roof_dtype dtype = default_dtype(machine);
  roof_status status = formats->dtype != NULL ? roof_dtype_parse(formats->dtype, &dtype, error) : ROOF_OK;
  roof_types result = roof_types_of(dtype);
  const struct {
    const char *text;
    roof_dtype *part;
  } parts[] = {{formats->weights, &result.weights},
               {formats->accumulate, &result.accumulate},
               {formats->output, &result.output},
               {formats->kv, &result.kv}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == ROOF_OK; i++) {
    status = parts[i].text != NULL ? roof_dtype_parse(parts[i].text, parts[i].part, error) : ROOF_OK;
  }
  if (status == ROOF_OK && formats->group != NULL) {
    status = read_group(formats->group, &result.group, error);
  }
  if (status == ROOF_OK) {
    *types = result;
  }
  return status;
}
