/* Which machine, how many, in which precision and plan, at what price: what meets the limits, and why others fail. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/cluster/network.h"
#include "cli/model/model.h"
#include "cli/plan/plan.h"
#include "models/limits.h"
#include "models/step.h"
#include "roofline/simulate.h"

/** X(name, unit or word, text): settings of the run that are options as well. */
#define SETTINGS(X)                                                                                          \
  X(users, "requests at once, each followed by the next; else --rate, else as many as fit and pay")          \
  X(context, "tokens of a prompt")                                                                           \
  X(generate, "tokens generated after it")                                                                   \
  X(cp, "devices that share every sequence; default: as many as pay")                                        \
  X(node, "devices that the machine's own link joins; default: 8, of GB200 NVL72 all 72")                    \
  X(tokens, "with --train: of the whole run")                                                                \
  X(batch, "with --train: sequences of a step")

enum {
#define INDEX(name, text) SETTING_##name,
  SETTINGS(INDEX)
#undef INDEX
      SETTING_COUNT
};

static int train;
static char *typed[SETTING_COUNT], *rate, *ttft, *tpot, *percentile, *devices, *price, *energy_price,
    *network, *host, *host_memory, *mtbf, *checkpoint_rate, *launch;

static const struct poptOption load_options[] = {
#define OPTION(name, text) {#name, '\0', POPT_ARG_STRING, &typed[SETTING_##name], 0, text, "N"},
    SETTINGS(OPTION)
#undef OPTION
        {"rate", '\0', POPT_ARG_STRING, &rate, 0, "requests that come at random: 4/s, 240/min", "RATE"},
    POPT_TABLEEND};

static const struct poptOption options[] = {
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)load_options, 0, "Load:", NULL},
    {"ttft", '\0', POPT_ARG_STRING, &ttft, 0, "most time to the first token, for instance 500ms", "TIME"},
    {"tpot", '\0', POPT_ARG_STRING, &tpot, 0, "most time per token, for instance 20ms", "TIME"},
    {"percentile", '\0', POPT_ARG_STRING, &percentile, 0,
     "of the requests, that keep the limits; mean: on average; default: 90", "PERCENT"},
    {"devices", '\0', POPT_ARG_STRING, &devices, 0,
     "exactly so many; default: the cheapest number up to 8 nodes", "N"},
    {"price", '\0', POPT_ARG_STRING, &price, 0,
     "of one device and hour; of several machines h100=2.5,h200=3.5, or a file of them: "
     "machine,price,date,source",
     "PRICE"},
    {"energy-price", '\0', POPT_ARG_STRING, &energy_price, 0, "of a kWh, added to --price", "PRICE"},
    CLI_NETWORK_OPTION(network),
    {"train", '\0', POPT_ARG_NONE, &train, 0, "plans of a training step of batch x context tokens with Adam",
     NULL},
    {"mtbf", '\0', POPT_ARG_STRING, &mtbf, 0,
     "with --train --tokens: hours between failures of one device; default: 50676 (Llama 3's)", "HOURS"},
    {"checkpoint-rate", '\0', POPT_ARG_STRING, &checkpoint_rate, 0,
     "with --train --tokens: of one device into a checkpoint; default: 1GB/s", "RATE"},
    {"host", '\0', POPT_ARG_STRING, &host, 0,
     "one device of --machine and this processor together: layers or experts computed by it", "MACHINE"},
    {"host-memory", '\0', POPT_ARG_STRING, &host_memory, 0, "with --host: its memory, for instance 64GiB",
     "SIZE"},
    {"launch", '\0', POPT_ARG_STRING, &launch, 0,
     "what starts the best plan: a command of vllm, sglang, tensorrt-llm or llama.cpp, or a template for "
     "kubernetes or slurm",
     "ENGINE"},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)cli_model_run_options, 0, "Run:", NULL},
    POPT_TABLEEND};

