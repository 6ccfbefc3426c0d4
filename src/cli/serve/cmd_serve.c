/* A model as a service under load: requests arrive, wait, are batched, and leave. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/serve/serve.h"
#include "roofline/catalog.h"
#include "roofline/model_sweep.h"
#include "roofline/plan.h"
#include "roofline/weights.h"

static int timeline;
static char *plan, *precision, *dtype, *kv, *network, *price, *drafter, *engine, *experts, *pool_plan,
    *pool_machine;
static const struct poptOption options[] = {
    {"plan", '\0', POPT_ARG_STRING, &plan, 0, "settings in one word: tp=8,dp=2", "LIST"},
    {"precision", 'p', POPT_ARG_STRING, &precision, 0,
     CLI_WEIGHTS_TEXT "; default: as the config stores them", "FORMAT"},
    {"dtype", 'd', POPT_ARG_STRING, &dtype, 0, "activations; default: the config's", "TYPE"},
    {"kv", '\0', POPT_ARG_STRING, &kv, 0, "stored keys and values; default: as activations", "TYPE"},
    {"network", '\0', POPT_ARG_STRING, &network, 0, "link between nodes: ndr hdr ...; default: ndr", "LINK"},
    {"price", '\0', POPT_ARG_STRING, &price, 0,
     "of one device and hour, for the cost of a million tokens; or of machines, or a file, as for `plan`",
     "N"},
    {"drafter", '\0', POPT_ARG_STRING, &drafter, 0,
     "the model that drafts draft= tokens, on the same devices; default: drafting takes no time", "MODEL"},
    {"engine", '\0', POPT_ARG_STRING, &engine, 0,
     "whose rule gives the cache its memory: vllm, sglang or tensorrt-llm; default: vllm", "ENGINE"},
    {"experts", '\0', POPT_ARG_STRING, &experts, 0,
     "how often each expert is chosen: a file of numbers, one for each; default: expert_skew= says it",
     "FILE"},
    {"prefill-plan", '\0', POPT_ARG_STRING, &pool_plan, 0,
     "a pool of its own that processes prompts, as --plan, and hands over to the replicas of --plan", "LIST"},
    {"prefill-machine", '\0', POPT_ARG_STRING, &pool_machine, 0, "of that pool; default: as --machine",
     "NAME|FILE"},
    {"timeline", '\0', POPT_ARG_NONE, &timeline, 0,
     "one run over time: what waits, what generates, the cache, preemptions; drawn with --to", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)cli_serve_load_options, 0, "Load:", NULL},
    POPT_TABLEEND};

/** Settings as words: those of --plan, the others, the price. */
typedef struct words {
  const char **list;
  int count;
  char *copy; /**< of --plan, cut into words */
  char price[64];
} words;

/** Replicas of one plan on one machine. */
typedef struct replicas {
  words words;
  roof_listed_price listed;
  roof_model_target target;
} replicas;

