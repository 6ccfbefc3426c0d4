/* Settings checked against a model and a machine, and everything resolved that all answers share. */
#include <math.h>
#include <string.h>

#include "core/form.h"
#include "models/step.h"
#include "roofline/ops.h"

enum { DEFAULT_PROMPT = 2048, DEFAULT_GENERATE = 256, DEFAULT_CHUNK = 8192, DEFAULT_PAGE = 16 };
static const double default_workspace = 512.0 * 1024 * 1024;

roof_model_settings roof_model_settings_default(const roof_model *model) {
  double prompt = model->usual_prompt > 0 ? model->usual_prompt : DEFAULT_PROMPT;
  double generate = model->usual_generate > 0 ? model->usual_generate : DEFAULT_GENERATE;
  roof_model_settings s = {.batch = 1,
                           .prompt = prompt,
                           .generate = model->encoder ? 0 : generate,
                           .images = 1,
                           .steps = fmax(1, model->usual_steps),
                           .guidance = fmax(1, model->usual_passes),
                           .chunk = DEFAULT_CHUNK,
                           .accept = 0.7,
                           .precision = model->precision,
                           .launch = ROOF_LAUNCH_GRAPH,
                           .kernel_seconds = NAN,
                           .fusion = ROOF_FUSION_SERVING,
                           .tp = 1,
                           .pp = 1,
                           .dp = 1,
                           .ep = 1,
                           .cp = 1,
                           .node = NAN,
                           .page = DEFAULT_PAGE,
                           .workspace = default_workspace,
                           .memory_share = 1,
                           .interleave = 1,
                           .price = NAN,
                           .options = roof_options_default()};
  if (model->context > 0 && s.prompt + s.generate > model->context) {
    s.prompt = fmax(1, model->context - s.generate);
  }
  return s;
}

static roof_status check_counts(const roof_model_settings *s, roof_error *error) {
  const struct {
    const char *name;
    double value, least;
  } counts[] = {{"batch", s->batch, 1},
                {"prompt", s->prompt, 1},
                {"generate", s->generate, 0},
                {"sharers", s->sharers, 0},
                {"images", s->images, 0},
                {"size", s->size, 0},
                {"steps", s->steps, 1},
                {"guidance", s->guidance, 1},
                {"text", s->text, 0},
                {"chunk", s->chunk, 0},
                {"draft", s->draft, 0},
                {"tp", s->tp, 1},
                {"pp", s->pp, 1},
                {"dp", s->dp, 1},
                {"ep", s->ep, 1},
                {"cp", s->cp, 1},
                {"redundant_experts", s->redundant_experts, 0},
                {"microbatches", s->microbatches, 0},
                {"zero", s->zero, 0},
                {"node", isnan(s->node) ? 1 : s->node, 1},
                {"page", s->page, 1}};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    double v = counts[i].value;
    if (!(v >= counts[i].least && v <= 1e9 && v == floor(v))) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "%s=%g: not a whole number from %.0f to 1e9",
                            counts[i].name, v, counts[i].least);
    }
  }
  return ROOF_OK;
}

