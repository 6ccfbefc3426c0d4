/* What serves a plan: commands of engines, and templates that start vLLM on a cluster. Options are those of
 *   vLLM          docs.vllm.ai/en/latest/configuration/engine_args ("Engine Arguments")
 *   SGLang        docs.sglang.io/advanced_features/server_arguments ("Server Arguments")
 *   TensorRT-LLM  nvidia.github.io/TensorRT-LLM/commands/trtllm-serve ("trtllm-serve")
 *   Kubernetes    docs.vllm.ai/en/latest/deployment/k8s ("Using Kubernetes"), Slurm slurm.schedmd.com/sbatch.html */
#include <string.h>

#include "roofline/choice.h"

/** Names of an engine's options; a NULL one does not exist. */
typedef struct engine {
  const char *start;
  const char *tp, *pp, *dp;
  const char *experts;        /**< spreads the experts over all devices of tp x dp; no value */
  const char *expert_devices; /**< takes their number */
  const char *shared;         /**< replicas that share experts: their attention alone is apart; no value */
  const char *context, *batch, *chunk, *memory, *kv_fp8;
  bool quantizes; /**< makes fp8 weights of a 16-bit checkpoint */
} engine;

static const engine vllm = {.start = "vllm serve",
                            .tp = "--tensor-parallel-size",
                            .pp = "--pipeline-parallel-size",
                            .dp = "--data-parallel-size",
                            .experts = "--enable-expert-parallel",
                            .context = "--max-model-len",
                            .batch = "--max-num-seqs",
                            .chunk = "--max-num-batched-tokens",
                            .memory = "--gpu-memory-utilization",
                            .kv_fp8 = "--kv-cache-dtype fp8",
                            .quantizes = true};

static const engine engines[ROOF_ENGINE_COUNT] = {
    [ROOF_ENGINE_SGLANG] = {.start = "python3 -m sglang.launch_server --model-path",
                            .tp = "--tp-size",
                            .pp = "--pp-size",
                            .dp = "--dp-size",
                            .expert_devices = "--ep-size",
                            .shared = "--enable-dp-attention",
                            .context = "--context-length",
                            .batch = "--max-running-requests",
                            .chunk = "--chunked-prefill-size",
                            .memory = "--mem-fraction-static",
                            .kv_fp8 = "--kv-cache-dtype fp8_e4m3",
                            .quantizes = true},
    [ROOF_ENGINE_TENSORRT_LLM] = {.start = "trtllm-serve",
                                  .tp = "--tp_size",
                                  .pp = "--pp_size",
                                  .expert_devices = "--ep_size",
                                  .context = "--max_seq_len",
                                  .batch = "--max_batch_size",
                                  .chunk = "--max_num_tokens",
                                  .memory = "--kv_cache_free_gpu_memory_fraction"}};

static const char *const names[ROOF_ENGINE_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
    ROOF_ENGINE_MAP(NAME)
#undef NAME
};

/** Precisions that an engine makes from the weights of a 16-bit checkpoint. */
static const struct {
  const char *precision, *option;
} formats[] = {{"fp8", "--quantization fp8"}, {"bf16", "--dtype bfloat16"}, {"fp16", "--dtype float16"}};

const char *roof_engine_name(roof_engine which) {
  return (unsigned)which < ROOF_ENGINE_COUNT ? names[which] : "?";
}

/** What is started, and how often. */
typedef struct launch {
  const roof_choice_question *question;
  const roof_choice *choice;
  const engine *engine;
  const char *served;
  bool apart; /**< each replica is started by itself */
} launch;

static void add_count(roof_text *out, const char *option, double value) {
  if (option != NULL && value > 1) {
    roof_text_addf(out, " %s %.0f", option, value);
  }
}

/** SGLang shares experts among devices of `tp`; over replicas these must share attention (its DP attention). */
static void add_plan(roof_text *out, const launch *l) {
  const engine *e = l->engine;
  const roof_plan_point *p = &l->choice->point;
  bool wide = e->expert_devices != NULL && p->ep > p->tp;
  add_count(out, e->tp, wide ? p->tp * p->dp : p->tp);
  add_count(out, e->pp, p->pp);
  add_count(out, e->dp, l->apart ? 1 : p->dp);
  if (wide && e->shared != NULL) {
    roof_text_addf(out, " %s", e->shared);
  }
  if (p->ep > 1 && e->experts != NULL) {
    roof_text_addf(out, " %s", e->experts);
  }
  add_count(out, e->expert_devices, p->ep);
}

static void add_formats(roof_text *out, const launch *l) {
  const roof_choice_question *q = l->question;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0] && l->engine->quantizes; i++) {
    if (strcmp(q->precisions->names[l->choice->precision], formats[i].precision) == 0) {
      roof_text_addf(out, " %s", formats[i].option);
    }
  }
  if (l->engine->kv_fp8 != NULL && roof_dtype_bytes(q->precisions->list[l->choice->precision].kv) == 1) {
    roof_text_addf(out, " %s", l->engine->kv_fp8);
  }
}

