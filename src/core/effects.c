#include "roofline/effects.h"

#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/form.h"
#include "core/known.h"
#include "core/letters.h"
#include "core/number.h"
#include "roofline/text.h"
#include "roofline/units.h"

static const double mebi = 1048576;

static const struct {
  const char *name, *text;
} effects[ROOF_EFFECT_COUNT] = {
#define ROW(symbol, name, text) [symbol] = {name, text},
    ROOF_EFFECT_MAP(ROW)
#undef ROW
};

static const roof_constant_row constants[ROOF_CONSTANT_COUNT] = {
#define ROW(symbol, name, unit, least, most, neutral, effect, text)                                          \
  [symbol] = {name, unit, least, most, neutral, effect, text},
    ROOF_CONSTANT_MAP(ROW)
#undef ROW
};

static const char *const kinds[] = {
#define NAME(symbol, name) name,
    ROOF_KERNEL_MAP(NAME)
#undef NAME
        NULL};

#define USES(constant) (1u << (constant))
#define INTERVAL (USES(ROOF_TIME_LOW) | USES(ROOF_TIME_HIGH))

#define DECODE_USES                                                                                          \
  (USES(ROOF_LATENCY_SECONDS) | USES(ROOF_WAVE_SECONDS) | USES(ROOF_EFFICIENCY) | USES(ROOF_BANDWIDTH) |     \
   USES(ROOF_UNIT_BANDWIDTH) | USES(ROOF_SPLIT_SECONDS) | USES(ROOF_GROUP_MOST) | USES(ROOF_RESIDENTS) |     \
   INTERVAL)
#define PREFILL_USES                                                                                         \
  (USES(ROOF_LATENCY_SECONDS) | USES(ROOF_WAVE_SECONDS) | USES(ROOF_EFFICIENCY) | USES(ROOF_BANDWIDTH) |     \
   USES(ROOF_CACHE_GAIN) | USES(ROOF_STORE_PASSES) | USES(ROOF_CORNER) | USES(ROOF_TILE_QUERIES) | INTERVAL)

/** The form of each kind of kernel, and the constants that it uses; without one the expected time is a share of the
 * bound. */
static const struct {
  rf_form *seconds;
  unsigned uses;
} forms[ROOF_KERNEL_KIND_COUNT] = {
    [ROOF_KERNEL_STREAM] = {rf_form_stream, USES(ROOF_LATENCY_SECONDS) | USES(ROOF_EFFICIENCY) |
                                                USES(ROOF_BANDWIDTH) | USES(ROOF_CACHE_GAIN) |
                                                USES(ROOF_CORNER) | USES(ROOF_WAVE_SECONDS) |
                                                USES(ROOF_ROW_PASSES) | USES(ROOF_UNIT_BANDWIDTH) |
                                                USES(ROOF_HOST_SECONDS) | INTERVAL},
    [ROOF_KERNEL_PRODUCT] = {rf_form_product,
                             USES(ROOF_LATENCY_SECONDS) | USES(ROOF_WAVE_SECONDS) | USES(ROOF_EFFICIENCY) |
                                 USES(ROOF_BANDWIDTH) | USES(ROOF_CACHE_GAIN) | USES(ROOF_SPLIT_SECONDS) |
                                 USES(ROOF_QUANTISE_PASSES) | USES(ROOF_ROW_SECONDS) |
                                 USES(ROOF_UNIT_BANDWIDTH) | USES(ROOF_HOST_SECONDS) | INTERVAL},
    [ROOF_KERNEL_DECODE] = {rf_form_decode, DECODE_USES},
    [ROOF_KERNEL_PREFILL] = {rf_form_prefill, PREFILL_USES},
    [ROOF_KERNEL_MLA_DECODE] = {rf_form_decode, DECODE_USES},
    [ROOF_KERNEL_MLA_PREFILL] = {rf_form_prefill, PREFILL_USES},
    [ROOF_KERNEL_EXPERTS] = {rf_form_experts, USES(ROOF_LATENCY_SECONDS) | USES(ROOF_WAVE_SECONDS) |
                                                  USES(ROOF_EFFICIENCY) | USES(ROOF_BANDWIDTH) |
                                                  USES(ROOF_CACHE_GAIN) | USES(ROOF_UNIT_BANDWIDTH) |
                                                  USES(ROOF_CORNER) | USES(ROOF_ROUTING_PASSES) | INTERVAL},
    [ROOF_KERNEL_COLLECTIVE] = {rf_form_collective, USES(ROOF_LATENCY_SECONDS) | USES(ROOF_WAVE_SECONDS) |
                                                        USES(ROOF_BANDWIDTH) | USES(ROOF_SPLIT_SECONDS) |
                                                        USES(ROOF_SHARING) | INTERVAL},
};

