/* A whole model on one or more machines: does it fit, how fast is it, where does the time go. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/cluster/network.h"
#include "cli/ledger/seal.h"
#include "cli/model/model.h"
#include "roofline/analysis.h"
#include "roofline/plot.h"

static int analysis, train, seal, search;
static roof_sealings sealings;
static char *ledger_path, *key_path, *recompute;
static const struct poptOption options[] = {
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)cli_model_run_options, 0, "Run:", NULL},
    {"train", '\0', POPT_ARG_NONE, &train, 0, "a training step of batch x prompt tokens with Adam", NULL},
    {"recompute", '\0', POPT_ARG_STRING, &recompute, 0,
     "what training computes again instead of keeping it: none, selective (scores) or full", "WHAT"},
    {"analysis", '\0', POPT_ARG_NONE, &analysis, 0, "the seven steps of an analysis, filled in", NULL},
    {"seal", '\0', POPT_ARG_NONE, &seal, 0,
     "seal TTFT and TPOT of requests one after another, which `record` measures by a serving benchmark's "
     "result",
     NULL},
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to seal; default " CLI_DEFAULT_LEDGER, "FILE"},
    {"sign", '\0', POPT_ARG_STRING, &key_path, 0,
     "with --seal: sign it with this secret key (`ledger keygen`)", "KEY"},
    {"search", '\0', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, &search, 0, NULL, NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)cli_model_plan_options, 0, "Plan:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)cli_model_sweep_options, 0, "Sweep:", NULL},
    POPT_TABLEEND};

static roof_status select_settings(const cli_args *args, const roof_model *model, roof_model_settings *s,
                                   roof_model_axes *axes, roof_error *error) {
  roof_status status = cli_model_run_settings(args, model, false, s, error);
  s->train = train != 0;
  if (status == ROOF_OK && recompute != NULL) {
    char word[CLI_SHORT];
    snprintf(word, sizeof word, "recompute=%.30s", recompute);
    status = roof_model_settings_read((const char *const[]){word}, 1, s, axes, error);
  }
  return status == ROOF_OK ? roof_model_settings_read(args->words + 1, args->word_count - 1, s, axes, error)
                           : status;
}

/** What is printed: text, or one object per machine. */
typedef struct answer {
  roof_text text;
  json_t *json;
  bool printed; /**< already */
} answer;

/** Gathers what --seal seals of one answer. */
static roof_status collect(const roof_model_target *target, const roof_model_answer *a, roof_error *error) {
  size_t first = sealings.count;
  roof_status status = roof_model_check_fit(target, a, "precision", error);
  status = status == ROOF_OK ? roof_model_served_sealings(target, a, &sealings, error) : status;
  for (; status == ROOF_OK && first < sealings.count; first++) {
    status = roof_sealing_complete(&sealings.list[first], target->machine, error);
  }
  return status;
}

/** Seals what was gathered, and says so where the answer is for people. */
static roof_status seal_all(const cli_args *args, roof_text *out, roof_error *error) {
  const char *ledger = cli_ledger_name(ledger_path);
  roof_sealings_name_machines(&sealings);
  roof_status status = cli_seal_all(ledger, &sealings, key_path, error);
  roof_text_add(out, status == ROOF_OK && !args->json && !args->csv ? "\n" : "");
  for (size_t i = 0; i < sealings.count && status == ROOF_OK && !args->json && !args->csv; i++) {
    roof_text_addf(out, "  sealed      `%s` in %s\n", sealings.list[i].label, ledger);
  }
  return status;
}

/** The operations of one run. */
static roof_status draw(const cli_args *args, const roof_model_target *target, const roof_model_answer *a,
                        roof_error *error) {
  roof_scene *scene = cli_chart_room();
  roof_status status = roof_model_scene(target, a, scene, error);
  return status == ROOF_OK ? cli_chart_write_scene(args, scene, false, error) : status;
}

