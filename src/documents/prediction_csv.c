/* Predictions as rows of CSV. */
#include "roofline/documents.h"
#include "roofline/units.h"

enum { DIGITS = 12 };

void roof_predictions_csv_header(const roof_op *op, roof_text *out) {
  for (int i = 0; i < roof_op_param_count(op); i++) {
    roof_text_add_csv(out, op->params[i].name);
    roof_text_add(out, ",");
  }
  roof_text_add(out,
                "machine,op,dtype,flops,bytes,intensity,ridge,regime,binding,attainable_flops_per_second,"
                "lower_seconds,upper_seconds,expected_seconds\n");
}

static void add_numbers(roof_text *out, const double *numbers, int count) {
  char text[64];
  for (int i = 0; i < count; i++) {
    size_t length = roof_number_write(text, numbers[i], DIGITS);
    text[length++] = ',';
    roof_text_add_bytes(out, text, length);
  }
}

void roof_predictions_csv_row(const roof_target *target, const roof_op *op, const double *values,
                              const roof_prediction *p, roof_text *out) {
  char binding[ROOF_NAME_MAX];
  for (int i = 0; i < ROOF_PARAM_MAX && op->params[i].name != NULL; i++) {
    const char *name = roof_op_value_name(op, i, values[i]);
    if (name != NULL) {
      roof_text_add_csv(out, name);
      roof_text_add(out, ",");
    } else {
      add_numbers(out, &values[i], 1);
    }
  }
  roof_text_add_csv(out, target->machine->name);
  roof_text_add(out, ",");
  roof_text_add_csv(out, op->name);
  roof_text_add(out, ",");
  roof_text_add(out, roof_dtype_name(target->types.compute));
  roof_text_add(out, ",");
  add_numbers(out, (const double[]){p->work.flops, p->bytes, p->intensity, p->ridge}, 4);
  roof_text_add(out, roof_regime_name(p->regime));
  roof_text_add(out, ",");
  roof_text_add_csv(out, roof_prediction_binding(p, binding, sizeof binding));
  roof_text_add(out, ",");
  add_numbers(out, (const double[]){p->attainable, p->lower_seconds, p->upper_seconds}, 3);
  add_numbers(out, &p->expected_seconds, 1);
  if (!out->failed) {
    out->data[out->length - 1] = '\n';
  }
}