const char *roof_effect_name(roof_effect effect) {
  return (unsigned)effect < ROOF_EFFECT_COUNT ? effects[effect].name : "?";
}

const char *roof_effect_text(roof_effect effect) {
  return (unsigned)effect < ROOF_EFFECT_COUNT ? effects[effect].text : "";
}

roof_status roof_effect_parse(const char *text, roof_effect *effect, roof_error *error) {
  const char *names[ROOF_EFFECT_COUNT + 1] = {NULL};
  for (int i = 0; i < ROOF_EFFECT_COUNT; i++) {
    names[i] = effects[i].name;
    if (rf_letters_compare(text, names[i]) == 0) {
      *effect = (roof_effect)i;
      return ROOF_OK;
    }
  }
  roof_error_unknown(error, "effect", text, names, NULL);
  return ROOF_E_NAME;
}

const roof_constant_row *roof_constant_row_of(roof_constant constant) {
  return (unsigned)constant < ROOF_CONSTANT_COUNT ? &constants[constant] : NULL;
}

const char *roof_kernel_kind_name(roof_kernel_kind kind) {
  return (unsigned)kind < ROOF_KERNEL_KIND_COUNT ? kinds[kind] : "?";
}

roof_status roof_kernel_kind_parse(const char *text, roof_kernel_kind *kind, roof_error *error) {
  for (int i = 0; i < ROOF_KERNEL_KIND_COUNT; i++) {
    if (rf_letters_compare(text, kinds[i]) == 0) {
      *kind = (roof_kernel_kind)i;
      return ROOF_OK;
    }
  }
  roof_error_unknown(error, "kind of kernel", text, kinds, NULL);
  return ROOF_E_NAME;
}

bool roof_kernel_uses(roof_kernel_kind kind, roof_constant constant) {
  return (unsigned)kind < ROOF_KERNEL_KIND_COUNT && (unsigned)constant < ROOF_CONSTANT_COUNT &&
         (forms[kind].uses & USES(constant)) != 0;
}

/** How far a format is from the one wanted: 0 for itself, wider ones before narrower ones. */
static double distance(roof_dtype have, roof_dtype wanted) {
  double by = roof_dtype_bytes(have) - roof_dtype_bytes(wanted);
  return have == wanted ? 0 : by >= 0 ? 1 + by : 100 - by;
}

bool roof_types_narrow(const roof_types *types, roof_kernel_kind kind) {
  double stored = 0, computed = roof_dtype_bytes(types->compute);
  switch (kind) {
  case ROOF_KERNEL_DECODE:
  case ROOF_KERNEL_PREFILL:
  case ROOF_KERNEL_MLA_DECODE:
  case ROOF_KERNEL_MLA_PREFILL:
    stored = roof_dtype_bytes(types->kv);
    break;
  case ROOF_KERNEL_PRODUCT:
  case ROOF_KERNEL_EXPERTS:
    stored = roof_dtype_bytes(types->weights);
    break;
  default:
    stored = computed;
  }
  return stored < computed;
}

/** The kind whose constants stand in where there are none. */
static roof_kernel_kind stand_in(roof_kernel_kind kind) {
  return kind == ROOF_KERNEL_MLA_DECODE    ? ROOF_KERNEL_DECODE
         : kind == ROOF_KERNEL_MLA_PREFILL ? ROOF_KERNEL_PREFILL
                                           : kind;
}

