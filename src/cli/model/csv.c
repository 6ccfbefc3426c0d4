/* A model's answer as rows: one an operation of a phase. */
#include "cli/model/model.h"

/** The columns' names. */
static void add_header(roof_text *out) {
  roof_text_add(out, "model,machine,phase,operation,kind,part,dtype,count,kernels,flops");
  for (int i = 0; i < ROOF_BYTES_CLASS_COUNT; i++) {
    roof_text_addf(out, ",%s_bytes", roof_bytes_class_name((roof_bytes_class)i));
  }
  roof_text_add(out, ",intensity,ridge,regime,lower_seconds,expected_seconds,share\n");
}

static void add_numbers(roof_text *out, const double *numbers, int count) {
  for (int i = 0; i < count; i++) {
    roof_text_add(out, ",");
    roof_text_add_number(out, numbers[i], 15);
  }
}

static void add_row(roof_text *out, const roof_model_target *t, const char *phase,
                    const roof_model_operation *o, double whole) {
  roof_text_add_csv(out, t->model->name);
  roof_text_addf(out, ",%s,%s,%s,%s,%s,%s", t->machine->name, phase, o->name,
                 roof_operation_kind_name(o->kind),
                 o->part < ROOF_PART_COUNT ? roof_model_part_name(o->part) : "",
                 o->peak != NULL ? roof_dtype_name(o->peak->dtype) : "");
  add_numbers(out, (const double[]){o->count, o->kernels, o->flops}, 3);
  add_numbers(out, o->bytes, ROOF_BYTES_CLASS_COUNT);
  add_numbers(out, (const double[]){o->intensity, o->ridge}, 2);
  roof_text_addf(out, ",%s", roof_regime_name(o->regime));
  add_numbers(out,
              (const double[]){o->lower_seconds, o->expected_seconds, o->count * o->expected_seconds / whole},
              3);
  roof_text_add(out, "\n");
}

void cli_model_csv(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  if (out->length == 0) {
    add_header(out);
  }
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    const roof_model_phase *p = &a->phases[i];
    for (int o = 0; p->present && o < p->count; o++) {
      add_row(out, t, roof_phase_name((roof_phase)i), &p->operations[o], p->expected_seconds);
    }
  }
}