static roof_status gather(const cli_args *args, const char *typed, words *w, roof_error *error) {
  size_t most = (size_t)args->word_count + 2 + (typed != NULL ? strlen(typed) : 0);
  char *rest = NULL;
  w->list = calloc(most, sizeof *w->list);
  w->copy = strdup(typed != NULL ? typed : "");
  if (w->list == NULL || w->copy == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
  }
  for (char *word = strtok_r(w->copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
    w->list[w->count++] = word;
  }
  for (int i = 1; i < args->word_count; i++) {
    w->list[w->count++] = args->words[i];
  }
  if (price != NULL && !roof_prices_are_listed(price)) {
    snprintf(w->price, sizeof w->price, "price=%.50s", price);
    w->list[w->count++] = w->price;
  }
  return ROOF_OK;
}

static roof_status select_precision(roof_model_precision *p, roof_error *error) {
  roof_status status = dtype != NULL ? roof_model_precision_read(dtype, p, error) : ROOF_OK;
  status = status == ROOF_OK && precision != NULL ? roof_model_precision_parse(precision, p, error) : status;
  return status == ROOF_OK && kv != NULL ? roof_dtype_parse_scaled(kv, &p->kv, error) : status;
}

static roof_status select_settings(const cli_args *args, const char *list, const roof_model *model,
                                   const roof_machine *machine, words *w, roof_model_settings *s,
                                   roof_service_text *typed, roof_error *error) {
  *s = roof_model_settings_default(model);
  roof_status status = cli_select_options(args, &s->options, error);
  s->kernel_seconds = s->options.launch;
  status = status == ROOF_OK ? select_precision(&s->precision, error) : status;
  status =
      status == ROOF_OK && engine != NULL ? roof_memory_rule_parse(engine, &s->memory_rule, error) : status;
  status = status == ROOF_OK ? gather(args, list, w, error) : status;
  status = status == ROOF_OK ? roof_service_settings_read(w->list, w->count, s, typed, error) : status;
  status =
      status == ROOF_OK && network != NULL ? roof_network_find(network, machine, &s->network, error) : status;
  bool pools = pool_plan != NULL || pool_machine != NULL; /* what one has no use for, the other may have */
  return status == ROOF_OK && !pools ? roof_model_settings_check(model, s, machine, false, NULL, error)
                                     : status;
}

/** How often experts are chosen, where a file says it. */
static roof_status select_experts(roof_model_settings *s, roof_error *error) {
  static double shares[ROOF_EXPERT_SHARES_MAX];
  roof_status status =
      experts != NULL ? roof_expert_shares_read(experts, shares, &s->expert_count, error) : ROOF_OK;
  s->expert_shares = experts != NULL ? shares : NULL;
  return status;
}

/** The prices of the machines, where they are listed; `pool` may be NULL. */
static roof_status select_prices(replicas *own, replicas *pool, roof_error *error) {
  replicas *const all[] = {own, pool};
  roof_machine *machines[2];
  roof_listed_price listed[2];
  int count = pool != NULL ? 2 : 1;
  bool read = price != NULL && roof_prices_are_listed(price);
  for (int i = 0; i < count; i++) {
    machines[i] = (roof_machine *)(uintptr_t)all[i]->target.machine;
    listed[i] = (roof_listed_price){.value = all[i]->target.settings.price};
  }
  roof_status status = read ? roof_catalog_prices(price, machines, count, listed, error) : ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    all[i]->listed = listed[i];
    all[i]->target.settings.price = listed[i].value;
    all[i]->target.settings.listed = &all[i]->listed;
  }
  return status;
}

/** Room for what a run is like over time, where it is asked for. */
static roof_status add_timeline(const cli_args *args, roof_service_study *s, roof_error *error) {
  static roof_service_timeline room;
  if (!timeline) {
    return ROOF_OK;
  }
  if (s->count > 1 || !(args->json || cli_chart_is_wanted(args))) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          s->count > 1 ? "--timeline: of one rate" : "--timeline: with --to FILE or --json");
  }
  s->settings.timeline = &room;
  return ROOF_OK;
}

static roof_status draw(const cli_args *args, const roof_service_study *s, roof_error *error) {
  roof_curves *curves = cli_chart_room();
  roof_status status = roof_service_study_chart(s, curves, error);
  const char *title = s->settings.timeline != NULL ? "Times" : "Rates";
  status = status == ROOF_OK ? cli_chart_write_curves(args, curves, title, NULL, error) : status;
  return status;
}

static roof_status answer(const cli_args *args, roof_service_study *s, roof_error *error) {
  roof_text out = {0};
  if (cli_chart_is_wanted(args)) {
    roof_status status = cli_chart_or_none(args, draw(args, s, error));
    if (status != ROOF_OK || args->page == NULL) {
      return status;
    }
  }
  if (args->json) {
    roof_status status = roof_service_study_write(s, &out, error);
    return cli_print_end(&out, status, error);
  }
  (args->csv ? cli_serve_csv : cli_serve_text)(&out, s);
  return cli_print_end(&out, ROOF_OK, error);
}

