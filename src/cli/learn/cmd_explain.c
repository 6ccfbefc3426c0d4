/* What a term means, worked on the user's numbers. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

#include "roofline/explain.h"

enum { TOPIC_MAX = 64, OP_MAX = 192 };

static const char *example_machine[] = {"h100", NULL};

static roof_status list(const cli_args *args, roof_error *error) {
  if (args->json) {
    json_t *names = json_array();
    for (int i = 0; roof_topic_at(i) != NULL; i++) {
      json_array_append_new(names, json_string(roof_topic_at(i)->name));
    }
    return cli_json_print(json_pack("{s:s, s:o}", "schema", "roofline.topics/1", "topics", names), error);
  }
  roof_text out = {0};
  roof_text_add(&out, "explain TOPIC, worked on --machine's numbers; an operation's name is a topic too\n\n");
  for (int i = 0; roof_topic_at(i) != NULL; i++) {
    roof_text_addf(&out, "  %-22s %s\n", roof_topic_at(i)->name, roof_topic_at(i)->summary);
  }
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status no_topic(const char *name, roof_error *error) {
  const char *names[TOPIC_MAX + OP_MAX + 1] = {NULL};
  int count = 0;
  for (int i = 0; roof_topic_at(i) != NULL && count < TOPIC_MAX; i++) {
    names[count++] = roof_topic_at(i)->name;
  }
  for (int i = 0; i < roof_op_count() && count < TOPIC_MAX + OP_MAX; i++) {
    names[count++] = roof_op_at(i)->name;
  }
  return roof_error_unknown(error, "topic", name, names, "`roofline explain` lists them");
}

/** The machine named, else `host`, else an example: `*example` says which. */
static roof_status select_target(const cli_args *args, cli_targets *machines, bool *example,
                                 roof_error *error) {
  cli_args chosen = *args;
  roof_machine *host = NULL;
  *example = args->machines == NULL && roof_catalog_load("host", &host, NULL) == ROOF_E_NAME;
  roof_machine_free(host);
  if (*example) {
    chosen.machines = example_machine;
  }
  return cli_select_targets(&chosen, machines, error);
}

/** "12 numbers of 2 bytes = 24 bytes", where all numbers are of one format. */
static void add_count(roof_text *out, const roof_lesson *l) {
  const roof_types *t = &l->target->types;
  const roof_prediction *p = &l->prediction;
  double size = roof_dtype_bytes(t->compute);
  if (t->weights != t->compute || t->output != t->compute || t->kv != t->compute || p->bytes <= 0) {
    return;
  }
  roof_text_addf(out, "\n  %.15g numbers of %g bytes = %.15g bytes; %.15g FLOP / %.15g bytes = %.3g FLOP/B",
                 p->bytes / size, size, p->bytes, p->work.flops, p->bytes, p->intensity);
  if (p->work.flops > 0 && !isnan(p->ridge)) {
    double factor = p->intensity / p->ridge;
    roof_text_addf(out, ", %.4gx %s of the ridge", factor >= 1 ? factor : 1 / factor,
                   factor >= 1 ? "right" : "left");
  }
  roof_text_add(out, "\n");
}

static void add_op(roof_text *text, roof_text *worked, const roof_lesson *l, bool complete) {
  const roof_op *op = l->op;
  roof_text_addf(text, "%s: %s\n    FLOP  = %s\n    bytes = %s\n", op->name, op->summary, op->flops,
                 op->bytes);
  if (op->link != NULL) {
    roof_text_addf(text, "    link  = %s\n", op->link);
  }
  roof_text_add(text, "a, w, o, kv are bytes per element of activations, weights, result and KV cache.");
  if (!complete) {
    roof_text_add(text, "\nGive");
    for (int i = 0; i < roof_op_param_count(op); i++) {
      if (isnan(op->params[i].fallback) && op->params[i].same_as == NULL) {
        roof_text_addf(text, " %s=...", op->params[i].name);
      }
    }
    roof_text_add(text, " to see it worked.");
    return;
  }
  add_count(worked, l);
  roof_explain_prediction(worked, l->target, op, l->values, &l->prediction);
}