/** Whose kernels the catalogue has constants of; a machine's own constants may name others. */
static const char *const frameworks[] = {"vllm",     "trtllm",  "sglang",   "cuDNN",
                                         ROOF_EAGER, "PyTorch", "DeepGEMM", "llm-foundry"};
enum { FRAMEWORK_COUNT = sizeof frameworks / sizeof frameworks[0] };

/** The first of `names`, which end in NULL, that is the same as `text`, or NULL. */
static const char *name_among(const char *const *names, const char *text,
                              int (*compare)(const char *, const char *)) {
  while (*names != NULL && compare(*names, text) != 0) {
    names++;
  }
  return *names;
}

roof_status rf_framework_find(const roof_machine *machine, const char *text, const char **name,
                              roof_error *error) {
  const char *names[FRAMEWORK_COUNT + ROOF_CONSTANTS_MAX + 1] = {NULL};
  int count = FRAMEWORK_COUNT;
  memcpy(names, frameworks, sizeof frameworks);
  for (int i = 0; i < machine->constants_count; i++) {
    const char *own = machine->constants[i].framework;
    if (own[0] != '\0' && name_among(names, own, strcmp) == NULL) {
      names[count++] = own;
    }
  }
  const char *found = name_among(names, text, strcmp);
  found = found != NULL ? found : name_among(names, text, rf_letters_compare);
  if (found == NULL) {
    return roof_error_unknown(error, "framework", text, names, NULL);
  }
  *name = found;
  return ROOF_OK;
}

/** Whether a scale for each block of operands takes kernels of its own: hardware with a peak of such operands multiplies them as
 * any others. */
static bool has_own_kernels(const roof_machine *machine, const roof_types *types) {
  const roof_peak *peak =
      roof_machine_peak(machine, rf_operand_type(types), ROOF_MATRIX, false, ROOF_DATASHEET);
  bool hardware = peak != NULL && roof_dtype_multiplied(peak->dtype) != peak->dtype;
  return roof_types_in_blocks(types) && !hardware;
}

const roof_constants *roof_constants_find(const roof_machine *machine, roof_kernel_kind kind,
                                          const roof_types *types, const char *framework) {
  const roof_constants *found = NULL;
  double least = INFINITY;
  bool blocks = has_own_kernels(machine, types);
  for (int i = 0; i < machine->constants_count; i++) {
    const roof_constants *c = &machine->constants[i];
    bool own = framework != NULL && strcmp(c->framework, framework) == 0;
    bool alike = c->blocks == blocks;
    bool stored_alike = c->narrow == roof_types_narrow(types, kind);
    double far = distance(c->dtype, roof_dtype_multiplied(types->compute)) - (alike ? 0.5 : 0) -
                 (stored_alike ? 0.25 : 0) - (own ? 0.125 : 0);
    if (c->kernel == kind && (own || c->framework[0] == '\0') && far < least) {
      found = c;
      least = far;
    }
  }
  return found != NULL || stand_in(kind) == kind
             ? found
             : roof_constants_find(machine, stand_in(kind), types, framework);
}

/** Takes the values of `own`, neutral where they are unknown or their effect is left out; tiles are as high without their edges. */
static void take(const double *own, unsigned without, double *values) {
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    bool out = i != ROOF_TILE_QUERIES && constants[i].effect < ROOF_EFFECT_COUNT &&
               (without & 1u << constants[i].effect) != 0;
    values[i] = out || isnan(own[i]) ? constants[i].neutral : own[i];
  }
}

/** What a framework's host takes for a launch: of that kind of kernel in any format, else of any kind. */
static double host_seconds(const roof_machine *machine, roof_kernel_kind kind, const char *framework) {
  double seconds = NAN;
  for (int i = machine->constants_count - 1; i >= 0 && framework != NULL; i--) {
    const roof_constants *c = &machine->constants[i];
    bool own = strcmp(c->framework, framework) == 0 && !isnan(c->values[ROOF_HOST_SECONDS]);
    if (own && (c->kernel == kind || isnan(seconds))) {
      seconds = c->values[ROOF_HOST_SECONDS];
    }
  }
  return seconds;
}

