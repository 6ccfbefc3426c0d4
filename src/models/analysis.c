/* What a model's answer is made of: the steps of analysing an inference system, as numbers. */
#include "roofline/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/figures.h"
#include "models/step.h"

/** A product with one row is of a matrix and a vector. */
static const char *name_of(const roof_model_phase *p, roof_operation_kind kind) {
  return kind != ROOF_KIND_PRODUCT  ? roof_operation_kind_name(kind)
         : p->tokens / p->steps > 1 ? "GEMM"
                                    : "GEMV";
}

static roof_model_kind sum_kind(const roof_model_phase *p, roof_operation_kind kind) {
  roof_model_kind k = {.phase = p->kind, .kind = kind, .name = name_of(p, kind)};
  double regimes[ROOF_REGIME_COUNT] = {0};
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    if (o->kind == kind) {
      k.kernels += o->count * o->kernels;
      k.flops += o->count * o->flops;
      k.bytes += o->count *
                 (o->bytes[ROOF_BYTES_WEIGHTS] + o->bytes[ROOF_BYTES_ACTIVATIONS] + o->bytes[ROOF_BYTES_KV]);
      k.seconds += o->count * o->expected_seconds;
      k.joules += o->count * o->energy_joules;
      regimes[o->regime] += o->count * o->expected_seconds;
    }
  }
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    k.regime = regimes[i] > regimes[k.regime] ? (roof_regime)i : k.regime;
  }
  k.intensity = k.bytes > 0 ? k.flops / k.bytes : NAN;
  k.share = k.seconds / p->expected_seconds;
  return k;
}

int roof_model_kinds(const roof_model_phase *phase, roof_model_kind kinds[ROOF_OPERATION_KIND_COUNT]) {
  int count = 0;
  for (int kind = 0; kind < ROOF_OPERATION_KIND_COUNT && phase->present; kind++) {
    kinds[count] = sum_kind(phase, (roof_operation_kind)kind);
    count += kinds[count].seconds > 0;
  }
  return count;
}

bool roof_model_phase_side(const roof_model_phase *p, roof_model_side *side) {
  int most = 0;
  if (!p->present || !(p->compute_seconds + p->memory_seconds > 0)) {
    return false;
  }
  for (int k = 0; k < ROOF_BYTES_NETWORK; k++) {
    most = p->bytes[k] > p->bytes[most] ? k : most;
  }
  double intensity = p->flops / p->memory_bytes;
  *side = (roof_model_side){.intensity = intensity,
                            .ridge = intensity * p->memory_seconds / p->compute_seconds,
                            .compute = p->compute_seconds >= p->memory_seconds,
                            .most = (roof_bytes_class)most,
                            .most_share = p->bytes[most] / p->memory_bytes};
  return true;
}

int roof_model_formats(const roof_model_target *t, roof_model_format formats[ROOF_PART_COUNT]) {
  const roof_model_precision *p = &t->settings.precision;
  double bandwidth = 1 / t->plain.seconds_per_byte[t->plain.memory][0];
  int count = 0;
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    const roof_peak *peak = t->parts[part].peak[ROOF_MATRIX];
    if (t->parameters.parts[part] > 0) {
      roof_model_format *f = &formats[count++];
      *f = (roof_model_format){.part = (roof_model_part)part,
                               .bytes = t->weight_bytes[part],
                               .quantized = rf_model_is_quantized(p, part),
                               .compute = t->parts[part].types.compute,
                               .native = t->native[part],
                               .flops_per_second = peak != NULL ? peak->flops_per_second : NAN};
      f->wanted = f->quantized ? p->weights[part].compute : p->activations;
      f->lacks = rf_lacks_path(t->machine, f->wanted);
      f->ridge = f->flops_per_second / bandwidth;
      f->batch = ceil(f->ridge * f->bytes / 2);
      roof_weight_format_name(&p->weights[part], f->name, sizeof f->name);
    }
  }
  return count;
}

/** `a` is room for an answer. */
static roof_status launch(const roof_model_target *t, roof_launch mode, roof_model_answer *a,
                          roof_model_launches *way, roof_error *error) {
  roof_model_settings settings = t->settings;
  roof_model_target changed;
  settings.launch = mode;
  roof_status status = roof_model_target_init(&changed, t->model, t->machine, &settings, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_model_answer_of(&changed, a);
  const roof_model_phase *step =
      &a->phases[roof_model_generates(t) ? ROOF_PHASE_DECODE : roof_model_first_phase(t)];
  *way = (roof_model_launches){.launch = mode,
                               .chosen = mode == t->settings.launch,
                               .kernel_seconds = changed.kernel.seconds,
                               .kernels = step->kernels,
                               .layer_kernels = step->kernels / t->model->layer_count,
                               .step_seconds = step->expected_seconds,
                               .ttft_seconds = a->ttft_seconds};
  if (mode == ROOF_LAUNCH_PERSISTENT) {
    way->barriers = step->overhead_seconds / changed.kernel.seconds;
  }
  return ROOF_OK;
}

roof_status roof_model_launches_of(const roof_model_target *t, roof_model_launches ways[ROOF_LAUNCH_COUNT],
                                   roof_error *error) {
  roof_model_launches found[ROOF_LAUNCH_COUNT];
  roof_model_answer *room = malloc(sizeof *room);
  roof_status status = room != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "model: out of memory");
  for (int mode = 0; mode < ROOF_LAUNCH_COUNT && status == ROOF_OK; mode++) {
    status = launch(t, (roof_launch)mode, room, &found[mode], error);
  }
  free(room);
  if (status == ROOF_OK) {
    memcpy(ways, found, sizeof found);
  }
  return status;
}