static roof_status print_lesson(const cli_args *args, const char *topic, const roof_text *text,
                                const roof_text *worked, const roof_target *target, bool example,
                                roof_error *error) {
  if (args->json) {
    return cli_json_print(json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "schema", "roofline.explanation/1",
                                    "topic", topic, "text", text->data, "worked",
                                    worked->data ? worked->data : "", "machine", target->machine->name,
                                    "dtype", roof_dtype_name(target->types.compute)),
                          error);
  }
  roof_text out = {0};
  roof_text_addf(&out, "%s\n", text->data != NULL ? text->data : "");
  if (worked->length > 0) {
    roof_text_addf(&out, "\nOn %s%s\n%s", roof_machine_title(target->machine),
                   example ? " (an example: this machine is not measured yet; --machine names another)" : "",
                   worked->data);
  }
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

/** Explains `topic`, or the operation itself when it is NULL, on the shape in `words`. */
static roof_status explain(const cli_args *args, const roof_topic *topic, const char *const *words, int count,
                           roof_error *error) {
  roof_lesson l = {.op = NULL};
  roof_shape shape;
  double values[ROOF_PARAM_MAX];
  bool example = false;
  roof_status status = cli_select_op(args, words[0], &l.op, error);
  status = status == ROOF_OK ? roof_shape_parse(&shape, l.op, words + 1, count - 1, NULL, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  cli_targets machines = {0};
  bool complete = topic != NULL || count > 1;
  status =
      shape.points > 1 ? roof_error_set(error, ROOF_E_ARGUMENT, "explain: one shape at a time") : ROOF_OK;
  status = status == ROOF_OK && complete ? roof_shape_point(&shape, 0, values, error) : status;
  status = status == ROOF_OK ? select_target(args, &machines, &example, error) : status;
  if (status == ROOF_OK) {
    roof_text text = {0}, worked = {0};
    l.target = &machines.targets[0];
    l.typed = shape.values;
    l.values = values;
    if (complete) {
      roof_predict(l.target, l.op, values, &l.prediction);
    }
    if (topic == NULL) {
      add_op(&text, &worked, &l, complete);
    } else {
      roof_text_add(&text, topic->text);
      if (topic->worked != NULL) {
        topic->worked(&worked, &l);
      }
    }
    status = print_lesson(args, topic != NULL ? topic->name : l.op->name, &text, &worked, l.target, example,
                          error);
    roof_text_done(&text);
    roof_text_done(&worked);
  }
  cli_targets_done(&machines);
  roof_shape_done(&shape);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  if (args->csv) {
    return cli_args_no_csv("explain", error);
  }
  if (args->word_count == 0) {
    return list(args, error);
  }
  const roof_topic *topic = roof_topic_find(args->words[0]);
  const roof_op *op = NULL;
  if (topic == NULL && cli_select_op(args, args->words[0], &op, NULL) != ROOF_OK) {
    return no_topic(args->words[0], error);
  }
  if (topic == NULL) {
    return explain(args, NULL, args->words, args->word_count, error);
  }
  if (args->word_count > 1) {
    return explain(args, topic, args->words + 1, args->word_count - 1, error);
  }
  int words = 0;
  while (words < ROOF_TOPIC_WORDS && topic->example[words] != NULL) {
    words++;
  }
  return explain(args, topic, topic->example, words, error);
}

const cli_command cli_cmd_explain = {
    .name = "explain",
    .arguments = "[TOPIC | OP] [OP key=value ...]",
    .summary = "what a term means, worked on your numbers",
    .examples = "  roofline explain\n"
                "  roofline explain ridge --machine h100 --dtype fp8\n"
                "  roofline explain critical-batch linear batch=1 in=4096 out=4096 --machine a100\n"
                "  roofline explain add n=4 --dtype bf16 --machine h100\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL,
    .run = run,
};