/** What is asked, on which machines. */
typedef struct plan {
  roof_model model;
  roof_model_settings settings;
  roof_model_precisions precisions;
  roof_plan_limits limits;
  roof_machine **machines;
  roof_offer *offers;
  int count;
  roof_listed_price prices[ROOF_CHOICES_MAX];
  roof_engine engine; /**< of --launch */
} plan;

/** Settings as words. */
typedef struct words {
  const char **list;
  int count;
  char typed[SETTING_COUNT + 1][128]; /**< of options, the last of --price */
} words;

static bool prices_are_listed(void) {
  return price != NULL && roof_prices_are_listed(price);
}

/** The words, and what options of the same names say. */
static roof_status gather(const cli_args *args, words *w, roof_error *error) {
  w->list = calloc((size_t)args->word_count + SETTING_COUNT + 1, sizeof *w->list);
  if (w->list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "plan: out of memory");
  }
  for (int i = 1; i < args->word_count; i++) {
    w->list[w->count++] = args->words[i];
  }
  for (int i = 0; i <= SETTING_COUNT; i++) {
    const char *name = i < SETTING_COUNT ? load_options[i].longName : "price";
    const char *value = i < SETTING_COUNT ? typed[i] : prices_are_listed() ? NULL : price;
    if (value != NULL) {
      snprintf(w->typed[i], sizeof w->typed[i], "%s=%.100s", name, value);
      w->list[w->count++] = w->typed[i];
    }
  }
  return ROOF_OK;
}

static roof_status read_settings(const cli_args *args, plan *p, roof_error *error) {
  words w = {.count = 0};
  roof_model_settings *s = &p->settings;
  s->train = train != 0;
  s->price = prices_are_listed() ? 0 : s->price;
  roof_status status = gather(args, &w, error);
  status =
      status == ROOF_OK ? roof_plan_settings_read(&p->model, w.list, w.count, s, &p->limits, error) : status;
  free(w.list);
  return status == ROOF_OK && network != NULL ? cli_network_find(network, p->machines[0], &s->network, error)
                                              : status;
}

/** A price of all, or one each. */
static roof_status read_prices(plan *p, roof_error *error) {
  if (p->count > ROOF_CHOICES_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "plan: more than %d machines", ROOF_CHOICES_MAX);
  }
  roof_status status = prices_are_listed()
                           ? roof_catalog_prices(price, p->machines, p->count, p->prices, error)
                           : roof_price_of_one(p->settings.price, p->count, p->prices, error);
  for (int i = 0; i < p->count; i++) {
    p->offers[i] = (roof_offer){p->machines[i], p->prices[i].value};
  }
  return status;
}

static roof_status read_engine(roof_engine *engine, roof_error *error) {
  const char *names[ROOF_ENGINE_COUNT + 1] = {NULL};
  for (int i = 0; i < ROOF_ENGINE_COUNT; i++) {
    names[i] = roof_engine_name((roof_engine)i);
    if (launch == NULL || strcmp(launch, names[i]) == 0) {
      *engine = (roof_engine)i;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "--launch: engine", launch, names, NULL);
}

/** Memory as the engine that is launched takes it, unless its share was typed. */
static void follow_engine(plan *p) {
  bool typed_share = p->settings.memory_share != ROOF_ENGINE_MEMORY_SHARE;
  roof_memory_rule rule;
  if (launch != NULL && !typed_share && roof_memory_rule_parse(launch, &rule, NULL) == ROOF_OK) {
    p->settings.memory_rule = rule;
  }
}

static roof_status read_question(const cli_args *args, plan *p, roof_error *error) {
  const roof_plan_limits_text limits = {.devices = devices,
                                        .ttft = ttft,
                                        .tpot = tpot,
                                        .rate = rate,
                                        .percentile = percentile,
                                        .energy_price = energy_price};
  roof_status status = cli_model_run_load(args, &p->model, error);
  status = status == ROOF_OK ? cli_model_run_settings(args, &p->model, !train, &p->settings, error) : status;
  status = status == ROOF_OK ? cli_select_machines(args, &p->machines, &p->count, error) : status;
  status = status == ROOF_OK ? cli_network_wait(network, p->machines, p->count, true, error) : status;
  status = status == ROOF_OK ? roof_plan_limits_read(&limits, &p->limits, error) : status;
  status = status == ROOF_OK ? read_settings(args, p, error) : status;
  status = status == ROOF_OK ? read_engine(&p->engine, error) : status;
  follow_engine(p);
  p->offers = status == ROOF_OK ? calloc((size_t)p->count, sizeof *p->offers) : NULL;
  if (status == ROOF_OK && p->offers == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "plan: out of memory");
  }
  status = status == ROOF_OK ? read_prices(p, error) : status;
  cli_model_run_note(&p->model, &p->settings.precision);
  return status == ROOF_OK ? roof_model_precisions_parse(train ? NULL : cli_model_run_precision(),
                                                         &p->settings.precision, &p->precisions, error)
                           : status;
}