static roof_status answer_one(const cli_args *args, const roof_model *model, const roof_machine *machine,
                              roof_model_settings *settings, answer *out, roof_error *error) {
  static roof_model_answer a;
  roof_model_target target;
  roof_status status = cli_model_plan_network(machine, settings, error);
  status = status == ROOF_OK ? roof_model_target_init(&target, model, machine, settings, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  roof_model_answer_of(&target, &a);
  status = cli_chart_is_wanted(args) ? cli_chart_or_none(args, draw(args, &target, &a, error)) : ROOF_OK;
  if (args->file != NULL || status != ROOF_OK) {
    return status;
  }
  status = seal ? collect(&target, &a, error) : ROOF_OK;
  if (status == ROOF_OK && args->json) {
    json_t *one = rf_model_json(&target, &a);
    cli_network_set(one, machine);
    rf_json_append(out->json, one);
    return ROOF_OK;
  }
  status = status == ROOF_OK && analysis ? roof_model_check_fit(&target, &a, "precision", error) : status;
  roof_model_drop_times(&a);
  if (args->csv || status != ROOF_OK) {
    cli_model_csv(&out->text, &target, &a);
    return status;
  }
  roof_text_add(&out->text, out->text.length > 0 ? "\n" : "");
  cli_model_text(&out->text, &target, &a);
  return analysis ? cli_model_report(&out->text, &target, &a, error) : ROOF_OK;
}

/** Refuses options of a model's layers where a file lists its operations. */
static roof_status check_workload_options(const cli_args *args, roof_error *error) {
  static const roof_model_axes none = {.count = 0};
  const struct {
    const char *name;
    bool typed;
  } of_models[] = {{cli_model_run_typed(), cli_model_run_typed() != NULL},
                   {"recompute", recompute != NULL},
                   {"train", train != 0},
                   {"analysis", analysis != 0},
                   {"seal", seal != 0},
                   {"side-by-side", cli_model_sweeps(&none, NULL)},
                   {"to", args->file != NULL},
                   {cli_model_plan_typed(), cli_model_plan_typed() != NULL}};
  for (size_t i = 0; i < sizeof of_models / sizeof of_models[0]; i++) {
    if (of_models[i].typed) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "--%s: of a model's config, not of a graph or a list of operations",
                            of_models[i].name);
    }
  }
  return ROOF_OK;
}

static roof_status answer_workload(const cli_args *args, answer *out, roof_error *error) {
  roof_status status = check_workload_options(args, error);
  return status == ROOF_OK ? cli_model_workload(args, cli_model_run_dtype(), cli_model_run_mode(), &out->text,
                                                out->json, error)
                           : status;
}

/** A price for each machine; the caller frees *prices. */
static roof_status read_prices(roof_machine *const *machines, int count, const roof_model_settings *settings,
                               roof_listed_price **prices, roof_error *error) {
  *prices = calloc((size_t)count + 1, sizeof **prices);
  if (*prices == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "model: out of memory");
  }
  return cli_model_prices() != NULL ? roof_catalog_prices(cli_model_prices(), machines, count, *prices, error)
                                    : roof_price_of_one(settings->price, count, *prices, error);
}

/** Answers each machine by itself. */
static roof_status answer_each(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                               int count, roof_model_settings *settings, answer *out, roof_error *error) {
  roof_listed_price *prices;
  roof_status status = read_prices(machines, count, settings, &prices, error);
  if (status == ROOF_OK && args->file != NULL && count > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "--to %s: draws the operations on one machine, or several values "
                            "(batch=1..256*2); `roofline plan` compares machines",
                            args->to);
  }
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    settings->price = prices[i].value;
    settings->listed = &prices[i];
    status = answer_one(args, model, machines[i], settings, out, error);
  }
  free(prices);
  return status == ROOF_OK && seal ? seal_all(args, &out->text, error) : status;
}

/** Answers several values, of all machines together. */
static roof_status answer_sweep(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                                int count, roof_model_settings *settings, const roof_model_axes *axes,
                                roof_error *error) {
  roof_listed_price *prices;
  roof_status status = read_prices(machines, count, settings, &prices, error);
  bool listed = cli_model_prices() != NULL;
  settings->price = listed ? 1 : settings->price;
  status = status == ROOF_OK ? cli_model_sweep(args, model, machines, listed ? prices : NULL, count, settings,
                                               axes, cli_model_run_precision(), error)
                             : status;
  free(prices);
  return status;
}

static roof_status answer_all(const cli_args *args, answer *out, roof_error *error) {
  roof_model model;
  roof_model_settings settings;
  roof_model_axes axes = {.count = 0};
  roof_machine **machines = NULL;
  int count = 0;
  roof_status status = cli_model_run_load(args, &model, error);
  status = status == ROOF_OK ? select_settings(args, &model, &settings, &axes, error) : status;
  if (status == ROOF_OK) {
    cli_model_run_note(&model, &settings.precision);
  }
  status = status == ROOF_OK ? cli_select_machines(args, &machines, &count, error) : status;
  status = status == ROOF_OK ? cli_network_wait(cli_model_network(), machines, count, true, error) : status;
  status = status == ROOF_OK ? cli_model_plan_settings(&settings, &axes, error) : status;
  status = status == ROOF_OK ? cli_model_plan_network(machines[0], &settings, error) : status;
  status = status == ROOF_OK ? roof_model_settings_check(&model, &settings, count == 1 ? machines[0] : NULL,
                                                         false, &axes, error)
                             : status;
  out->printed = status == ROOF_OK && cli_model_sweeps(&axes, cli_model_run_precision());
  if (out->printed && seal) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--seal: of one value of each setting");
  } else if (out->printed && analysis) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--analysis: of one value of each setting");
  } else if (out->printed) {
    status = answer_sweep(args, &model, machines, count, &settings, &axes, error);
  } else if (status == ROOF_OK) {
    status = answer_each(args, &model, machines, count, &settings, out, error);
    status = status == ROOF_OK ? cli_network_add_note(args, &out->text, error) : status;
  }
  roof_model_axes_done(&axes);
  roof_machines_free(machines, count);
  return status;
}