/** What a product's constants have of latency beyond a product's in 16 bits is of the kernel that writes its activations in
 * the narrow format; 0 where there is none. */
static double latency_of_quantise(const roof_target *target, const roof_constants *own) {
  roof_types wide = roof_types_of(ROOF_BF16);
  if (own == NULL || !(own->values[ROOF_QUANTISE_PASSES] > 0)) {
    return 0;
  }
  const roof_constants *other =
      roof_constants_find(target->machine, own->kernel, &wide, target->options.framework);
  return fmax(0, own->values[ROOF_LATENCY_SECONDS] - other->values[ROOF_LATENCY_SECONDS]);
}

/** A processor's constants are shares of measured ceilings, and say nothing of a datasheet's. */
static bool hold_for(const roof_target *target) {
  const roof_level *memory = target->level[target->memory];
  return !target->parts_stay || (memory != NULL && memory->kind == ROOF_MEASURED);
}

/** The share of the peak in use, by constants that were scaled to the rate of their own format's unit: on vector lanes in place
 * of a matrix unit as where it was fitted. */
static double efficiency_of(const roof_target *target, const roof_constants *own) {
  roof_unit unit = own->kernel == ROOF_KERNEL_STREAM ? ROOF_VECTOR : ROOF_MATRIX;
  const roof_peak *peak = target->peak[unit];
  double scaled = own->values[ROOF_EFFICIENCY], by = own->clocks[own->dtype];
  double clocks = peak == NULL ? by : peak->unit == unit ? own->clocks[peak->dtype] : 1;
  return by > 0 && clocks != by ? scaled * by / (scaled * by + (1 - scaled) * clocks) : scaled;
}

/** How many times the peak in use the datasheet's is; NaN: that one is not known. */
static double above_peak(const roof_target *target, roof_unit unit) {
  const roof_peak *peak = target->peak[unit];
  if (peak == NULL) {
    return 1;
  }
  const roof_peak *rated =
      roof_machine_peak(target->machine, peak->dtype, peak->unit, peak->sparse, ROOF_DATASHEET);
  double limit = rated->kind == ROOF_MEASURED ? rated->limit_flops_per_second : rated->flops_per_second;
  return limit / peak->flops_per_second;
}

/** How many times the memory's bandwidth in use, for a mix of reads and writes, the datasheet's is; NaN as above. */
static double above_memory(const roof_target *target, int mix) {
  const roof_level *rated = roof_machine_level(target->machine, target->memory, ROOF_DATASHEET);
  double costs[ROOF_MIX_COUNT];
  if (rated == NULL) {
    return 1;
  }
  roof_level_costs(rated, costs);
  double limit = rated->kind == ROOF_MEASURED ? rated->limit_bytes_per_second : 1 / costs[mix];
  return limit * target->seconds_per_byte[target->memory][mix];
}

/** Makes shares of datasheet ceilings those of measured ones, of which there is no more than all. What units draw is of the
 * memory's ceiling, but for experts, of what they reach of it. */
static void share_measured(const roof_target *target, roof_kernel_kind kind, double *values) {
  bool stream = kind == ROOF_KERNEL_STREAM;
  double memory = above_memory(target, stream ? ROOF_MIX_COPY : ROOF_MIX_READ);
  values[ROOF_EFFICIENCY] =
      fmin(1, values[ROOF_EFFICIENCY] * above_peak(target, stream ? ROOF_VECTOR : ROOF_MATRIX));
  if (kind == ROOF_KERNEL_COLLECTIVE) {
    return;
  }
  values[ROOF_BANDWIDTH] = fmin(1, values[ROOF_BANDWIDTH] * memory);
  if (kind != ROOF_KERNEL_EXPERTS) {
    values[ROOF_UNIT_BANDWIDTH] *= memory;
  }
}