static roof_status check_numbers(const roof_model_settings *s, roof_error *error) {
  if (!(s->accept >= 0 && s->accept <= 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "accept=%g: must be from 0 to 1", s->accept);
  }
  if (!(s->prefix >= 0 && s->prefix <= fmax(0, s->prompt - 1))) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "prefix=%g: a share under 1, or tokens: at most %.0f of a prompt of %.0f, whose last one "
        "is always computed",
        s->prefix, s->prompt - 1, s->prompt);
  }
  if (!(s->offload >= 0 && s->offload <= 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "offload=%g%%: of the weights, at most 100 %%",
                          100 * s->offload);
  }
  if (!(s->offload_kv >= 0 && s->offload_kv < (s->train ? 0x1p-99 : 1))) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "offload_kv=%g%%: of the cache while serving, under 100 %%",
                          100 * s->offload_kv);
  }
  if (!(s->offload_optimizer >= 0 && s->offload_optimizer <= (s->train ? 1 : 0))) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "offload_optimizer=%g: a share of the state of a training step (to 1)",
                          s->offload_optimizer);
  }
  if (s->prefix > 0 && s->train) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "prefix=%g: of prompts, not of --train", s->prefix);
  }
  double fewest = rf_model_typed(s, "tokens");
  if (!(s->tokens >= fewest && s->tokens < 1e18) || (s->tokens > 0 && !s->train)) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT, "tokens=%g: %s", s->tokens,
        s->train
            ? "must be from 1 to 1e18"
            : "of a training run, which `model --train` predicts; prompt= and generate= are of requests");
  }
  if (!(s->memory_share > 0 && s->memory_share <= 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "memory_share=%g: must be over 0 and at most 1",
                          s->memory_share);
  }
  const struct {
    const char *name;
    double value;
  } costs[] = {{"workspace", s->workspace},
               {"launch", isnan(s->kernel_seconds) ? 0 : s->kernel_seconds},
               {"price", isnan(s->price) ? 0 : s->price}};
  for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
    if (!(costs[i].value >= 0)) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "%s=%g: must not be negative", costs[i].name,
                            costs[i].value);
    }
  }
  return ROOF_OK;
}

/** What a kernel costs in addition to its work if the machine's figure is unknown. */
static const roof_kernel_cost assumed[ROOF_LAUNCH_COUNT] = {
    [ROOF_LAUNCH_EAGER] = {5e-6, ROOF_ASSUMED,
                           "twice the 2.05 to 2.6 us of back-to-back launches on A40, A100 and MI210 "
                           "(RRZE-HPC/gpu-benches@1038c5d0), for a host that does more than launch"},
    [ROOF_LAUNCH_GRAPH] = {2e-6, ROOF_ASSUMED,
                           "floors of 1.5 to 2.5 us of small bf16 GEMMs in CUDA graphs "
                           "(ai-dynamo/aiconfigurator@095f58a measurements)"},
    [ROOF_LAUNCH_PERSISTENT] = {1e-6, ROOF_ASSUMED,
                                "a barrier of the whole grid; no measurement behind it, half of a graph's "
                                "kernel"}};

roof_kernel_cost rf_model_kernel_cost(const roof_machine *machine, roof_launch mode, double given) {
  roof_kernel_cost cost = assumed[mode];
  double launch = machine->launch_seconds;
  if (!isnan(given)) {
    return (roof_kernel_cost){given, ROOF_ASSUMED, "given"};
  }
  bool known = !isnan(launch) && machine->launch_origin.kind != ROOF_ASSUMED;
  if (known && (mode == ROOF_LAUNCH_EAGER || launch < cost.seconds)) {
    return (roof_kernel_cost){launch, machine->kind, "the machine's launch cost"};
  }
  return cost;
}

void rf_model_launched(roof_target *target, const roof_kernel_cost *cost, roof_launch mode, double given) {
  if (isnan(given) && (cost->kind == ROOF_ASSUMED || !target->parts_stay)) {
    target->least_launch_seconds *= ROOF_ASSUMED_LEAST;
  }
  if (isnan(given) && mode == ROOF_LAUNCH_GRAPH) {
    target->options.launch = NAN; /* the latencies of the forms are of kernels in graphs */
  }
  for (int k = 0; k < ROOF_KERNEL_KIND_COUNT && mode == ROOF_LAUNCH_PERSISTENT; k++) {
    target->forms[k].values[ROOF_LATENCY_SECONDS] = 0; /* a barrier stands in for it */
  }
}