static void add_command(roof_text *out, const launch *l) {
  const roof_choice_question *q = l->question;
  const roof_plan_point *p = &l->choice->point;
  roof_text_addf(out, "%s %s", l->engine->start, l->served);
  add_plan(out, l);
  roof_text_addf(out, " %s %.0f", l->engine->context, q->base->prompt + q->base->generate);
  if (!(q->limits.rate > 0)) { /* at a rate an engine admits what its cache holds */
    roof_text_addf(out, " %s %.0f", l->engine->batch, p->batch / p->dp);
  }
  add_count(out, l->engine->chunk,
            p->chunk > 0 ? p->chunk : q->base->prompt); /* whole: engines cut by default */
  if (q->base->memory_share < 1) {
    roof_text_addf(out, " %s %.4g", l->engine->memory, q->base->memory_share);
  }
  add_formats(out, l);
}

/** Devices that one process of the engine has. */
static double process_devices(const launch *l) {
  const roof_plan_point *p = &l->choice->point;
  return p->tp * p->pp * (l->apart ? 1 : p->dp);
}

static const char *resource(const launch *l) {
  const char *vendor = l->question->offers[l->choice->offer].machine->vendor;
  return strcmp(vendor, "AMD") == 0     ? "amd.com/gpu"
         : strcmp(vendor, "Intel") == 0 ? "gpu.intel.com/xe"
                                        : "nvidia.com/gpu";
}

/** A list of YAML of the words of the command. */
static void add_arguments(roof_text *out, const char *command) {
  for (const char *word = command; *word != '\0';) {
    size_t length = strcspn(word, " ");
    roof_text_addf(out, "        - \"%.*s\"\n", (int)length, word);
    word += length + (word[length] == ' ');
  }
}

static void add_kubernetes(roof_text *out, const launch *l, const char *command) {
  const char *image = strcmp(resource(l), "amd.com/gpu") == 0 ? "rocm/vllm" : "vllm/vllm-openai";
  roof_text_addf(out,
                 "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: vllm\nspec:\n  replicas: %.0f\n"
                 "  selector:\n    matchLabels:\n      app: vllm\n  template:\n    metadata:\n      labels:\n"
                 "        app: vllm\n    spec:\n      volumes:\n      - name: shm\n        emptyDir:\n"
                 "          medium: Memory\n      containers:\n      - name: vllm\n        image: %s\n       "
                 " command:\n",
                 l->apart ? l->choice->point.dp : 1, image);
  add_arguments(out, command);
  roof_text_addf(
      out,
      "        ports:\n        - containerPort: 8000\n        resources:\n          limits:\n"
      "            %s: \"%.0f\"\n        volumeMounts:\n        - name: shm\n          mountPath: /dev/shm\n",
      resource(l), process_devices(l));
  roof_text_add(
      out, "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: vllm\nspec:\n  selector:\n    app: vllm\n"
           "  ports:\n  - port: 80\n    targetPort: 8000\n");
}

static void add_slurm(roof_text *out, const launch *l, const char *command) {
  double tasks = l->apart ? l->choice->point.dp : 1;
  roof_text_addf(
      out, "#!/bin/bash\n#SBATCH --job-name=vllm\n#SBATCH --ntasks=%.0f\n#SBATCH --gpus-per-task=%.0f\n\n",
      tasks, process_devices(l));
  roof_text_addf(out, "srun bash -c '%s --port $((8000 + SLURM_PROCID))'\n", command);
}

/** Whether the engine can be asked for the plan. */
static roof_status check(const launch *l, const char *name, bool template, roof_error *error) {
  const roof_plan_point *p = &l->choice->point;
  if (p->cp > 1) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "launch: %s has no option for cp %.0f; cp=1 searches without", name, p->cp);
  }
  if (l->engine->dp == NULL && p->dp > 1 && p->ep > p->tp) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "launch: %s has no option for replicas that share experts", name);
  }
  return template && process_devices(l) > l->question->base->node
             ? roof_error_set(
                   error, ROOF_E_UNSUPPORTED,
                   "launch: %s: the template is of replicas within a node, this one has %.0f devices", name,
                   process_devices(l))
             : ROOF_OK;
}

roof_status roof_choice_launch(const roof_choice_question *q, const roof_choice *c, roof_engine which,
                               const char *served, roof_text *out, roof_error *error) {
  const roof_plan_point *p = &c->point;
  bool template = which == ROOF_ENGINE_KUBERNETES || which == ROOF_ENGINE_SLURM;
  launch l = {q, c, template || which == ROOF_ENGINE_VLLM ? &vllm : &engines[which], served, false};
  l.apart = l.engine->dp == NULL || (template && !(p->ep > p->tp));
  roof_status status = check(&l, roof_engine_name(which), template, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_text command = {0};
  add_command(&command, &l);
  if (which == ROOF_ENGINE_KUBERNETES) {
    add_kubernetes(out, &l, command.data);
  } else if (which == ROOF_ENGINE_SLURM) {
    add_slurm(out, &l, command.data);
  } else {
    roof_text_add(out, command.data);
  }
  out->failed |= command.failed;
  roof_text_done(&command);
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "launch: out of memory") : ROOF_OK;
}