/** The model that drafts; `model` is room for it. */
static roof_status add_drafter(roof_model *model, roof_service_study *s, roof_error *error) {
  roof_status status = roof_model_load(drafter, model, error);
  return status == ROOF_OK ? roof_service_study_draft(s, model, error) : status;
}

static roof_status run_study(const cli_args *args, roof_model *models, roof_service_study *s,
                             roof_error *error) {
  roof_status status = drafter != NULL ? add_drafter(&models[1], s, error) : ROOF_OK;
  status = status == ROOF_OK ? add_timeline(args, s, error) : status;
  status = status == ROOF_OK ? roof_service_study_run(s, error) : status;
  return status == ROOF_OK ? answer(args, s, error) : status;
}

static roof_status select_replicas(const cli_args *args, const char *list, const roof_model *model,
                                   const roof_machine *machine, replicas *r, roof_service_text *typed,
                                   roof_error *error) {
  roof_model_settings s;
  roof_status status = select_settings(args, list, model, machine, &r->words, &s, typed, error);
  status = status == ROOF_OK ? select_experts(&s, error) : status;
  return status == ROOF_OK ? roof_service_target_init(&r->target, model, machine, &s, error) : status;
}

/** The pool for prompts: what is wrong with it is said of it. */
static roof_status select_pool(const cli_args *args, const roof_model *model, const roof_machine *machine,
                               replicas *pool, roof_service_text *typed, roof_error *error) {
  roof_error why = {0};
  roof_status status = select_replicas(args, pool_plan, model, machine, pool, typed, &why);
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "--prefill-plan: %s", why.message);
}

static void replicas_done(replicas *r) {
  free(r->words.list);
  free(r->words.copy);
  *r = (replicas){0};
}

static roof_status check_route(const roof_service_text *typed, const replicas *own, bool has_pool,
                               roof_error *error) {
  bool one = own->target.settings.dp == 1 && !has_pool;
  roof_routing routing;
  roof_status status = typed->route != NULL ? roof_routing_parse(typed->route, &routing, error) : ROOF_OK;
  return status == ROOF_OK && typed->route != NULL && one
             ? roof_error_set(error, ROOF_E_ARGUMENT,
                              "--route: has no effect with one replica; dp= says how many")
             : status;
}

/** The machines: that which generates, and that of a pool for prompts, or NULL. */
static roof_status serve_on(const cli_args *args, roof_model *models, const roof_machine *machine,
                            const roof_machine *prefill, roof_error *error) {
  static replicas own, pool;
  roof_service_text typed = {0};
  roof_service_study s;
  cli_serve_load(&typed);
  bool has_pool = prefill != NULL;
  roof_status status = has_pool ? select_pool(args, models, prefill, &pool, &typed, error) : ROOF_OK;
  status = status == ROOF_OK ? select_replicas(args, plan, models, machine, &own, &typed, error) : status;
  status = status == ROOF_OK ? check_route(&typed, &own, has_pool, error) : status;
  status = status == ROOF_OK ? select_prices(&own, has_pool ? &pool : NULL, error) : status;
  status = status == ROOF_OK ? roof_service_study_init(&s, &own.target, &typed, error) : status;
  if (status == ROOF_OK) {
    status = has_pool ? roof_service_study_prefill(&s, &pool.target, error) : ROOF_OK;
    status = status == ROOF_OK ? run_study(args, models, &s, error) : status;
    roof_service_study_done(&s);
  }
  replicas_done(&own);
  replicas_done(&pool);
  return status;
}