void rf_forms_resolve(roof_target *target) {
  unsigned without = target->options.without;
  for (int k = 0; k < ROOF_KERNEL_KIND_COUNT; k++) {
    const roof_constants *own =
        roof_constants_find(target->machine, (roof_kernel_kind)k, &target->types, target->options.framework);
    roof_form *form = &target->forms[k];
    form->known = own != NULL && forms[k].seconds != NULL && without != ROOF_EFFECTS_ALL && hold_for(target);
    if (form->known) {
      double values[ROOF_CONSTANT_COUNT];
      memcpy(values, own->values, sizeof values);
      if (isnan(values[ROOF_HOST_SECONDS])) {
        values[ROOF_HOST_SECONDS] =
            host_seconds(target->machine, (roof_kernel_kind)k, target->options.framework);
      }
      if ((without & 1u << ROOF_EFFECT_QUANTISE) != 0) {
        values[ROOF_LATENCY_SECONDS] -= latency_of_quantise(target, own);
      }
      values[ROOF_EFFICIENCY] = efficiency_of(target, own);
      if (target->options.achieved && !target->parts_stay) {
        share_measured(target, (roof_kernel_kind)k, values);
      }
      bool region = target->parts_stay && isnan(values[ROOF_LATENCY_SECONDS]);
      values[ROOF_LATENCY_SECONDS] = region ? target->launch_seconds : values[ROOF_LATENCY_SECONDS];
      take(values, without, form->values);
    }
  }
}

/** Kernels of a launch as operations count them: a layer of experts sorts, multiplies twice and adds. */
static double kernels_of(const roof_kernel_shape *shape) {
  enum { LAYER_OF_EXPERTS = 4 };
  return shape->kind == ROOF_KERNEL_EXPERTS && shape->group > 0 ? LAYER_OF_EXPERTS : 1;
}

double rf_launching_seconds(const double *values, const roof_work *work) {
  double share = work->kernel.kind == ROOF_KERNEL_STREAM ? work->kernel.count : 0;
  double each = share > 0 ? share : kernels_of(&work->kernel);
  return values[ROOF_HOST_SECONDS] * each * work->launches;
}

/** Whether the form of processors takes the place of a kind's. */
static bool runs_on_cores(const roof_target *target, roof_kernel_kind kind) {
  return target->parts_stay && (kind == ROOF_KERNEL_STREAM || kind == ROOF_KERNEL_PRODUCT);
}

double rf_form_seconds(const roof_target *target, const roof_prediction *p, const double *values,
                       unsigned without, rf_cut *cut) {
  rf_cut unused = {0};
  bool cores = runs_on_cores(target, p->work.kernel.kind);
  rf_run run = {.target = target,
                .work = &p->work,
                .compute = rf_known(p->compute_seconds),
                .memory = rf_known(p->memory_seconds),
                .cached = cores && p->binding != NULL && p->binding->level < target->memory,
                .link = p->link,
                .c = values,
                .without = without};
  rf_form *form = cores ? rf_form_processor : forms[p->work.kernel.kind].seconds;
  double launches = p->work.launches * kernels_of(&p->work.kernel);
  double seconds = form(&run, cut != NULL ? cut : &unused) + values[ROOF_LATENCY_SECONDS] * launches;
  double host = rf_launching_seconds(values, &p->work);
  return host > seconds ? host : seconds;
}

double roof_effects_seconds(const roof_target *target, const roof_prediction *prediction,
                            const double values[ROOF_CONSTANT_COUNT]) {
  return forms[prediction->work.kernel.kind].seconds != NULL
             ? rf_form_seconds(target, prediction, values, target->options.without, NULL)
             : NAN;
}

enum { COUNT_MAX = 32 };

/** A count with commas: "1,056". */
static const char *counted(double count, char text[COUNT_MAX]) {
  char digits[COUNT_MAX], *out = text;
  int length = rf_format(digits, sizeof digits, "%.0f", fmin(count, 1e15));
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) {
      *out++ = ',';
    }
    *out++ = digits[i];
  }
  *out = '\0';
  return text;
}