static roof_status draw_front(const void *front, int width, roof_text *out, roof_error *error) {
  return roof_draw_front_svg(front, width, out, error);
}

static roof_status draw(const cli_args *args, const roof_choice_question *q, const roof_choices *all,
                        roof_error *error) {
  static roof_front chart;
  roof_choices_chart(q, all, &chart);
  return cli_chart_write(args, roof_model_title(q->model), draw_front, &chart, &(roof_table){0}, error);
}

/** Commands over several lines, remarks and templates as they are. */
static void add_commands(roof_text *out, char *commands, bool template) {
  char *rest = NULL;
  roof_text_add(out, "\n");
  if (template) {
    roof_text_add(out, commands);
    return;
  }
  for (char *line = strtok_r(commands, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    if (line[0] == '#') {
      roof_text_addf(out, "  %s\n", line);
    } else {
      cli_plan_add_command(out, line);
    }
  }
}

/** What starts the plan that is named first: two pools where they pay and the engine has them. */
static roof_status add_launch(roof_text *out, const plan *p, const roof_choice_question *q,
                              const roof_choices *all, const roof_apart *apart, const char *served,
                              roof_error *error) {
  roof_text commands = {0};
  roof_status status = ROOF_OK;
  roof_error why = {0};
  bool pools = roof_apart_pays(q, all, apart);
  if (launch == NULL || (all->meeting == 0 && !pools)) {
    return ROOF_OK;
  }
  if (pools) {
    status = roof_apart_launch(q, apart, p->engine, served, &commands, &why);
    pools = status != ROOF_E_UNSUPPORTED || all->meeting == 0;
    roof_error_set(error, status, "%s", why.message);
  }
  status = pools ? status : roof_choice_launch(q, &all->list[0], p->engine, served, &commands, error);
  if (status == ROOF_OK && commands.length > 0) {
    bool template = p->engine == ROOF_ENGINE_KUBERNETES || p->engine == ROOF_ENGINE_SLURM;
    bool apart_each = p->engine == ROOF_ENGINE_TENSORRT_LLM || p->engine == ROOF_ENGINE_LLAMA_CPP;
    if (why.message[0] != '\0') {
      roof_text_addf(out, "\n  started together: %s\n", why.message);
    }
    add_commands(out, commands.data, template);
    if (apart_each && !pools && all->list[0].point.dp > 1) {
      roof_text_addf(out, "  on each of %.0f replicas\n", all->list[0].point.dp);
    }
  }
  roof_text_done(&commands);
  return status;
}

/** Prices that were read, each with where and when. */
static void add_prices(roof_text *out, const plan *p) {
  for (int i = 0; i < p->count; i++) {
    const roof_listed_price *one = &p->prices[i];
    if (one->source[0] != '\0') {
      roof_text_addf(out, "\nprice of %s %.6g: %s, %s", p->machines[i]->name, one->value, one->source,
                     one->date);
    } else if (isnan(one->value) && prices_are_listed()) {
      roof_text_addf(out, "\nprice of %s: not given", p->machines[i]->name);
    }
  }
  roof_text_add(out, prices_are_listed() ? "\n" : "");
}

static roof_status answer_serving(const cli_args *args, plan *p, roof_error *error) {
  static roof_choices choices;
  roof_apart apart = {.found = false};
  roof_service_answer served = {.requests = 0};
  const roof_choice_question q = {&p->model, &p->settings, &p->precisions, p->offers, p->count, p->limits};
  roof_text out = {0};
  roof_status status = roof_choices_of(&q, &choices, error);
  status = status == ROOF_OK ? roof_apart_simulated_of(&q, &apart, error) : status;
  bool simulated = false;
  status = status == ROOF_OK ? roof_choices_simulate(&q, &choices, &served, &simulated, error) : status;
  if (status == ROOF_OK && cli_chart_is_wanted(args)) {
    status = cli_chart_or_none(args, draw(args, &q, &choices, error));
  }
  if (status == ROOF_OK && args->json) {
    status = roof_choices_simulated_write(&q, &choices, &apart, simulated ? &served : NULL, p->prices,
                                          args->words[0], &out, error);
    status = status == ROOF_OK ? cli_network_set_text(&out, p->machines[0], error) : status;
  } else if (status == ROOF_OK && args->csv) {
    cli_plan_csv(&out, &q, &choices);
  } else if (status == ROOF_OK) {
    cli_plan_text(&out, &q, &choices, &apart);
    add_prices(&out, p);
    status = add_launch(&out, p, &q, &choices, &apart, args->words[0], error);
  }
  status = status == ROOF_OK ? cli_network_add_note(args, &out, error) : status;
  status = cli_print_end(&out, status, error);
  return status == ROOF_OK && choices.meeting == 0 && !apart.found ? ROOF_E_GATE : status;
}

/** What plans of training have no use for. */
static roof_status refuse_with_training(const cli_args *args, roof_error *error) {
  const char *formats = cli_model_run_precision();
  const char *option = args->file != NULL                                ? "to"
                       : args->csv                                       ? "csv"
                       : formats != NULL && strchr(formats, '/') != NULL ? "precision"
                                                                         : NULL;
  return option == NULL
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "--%s: of plans for serving; those of --train have one step time", option);
}