/** With a pool for prompts its machine, which is the other one where none is named. */
static roof_status serve_with(const cli_args *args, roof_model *models, const roof_machine *machine,
                              roof_error *error) {
  const char *names[] = {pool_machine, NULL};
  cli_args of_pool = *args;
  roof_machine *prefill = NULL;
  if (pool_machine == NULL) {
    return serve_on(args, models, machine, pool_plan != NULL ? machine : NULL, error);
  }
  of_pool.machines = names;
  roof_status status = cli_select_machine(&of_pool, "serve", &prefill, error);
  status = status == ROOF_OK ? serve_on(args, models, machine, prefill, error) : status;
  roof_machine_free(prefill);
  return status;
}

/** `models` is room for two: the second drafts. */
static roof_status serve_words(const cli_args *args, roof_model *models, roof_error *error) {
  roof_machine *machine = NULL;
  if (args->word_count == 0) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "serve: which model? give a config.json, the folder that holds one, or a short name; "
        "`roofline model list` shows those");
  }
  roof_status status = roof_model_load(args->words[0], models, error);
  status = status == ROOF_OK ? cli_select_machine(args, "serve", &machine, error) : status;
  status = status == ROOF_OK ? serve_with(args, models, machine, error) : status;
  roof_machine_free(machine);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_model *models = malloc(2 * sizeof *models);
  roof_status status = models != NULL ? serve_words(args, models, error)
                                      : roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
  free(models);
  char *const texts[] = {plan,    precision, dtype,   kv,        network,     price,
                         drafter, engine,    experts, pool_plan, pool_machine};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  cli_serve_load_done();
  return status;
}

static const cli_effect effects[] = {{.options = "speed", .without = "trace"},
                                     {.options = "turns turn-delay", .with = "trace"},
                                     {.options = "turn-delay", .without = "turns"},
                                     {.options = "arrivals burstiness", .with = "trace"},
                                     {.options = "arrivals burstiness", .with = "concurrency"},
                                     {.options = "prefill", .with = "prefill-plan"},
                                     {.options = "prefill", .with = "prefill-machine"},
                                     {0}};

const cli_command cli_cmd_serve = {
    .name = "serve",
    .task = CLI_TASK_MODELS,
    .arguments = "CONFIG|GGUF|NAME [key=value ...]",
    .summary =
        "a model as a service under load: queue, TTFT, TPOT at 50, 90, 99 %, and the rate that is too much",
    .examples =
        "  roofline serve llama-3.1-8b --machine h100 --rate 4/s prompt=1024 generate=256\n"
        "  roofline serve llama-3.1-70b --machine h100 --plan tp=8 --rate 4/s --ttft 500ms --tpot 50ms "
        "--price 2.5\n"
        "  roofline serve llama-3.1-8b --machine h100 prompt=lognormal:1024:0.8 generate=exponential:256 "
        "--burstiness 0.5\n"
        "  roofline serve llama-3.1-8b --machine h100 --rate 1..16*2 --to rates.svg\n"
        "  roofline serve llama-3.1-8b --machine h100 --rate 20 --timeline --to run.svg\n"
        "  roofline serve llama-3.1-8b --machine h100 --concurrency 64\n"
        "  roofline serve llama-3.1-8b --machine h100 --plan dp=4 --prefill 1 --rate 20/s\n"
        "  roofline serve llama-3.1-70b --machine h200 --plan tp=4 --prefill-machine h100 --prefill-plan "
        "tp=2,dp=3\n"
        "  roofline serve qwen3-4b --machine h100 --trace mooncake_trace.jsonl --plan dp=2 --route prefix\n"
        "Settings: batch (most sequences of a replica at once) chunk (tokens of a step) prompt generate "
        "prefix (of all prompts) draft accept tp pp dp "
        "ep cp expert_skew redundant_experts node page workspace memory_share price adapters rank slots "
        "adapter_skew (LoRA: how many, "
        "their "
        "rank, how many at once on a device, exponent of Zipf's law by which they are asked for)\n",
    .writes = "txt svg png pdf html json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_MODEL | CLI_ARGS_PAGE,
    .options = options,
    .effects = effects,
    .run = run,
};