/** "24 tiles of 64 x 128, split in 4,"; "96 tiles of queries" where a form says what they are, one of which is a "tile of queries". */
static void name_parts(const rf_cut *cut, char *text, size_t size) {
  char count[COUNT_MAX], parts[COUNT_MAX] = "";
  const char *plural = cut->tiles > 1 ? "s" : "", *what = cut->what != NULL ? cut->what : "parts";
  int word = (int)strcspn(what, " ");
  if (cut->split > 1) {
    rf_format(parts, sizeof parts, ", split in %.0f,", cut->split);
  }
  if (cut->what == NULL && cut->tile_rows > 0) {
    rf_format(text, size, "%s tile%s of %.0f x %.0f%s", counted(cut->tiles, count), plural, cut->tile_rows,
              cut->tile_columns, parts);
  } else {
    rf_format(text, size, "%s %.*s%s%s%s", counted(cut->tiles, count), word - 1, what, plural, what + word,
              parts);
  }
}

/** "1,056 tiles of 128 x 128 on 132 SMs: 8 waves", "133 tiles of 128 x 128 on 132 SMs: 2 waves, 50 % idle". */
static void explain_waves(const roof_target *target, const roof_kernel_shape *shape, const rf_cut *cut,
                          char *text, size_t size) {
  char parts[80], waves[COUNT_MAX], idle[COUNT_MAX] = "";
  const char *unit = target->machine->unit_kind[0] != '\0' ? target->machine->unit_kind : "unit";
  double share = 1 - cut->tiles * fmax(cut->split, 1) / (cut->waves * target->units);
  name_parts(cut, parts, sizeof parts);
  if (share >= 0.05) {
    rf_format(idle, sizeof idle, ", %.0f %% idle", 100 * share);
  }
  bool waits = shape->kind == ROOF_KERNEL_STREAM && shape->depth > 0;
  rf_format(text, size, "%s on %.0f %ss: %s wave%s%s%s", parts, target->units, unit,
            counted(cut->waves, waves), cut->waves > 1 ? "s" : "", idle,
            waits ? "; waits for a second sum" : "");
}

/** Elements of a product's result; of attention its queries by its keys, of all heads; of experts the results of both products
 * for the rows of all. */
static double area_of(const roof_kernel_shape *s, const rf_cut *cut) {
  bool experts = s->kind == ROOF_KERNEL_EXPERTS;
  return experts ? s->rows * (s->columns + (s->group > 0 ? s->depth : 0))
                 : s->count * s->rows * s->columns * (cut->what != NULL ? s->group : 1);
}

/** Whether a convolution is by the algorithm that has fewer multiplications. */
static bool is_by_winograd(const roof_kernel_shape *s, const rf_cut *cut) {
  return s->kind == ROOF_KERNEL_PRODUCT && s->group > 0 && (s->routed <= 0 || cut->passes);
}

/** "tiles of 64 x 64 cover 1.33 times the matrix"; "Winograd's algorithm has 25 % of the multiplications". */
static void explain_tiles(const roof_kernel_shape *shape, const rf_cut *cut, char *text, size_t size) {
  if (is_by_winograd(shape, cut)) {
    double groups = fmax(1, shape->count * shape->sequences);
    rf_format(text, size, "Winograd's algorithm%s has %.0f %% of the multiplications",
              groups > 1 ? " on all groups" : "", 100 * groups * shape->group);
    return;
  }
  if (shape->kind == ROOF_KERNEL_PRODUCT && shape->sequences > 1) {
    rf_format(text, size, "%.0f groups in one product, which multiplies so many times as much",
              shape->sequences);
    return;
  }
  double area = area_of(shape, cut);
  double cover = area > 0 ? cut->tiles * cut->tile_rows * cut->tile_columns / area : 1;
  rf_format(text, size, "tiles of %.0f x %.0f cover %.3g times the matrix", cut->tile_rows, cut->tile_columns,
            cover);
}