static roof_status answer_training(const cli_args *args, plan *p, roof_error *error) {
  roof_text out = {0};
  json_t *list = args->json ? json_array() : NULL;
  bool missed = false;
  roof_failure_settings failures = roof_failure_settings_default();
  roof_status status = refuse_with_training(args, error);
  status = status == ROOF_OK ? roof_failure_settings_read(mtbf, checkpoint_rate, &failures, error) : status;
  for (int i = 0; i < p->count && status == ROOF_OK; i++) {
    p->settings.price = p->offers[i].price;
    p->settings.listed = &p->prices[i];
    double node = isnan(p->settings.node) ? roof_node_devices(p->machines[i]) : p->settings.node;
    double all = p->limits.devices > 0 ? p->limits.devices : node;
    status = p->count == 1 ? rf_model_network_check(p->settings.network, all, node, error) : status;
    status = status == ROOF_OK ? cli_plan_train(args, &p->model, p->machines[i], &p->settings, all, &failures,
                                                &out, list, &missed, error)
                               : status;
    cli_network_set(json_array_get(list, (size_t)i), p->machines[i]);
  }
  if (args->json && status == ROOF_OK) {
    status = cli_json_print(
        p->count == 1 ? json_incref(json_array_get(list, 0))
                      : json_pack("{s:s, s:O}", "schema", "roofline.train_plans_list/1", "plans", list),
        error);
  }
  json_decref(list);
  status = status == ROOF_OK ? cli_network_add_note(args, &out, error) : status;
  status = args->json ? status : cli_print_end(&out, status, error);
  return status == ROOF_OK && missed ? ROOF_E_GATE : status;
}

