/* How a config says that its weights are stored. */
#include <string.h>
#include <strings.h>

#include "catalog/config.h"

/** The formats that configs name, as PyTorch does. */
static roof_status read_dtype(const config *c, const char *text, roof_dtype *dtype) {
  static const struct {
    const char *name;
    roof_dtype dtype;
  } names[] = {{"float32", ROOF_FP32}, {"float", ROOF_FP32},        {"float16", ROOF_FP16},
               {"half", ROOF_FP16},    {"bfloat16", ROOF_BF16},     {"torch.bfloat16", ROOF_BF16},
               {"auto", ROOF_BF16},    {"torch.float16", ROOF_FP16}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(names[i].name, text) == 0) {
      *dtype = names[i].dtype;
      return ROOF_OK;
    }
  }
  return config_fail(c, "dtype: `%.40s` is not a format that is known", text);
}

roof_status config_quantization(config *c) {
  roof_dtype dtype = ROOF_BF16;
  const char *text = json_string_value(c->items[ITEM_DTYPE]);
  roof_status status = text != NULL ? read_dtype(c, text, &dtype) : ROOF_OK;
  if (status == ROOF_OK) {
    c->model->precision = roof_model_precision_of(dtype);
  }
  return status;
}