/** What an effect did, where the way the kernel is cut says it. */
static bool explain_cut(const roof_target *target, const roof_prediction *p, const rf_cut *cut,
                        roof_effect_part *part) {
  size_t size = sizeof part->text;
  double drawing = (cut->drawing > 0 ? cut->drawing : cut->tiles) * fmax(cut->split, 1);
  if (cut->tiles <= 0) {
    return false;
  }
  switch (part->effect) {
  case ROOF_EFFECT_UNITS:
    rf_format(part->text, size,
              drawing > 1 ? "%.0f parts draw too little of the bandwidth"
                          : "%.0f part draws too little of the bandwidth",
              drawing);
    return true;
  case ROOF_EFFECT_TILES:
    explain_tiles(&p->work.kernel, cut, part->text, size);
    return cut->tile_rows > 0;
  case ROOF_EFFECT_WAVES:
    explain_waves(target, &p->work.kernel, cut, part->text, size);
    return true;
  case ROOF_EFFECT_SPLIT:
    rf_format(part->text, size, "split in %.0f, whose sums are added at the end", cut->split);
    return true;
  default:
    return false;
  }
}

/** What an effect did on a processor's cores; false where it is as of any kernel. */
static bool explain_cores(const roof_prediction *p, const rf_cut *cut, const double *values,
                          roof_effect_part *part) {
  bool cached = p->binding != NULL && p->binding->level != ROOF_MEMORY;
  char count[COUNT_MAX];
  switch (part->effect) {
  case ROOF_EFFECT_BANDWIDTH:
    rf_format(part->text, sizeof part->text, "%.0f %% of the bandwidth of %s",
              100 * values[cached ? ROOF_CACHE_BANDWIDTH : ROOF_BANDWIDTH],
              p->binding != NULL ? p->binding->name : "memory");
    return true;
  case ROOF_EFFECT_WAVES:
    rf_format(part->text, sizeof part->text, "%s row%s to start and to end", counted(cut->tiles, count),
              cut->tiles > 1 ? "s, each" : "");
    return true;
  case ROOF_EFFECT_LATENCY:
    rf_format(part->text, sizeof part->text, "threads to start and to wait for");
    return true;
  default:
    return false;
  }
}

/** Sums that a switch adds up take fewer bytes, at less of the bandwidth. */
static void explain_switch(const roof_prediction *p, const rf_cut *cut, const double *values,
                           roof_effect_part *part) {
  char some[COUNT_MAX], all[COUNT_MAX];
  roof_quantity_format(some, sizeof some, cut->added, "B");
  roof_quantity_format(all, sizeof all, p->work.link_bytes, "B");
  rf_format(part->text, sizeof part->text, "the switch adds up: %s, not %s, at %.0f %% of %s", some, all,
            100 * values[ROOF_BANDWIDTH] * cut->rate, p->link->name);
}

/** What an effect did to a transfer; false where it is as of any kernel. */
static bool explain_transfer(const roof_prediction *p, const rf_cut *cut, const double *values,
                             roof_effect_part *part) {
  size_t size = sizeof part->text;
  char shared[80];
  switch (part->effect) {
  case ROOF_EFFECT_BANDWIDTH:
    if (cut->added > 0) {
      explain_switch(p, cut, values, part);
      return true;
    }
    rf_format(shared, sizeof shared, ", %.2g %% of it for each of the ranks that share the host",
              100 * cut->rate);
    rf_format(part->text, size, "%.0f %% of the bandwidth of %s%s", 100 * values[ROOF_BANDWIDTH],
              p->link != NULL ? p->link->name : "the link", cut->rate < 1 ? shared : "");
    return true;
  case ROOF_EFFECT_WAVES:
    rf_format(part->text, size, "%.0f message%s in sequence", cut->waves, cut->waves > 1 ? "s" : "");
    return true;
  case ROOF_EFFECT_SPLIT:
    rf_format(part->text, size, "filling the pipeline of its chunks, or small messages with flags instead");
    return true;
  default:
    return false;
  }
}

static void explain_cache(char *text, size_t size, double cache, double data) {
  char kept[32];
  rf_format(text, size, "the last cache, %.0f MiB, keeps %s%s from the run before", cache / mebi,
            data <= cache ? "" : "part of ", roof_bytes_format(kept, sizeof kept, data));
}