/** One device and its host. */
static roof_status answer_hybrid(const cli_args *args, plan *p, roof_error *error) {
  roof_machine *processor = NULL;
  bool missed = false;
  roof_hybrid_question q = {&p->model, &p->settings, NULL, NULL, NAN};
  roof_status status = args->file != NULL || p->precisions.count > 1
                           ? roof_error_set(error, ROOF_E_ARGUMENT, "--host: one precision, and no drawing")
                           : rf_limit_parse(host_memory, "B", "host-memory", &q.host_bytes, error);
  status = status == ROOF_OK ? roof_catalog_load(host, &processor, error) : status;
  q.host = processor;
  p->settings.precision = p->precisions.list[0];
  status = status == ROOF_OK
               ? cli_plan_hybrid(args, &q, p->machines, p->count, p->precisions.names[0], &missed, error)
               : status;
  roof_machine_free(processor);
  return status == ROOF_OK && missed ? ROOF_E_GATE : status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  static plan p;
  roof_status status =
      args->word_count > 0
          ? read_question(args, &p, error)
          : roof_error_set(error, ROOF_E_ARGUMENT,
                           "plan: which model? give a config.json, a .gguf file or a short name; `roofline "
                           "model list` shows those");
  roof_status (*const answer)(const cli_args *, plan *, roof_error *) = train          ? answer_training
                                                                        : host != NULL ? answer_hybrid
                                                                                       : answer_serving;
  status = status == ROOF_OK ? answer(args, &p, error) : status;
  roof_machines_free(p.machines, p.count);
  free(p.offers);
  char *texts[] = {rate,    ttft, tpot,        percentile, devices,         price, energy_price,
                   network, host, host_memory, mtbf,       checkpoint_rate, launch};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  for (int i = 0; i < SETTING_COUNT; i++) {
    free(typed[i]);
  }
  cli_model_run_done();
  return status;
}

static const cli_effect effects[] = {
    {.options = "users rate ttft tpot percentile launch energy-price", .with = "train"},
    {.options = "energy-price", .without = "price"},
    {.options = "tokens batch mtbf checkpoint-rate", .without = "train"},
    {.options = "mtbf checkpoint-rate", .without = "tokens"},
    {.options = "rate ttft tpot percentile launch energy-price price devices network cp node train",
     .with = "host"},
    {.options = "host-memory", .without = "host"},
    {0}};

const cli_command cli_cmd_plan = {
    .name = "plan",
    .task = CLI_TASK_MODELS,
    .arguments = "MODEL [key=value ...]",
    .summary =
        "which machine, how many, in which precision and parallel plan, at what price, for a load and its "
        "limits",
    .examples =
        "  roofline plan llama-3.1-70b --users 50 --context 8k --tpot 80ms --ttft 5s --machine "
        "h100,h200,b200 "
        "--price h100=2.5,h200=3.5,b200=5\n"
        "  roofline plan llama-3.1-70b --rate 4/s --context 2k --generate 500 --tpot 50ms --precision "
        "bf16/fp8 "
        "--machine h100 --launch vllm\n"
        "  roofline plan llama-3.1-70b --devices 16 --ttft 1s --tpot 25ms --machine h100 --to front.svg\n"
        "  roofline plan llama-3.1-70b --train --tokens 15T --batch 1024 --context 8k --devices 512 --price "
        "2.5 "
        "--machine h100\n"
        "  roofline plan qwen3-30b-a3b --precision w4a16 --context 8k --machine rtx-4090 --host "
        "amd-epyc-9654\n"
        "Settings: users context prompt generate prefix sharers offload offload_kv chunk draft accept cp "
        "node "
        "page workspace memory_share; with --train batch tokens interleave lora offload_optimizer\n",
    .writes = "txt svg png pdf html json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_OPS | CLI_ARGS_MODEL | CLI_ARGS_BOTH | CLI_ARGS_PAGE,
    .options = options,
    .effects = effects,
    .run = run,
};