static roof_status print_answer(const cli_args *args, answer *out, roof_error *error) {
  if (!args->json) {
    return cli_print(&out->text, error);
  }
  json_t *object =
      json_array_size(out->json) == 1 && !args->list
          ? json_incref(json_array_get(out->json, 0))
          : json_pack("{s:s, s:O}", "schema", args->list ? "roofline.model_names/1" : "roofline.models/1",
                      "models", out->json);
  return cli_json_print(object, error);
}

static roof_status list_models(const cli_args *args, answer *out, roof_error *error) {
  roof_status status = cli_args_limit_words(args, 0, error);
  roof_model_entry entry = roof_model_entry_at(0);
  for (size_t i = 0; status == ROOF_OK && entry.name != NULL; entry = roof_model_entry_at(++i)) {
    if (args->json) {
      rf_json_append(out->json, json_pack("{s:s, s:s}", "name", entry.name, "aliases", entry.aliases));
    } else {
      roof_text_addf(&out->text, "%-24s %s\n", entry.name, entry.aliases);
    }
  }
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  answer out = {.json = args->json ? json_array() : NULL};
  roof_status status = ROOF_OK;
  if (search) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--search: `roofline plan MODEL` takes its place");
  } else if (train && analysis) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--analysis: of prefill and decoding, not of --train");
  } else if (args->word_count == 0 && !args->list) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "model: which model? give a config.json, a .gguf or .onnx file, a list of "
                            "operations, the folder that "
                            "holds a config.json, or a short name; `roofline model list` shows those");
  }
  if (status == ROOF_OK) {
    bool workload = !args->list && roof_workload_is(args->words[0]);
    status = (args->list ? list_models : workload ? answer_workload : answer_all)(args, &out, error);
  }
  status = status == ROOF_OK && !out.printed ? print_answer(args, &out, error) : status;
  json_decref(out.json);
  roof_text_done(&out.text);
  char *texts[] = {ledger_path, key_path, recompute};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  roof_sealings_done(&sealings);
  cli_model_run_done();
  cli_model_plan_options_done();
  return status;
}

static const cli_effect effects[] = {{.options = "*", .with = "list"},
                                     {.options = "csv", .with = "list"},
                                     {.options = "csv", .with = "analysis"},
                                     {.options = "ledger sign", .without = "seal"},
                                     {.options = "recompute", .without = "train"},
                                     {0}};

const cli_command cli_cmd_model = {
    .name = "model",
    .task = CLI_TASK_MODELS,
    .arguments = "CONFIG|GGUF|ONNX|LIST|NAME [key=value ...] | list",
    .summary =
        "a whole model from its config.json, GGUF or ONNX file: does it fit, how fast is it, where does "
        "the time go",
    .examples =
        "  roofline model config.json --machine h100\n"
        "  roofline model config.json batch=32 prompt=4k generate=512 tp=4 --machine h100 --precision fp8\n"
        "  roofline model llama-3.1-405b batch=64 --tp 8 --pp 2 --machine h100 --network ndr\n"
        "  roofline model llama-3.1-8b batch=16 prompt=1024 generate=256 --machine h100 --seal\n"
        "  roofline model llama-3.1-8b --machine a100 --machine h200 --json\n"
        "  roofline model resnet50.onnx batch=64 --dtype fp16 --machine a100\n"
        "  roofline model llama-3.1-8b batch=1..256*2 --precision bf16/fp8 --machine h100 --to batch.svg\n"
        "  roofline model llama-3.1-8b batch=16 --side-by-side --machine a100 --machine h100 --machine "
        "mi300x\n"
        "  roofline model qwen3-4b --precision w4a16 --machine orin-nano-super --analysis\n"
        "  roofline model llama-3.1-70b --train batch=256 --tp 8 --sp --dp 8 --zero 1 --recompute selective "
        "--machine h200\n"
        "Settings: batch prompt generate prefix sharers offload offload_kv offload_optimizer chunk draft "
        "accept "
        "tp pp dp ep cp expert_skew redundant_experts microbatches zero recompute interleave fuse lora "
        "tokens node page "
        "workspace memory_share price, images of a prompt, size steps guidance text of a diffusion model\n",
    .writes = "txt svg png pdf html json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_OPS | CLI_ARGS_MODEL | CLI_ARGS_BOTH | CLI_ARGS_LIST |
              CLI_ARGS_NAME | CLI_ARGS_PAGE,
    .options = options,
    .effects = effects,
    .run = run,
};