/** What an effect did, in words; where neither a constant nor the cut says it, what it is. */
static void explain(const roof_target *target, const roof_prediction *p, const rf_cut *cut,
                    const double *values, roof_effect_part *part) {
  char *text = part->text;
  size_t size = sizeof part->text;
  bool transfer = p->work.kernel.kind == ROOF_KERNEL_COLLECTIVE;
  if ((transfer && explain_transfer(p, cut, values, part)) ||
      (!transfer && target->parts_stay && explain_cores(p, cut, values, part))) {
    return;
  }
  switch (part->effect) {
  case ROOF_EFFECT_EFFICIENCY:
    rf_format(text, size, "%.0f %% of the peak",
              100 * rf_decode_efficiency(target, &p->work.kernel, values[ROOF_EFFICIENCY]));
    return;
  case ROOF_EFFECT_BANDWIDTH:
    rf_format(text, size, "%.0f %% of the bandwidth", 100 * values[ROOF_BANDWIDTH]);
    return;
  case ROOF_EFFECT_CACHE:
    explain_cache(text, size, target->cache_bytes, p->work.working_set);
    return;
  case ROOF_EFFECT_QUANTISE:
    rf_format(text, size, "activations are written as %s before%s: %.1f passes, %.3g ns per row",
              roof_dtype_name(target->types.compute), values[ROOF_LATENCY_SECONDS] > 0 ? " by a kernel" : "",
              values[ROOF_QUANTISE_PASSES], 1e9 * values[ROOF_ROW_SECONDS] / target->units);
    return;
  default:
    if (!explain_cut(target, p, cut, part)) {
      rf_format(text, size, "%s", effects[part->effect].text);
    }
  }
}

/** How far times hide each other comes first, so that what makes one of them longer counts where it does: after the others
 * it would have all that they added to the shorter time. Not of products, whose results are stored when their arithmetic
 * is done: what of that is not hidden depends on both times as they are in the end. */
static roof_effect effect_at(int place, roof_kernel_kind kind) {
  bool last = kind == ROOF_KERNEL_PRODUCT;
  return last         ? (roof_effect)place
         : place == 0 ? ROOF_EFFECT_CORNER
                      : (roof_effect)(place - (place <= ROOF_EFFECT_CORNER));
}

/** What of a kernel's latency comes with the effect `quantise`. */
static double quantise_starts(const roof_target *target, roof_kernel_kind kind) {
  const unsigned either = 1u << ROOF_EFFECT_QUANTISE | 1u << ROOF_EFFECT_LATENCY;
  return (target->options.without & either) != 0
             ? 0
             : latency_of_quantise(target, roof_constants_find(target->machine, kind, &target->types,
                                                               target->options.framework));
}

int roof_effects_of(const roof_target *target, const roof_prediction *prediction,
                    roof_effect_part parts[ROOF_EFFECT_COUNT]) {
  const roof_form *form = &target->forms[prediction->work.kernel.kind];
  unsigned without = ROOF_EFFECTS_ALL;
  double values[ROOF_CONSTANT_COUNT];
  int count = 0;
  if (!form->known) {
    return 0;
  }
  rf_cut cut = {0};
  double quantised = quantise_starts(target, prediction->work.kernel.kind);
  rf_form_seconds(target, prediction, form->values, target->options.without, &cut);
  take(form->values, without, values);
  double before = rf_form_seconds(target, prediction, values, without, &cut);
  for (int i = 0; i < ROOF_EFFECT_COUNT; i++) {
    roof_effect effect = effect_at(i, prediction->work.kernel.kind);
    without &= ~(1u << effect) | target->options.without;
    take(form->values, without, values);
    if ((without & (1u << ROOF_EFFECT_QUANTISE | 1u << ROOF_EFFECT_LATENCY)) == 1u << ROOF_EFFECT_LATENCY) {
      values[ROOF_LATENCY_SECONDS] = quantised;
    }
    double after = rf_form_seconds(target, prediction, values, without, &cut);
    if (fabs(after - before) > 1e-9 * before) {
      roof_effect_part *part = &parts[count++];
      *part = (roof_effect_part){.effect = effect, .seconds = after - before, .factor = after / before};
      explain(target, prediction, &cut, values, part);
    }
    before = after;
  }
  return count;
}