static bool has_path(const roof_machine *machine, roof_dtype dtype) {
  return roof_machine_peak(machine, dtype, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL ||
         roof_machine_peak(machine, dtype, ROOF_VECTOR, false, ROOF_DATASHEET) != NULL;
}

static bool has_matrix(const roof_machine *machine) {
  for (int dtype = 0; dtype < ROOF_DTYPE_COUNT; dtype++) {
    if (roof_machine_peak(machine, (roof_dtype)dtype, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL) {
      return true;
    }
  }
  return false;
}

/** The machine multiplies this format as such: on the matrix unit where it has one. */
static bool is_native(const roof_machine *machine, roof_dtype dtype) {
  return has_matrix(machine) ? roof_machine_peak(machine, dtype, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL
                             : has_path(machine, dtype);
}

roof_dtype rf_model_compute(const roof_machine *machine, roof_dtype wanted) {
  roof_dtype other = wanted == ROOF_BF16 ? ROOF_FP16 : wanted == ROOF_FP16 ? ROOF_BF16 : ROOF_FP32;
  return is_native(machine, wanted) ? wanted : is_native(machine, other) ? other : ROOF_FP32;
}

bool rf_model_is_quantized(const roof_model_precision *p, int part) {
  const roof_weight_format *format = &p->weights[part];
  return !format->weight_only && roof_dtype_bytes(format->compute) < roof_dtype_bytes(p->activations);
}

/** A target whose kernels cost `t`'s launch; the bound counts a part of it where it is assumed. */
static roof_status init_target(const roof_model_target *t, const roof_types *types,
                               const roof_options *options, roof_target *target, roof_error *error) {
  roof_status status = roof_target_init(target, t->machine, types, options, error);
  if (status == ROOF_OK) {
    rf_model_launched(target, &t->kernel, t->settings.launch, t->settings.kernel_seconds);
  }
  return status;
}

double rf_model_passing_weights(const roof_model_target *t, double weight_bytes) {
  return t->parameters.total * weight_bytes / (t->settings.tp * t->settings.pp);
}

/** Whether a step reads more weights than a cache could keep for the next: then none wait there. */
static bool weights_pass(const roof_model_target *t, double weight_bytes) {
  return rf_model_passing_weights(t, weight_bytes) > t->plain.cache_bytes;
}

/** Engines whose products have a kernel of its own before them that writes their format (vLLM's scaled_fp8_quant and
 * scaled_fp4_quant, SGLang's per_token_group_quant); elsewhere what comes before a product writes it. */
static bool quantises_alone(const char *framework) {
  return framework != NULL && (strcmp(framework, "vllm") == 0 || strcmp(framework, "sglang") == 0);
}

/** Share of the arithmetic's time at best: with weights of a GGUF file llama.cpp rounds the activations to int8 where the machine
 * multiplies that (ggml-cuda/quantize.cu, quantize_mmq_q8_1). */
static double rounded_share(const roof_machine *machine, const roof_weight_format *format,
                            roof_dtype compute) {
  const roof_peak *own = roof_machine_peak(machine, compute, ROOF_MATRIX, false, ROOF_DATASHEET);
  const roof_peak *rounded = roof_machine_peak(machine, ROOF_INT8, ROOF_MATRIX, false, ROOF_DATASHEET);
  bool of_file = format->weight_only && format->bytes > 0;
  return of_file && own != NULL && rounded != NULL
             ? fmin(1, own->flops_per_second / rounded->flops_per_second)
             : 1;
}

static roof_status init_part(roof_model_target *t, int part, roof_options options, roof_error *error) {
  const roof_model_precision *p = &t->settings.precision;
  const roof_weight_format *format = &p->weights[part];
  roof_dtype plain = rf_model_compute(t->machine, p->activations), compute = plain;
  bool narrow = rf_model_is_quantized(p, part),
       native = is_native(t->machine, narrow ? format->compute : p->activations);
  if (narrow && native) {
    compute = format->compute;
  }
  roof_status status = ROOF_OK;
  roof_types types = roof_types_of(compute);
  types.weights =
      format->stored; /* kernels of weights with scales, and of narrow weights, have constants of their own */
  types.group = format->group;
  t->native[part] = native;
  t->rounded_share[part] = rounded_share(t->machine, format, compute);
  t->weight_bytes[part] = roof_weight_format_bytes(format);
  t->input_bytes[part] = narrow && native ? roof_dtype_bytes(compute) : roof_dtype_bytes(p->activations);
  t->stored[part] = roof_types_of(p->activations);
  t->stored[part].compute = narrow && native ? compute : p->activations;
  t->stored[part].weights = format->stored;
  t->stored[part].weight_bytes = t->weight_bytes[part];
  options.cold = options.cold || weights_pass(t, t->weight_bytes[part]);
  if (part == ROOF_PART_EXPERTS && t->settings.expert_framework != NULL) {
    status = rf_framework_find(t->machine, t->settings.expert_framework, &options.framework, error);
  }
  options.without |= quantises_alone(options.framework) ? 0 : 1u << ROOF_EFFECT_QUANTISE;
  return status == ROOF_OK ? init_target(t, &types, &options, &t->parts[part], error) : status;
}

static const char *const op_names[MODEL_OP_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
    MODEL_OP_MAP(NAME)
#undef NAME
};

static roof_status find_ops(roof_model_target *t, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < MODEL_OP_COUNT && status == ROOF_OK; i++) {
    status = roof_op_find(op_names[i], &t->ops[i], error);
  }
  return status;
}

/** Formats of what has no weights of a part. */
static void init_stored(roof_model_target *t) {
  roof_types *plain = &t->stored[ROOF_PART_COUNT];
  *plain = roof_types_of(t->settings.precision.activations);
  t->cache_types = t->state_types = t->vector_types = *plain;
  t->cache_types.kv = t->settings.precision.kv;
  t->state_types.kv = t->settings.precision.state;
  t->vector_types.weight_bytes = t->vector_bytes;
}

static roof_status init_parts(roof_model_target *t, roof_error *error) {
  const roof_model_precision *p = &t->settings.precision;
  roof_options options = t->settings.options;
  options.launch = t->kernel.seconds;
  roof_types types = roof_types_of(rf_model_compute(t->machine, p->activations));
  roof_status status = init_target(t, &types, &options, &t->plain, error);
  types.kv = p->kv;
  status = status == ROOF_OK ? init_target(t, &types, &options, &t->cached, error) : status;
  status = status == ROOF_OK ? roof_target_moves(&t->plain, error) : status;
  options.framework = t->settings.options.framework = t->plain.options.framework;
  for (int part = 0; part < ROOF_PART_COUNT && status == ROOF_OK; part++) {
    status = init_part(t, part, options, error);
  }
  return status;
}

roof_status roof_model_target_init(roof_model_target *target, const roof_model *model,
                                   const roof_machine *machine, const roof_model_settings *settings,
                                   roof_error *error) {
  roof_status status = roof_model_check(model, error);
  status = status == ROOF_OK ? check_counts(settings, error) : status;
  status = status == ROOF_OK ? check_numbers(settings, error) : status;
  status = status == ROOF_OK ? rf_model_plan_check(model, settings, error) : status;
  if (status == ROOF_OK && settings->prefix > 0 && model->encoder) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "prefix=%g: %s is an encoder: nothing is cached",
                            settings->prefix, roof_model_title(model));
  }
  if (status != ROOF_OK) {
    return status;
  }
  roof_model_target t = {.model = model, .machine = machine, .settings = *settings};
  t.settings.node = rf_model_node(settings, machine);
  if (settings->size > 0) {
    double side = floor(settings->size / model->pixels);
    t.settings.prompt = side * side;
  }
  t.parameters = roof_model_count(model);
  t.activation_bytes = roof_dtype_bytes(settings->precision.activations);
  t.table_bytes = settings->precision.table_bytes > 0 ? settings->precision.table_bytes : t.activation_bytes;
  t.vector_bytes =
      settings->precision.vector_bytes > 0 ? settings->precision.vector_bytes : t.activation_bytes;
  t.kv_bytes = roof_dtype_bytes(settings->precision.kv);
  t.state_bytes = roof_dtype_bytes(settings->precision.state);
  t.kernel = rf_model_kernel_cost(machine, settings->launch, settings->kernel_seconds);
  for (int i = 0; i < model->layer_count; i++) {
    t.layers[model->layers[i]]++;
  }
  init_stored(&t);
  status = init_parts(&t, error);
  status = status == ROOF_OK ? find_ops(&t, error) : status;
  status = status == ROOF_OK ? rf_model_plan_init(&t, error) : status;
  if (status == ROOF_OK) {
    *target = t;
  }
  return status;
}
