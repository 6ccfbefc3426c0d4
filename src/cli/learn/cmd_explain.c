/* What a term means, worked on the user's numbers. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#include "roofline/explain.h"

static const char *example_machine[] = {"h100", NULL};

static roof_status list(const cli_args *args, roof_error *error) {
  roof_text out = {0};
  roof_status status = args->json ? roof_topics_write(&out, error) : ROOF_OK;
  if (!args->json) {
    roof_text_add(&out,
                  "explain TOPIC, worked on --machine's numbers; an operation's name is a topic too\n\n");
  }
  for (int i = 0; !args->json && roof_topic_at(i) != NULL; i++) {
    roof_text_addf(&out, "  %-22s %s\n", roof_topic_at(i)->name, roof_topic_at(i)->summary);
  }
  return cli_print_end(&out, status, error);
}

/** The machine named, else `host`, else an example: `*example` says which. */
static roof_status select_target(const cli_args *args, roof_targets *machines, bool *example,
                                 roof_error *error) {
  cli_args chosen = *args;
  roof_machine *host = NULL;
  *example = args->machines == NULL && roof_catalog_load("host", &host, NULL) == ROOF_E_NAME;
  roof_machine_free(host);
  if (*example) {
    chosen.machines = example_machine;
  }
  return cli_select_target(&chosen, "explain", machines, error);
}

/** A definition, whose lines are broken anew where the terminal is narrower than they are. */
static void add_definition(roof_text *out, const char *text) {
  enum { FULL = 60 }; /* a line of prose that goes on in the next */
  const size_t width = (size_t)cli_prose_screen(stdout).width;
  size_t widest = 0;
  for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
    widest = strcspn(line, "\n") > widest ? strcspn(line, "\n") : widest;
  }
  for (const char *line = text; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    roof_text_add_bytes(out, line, length);
    const char *next = line[length] != '\0' ? line + length + 1 : line + length;
    bool goes_on =
        width > 0 && widest > width && length > FULL && line[0] != ' ' && strchr(" \n", next[0]) == NULL;
    roof_text_add(out, goes_on ? " " : "\n");
    line = next;
  }
}

static void add_worked(roof_text *out, const roof_target *target, const roof_explanation *e, bool example) {
  roof_text_addf(out, "On %s%s\n%s", roof_machine_title(target->machine),
                 example ? " (an example: this machine is not measured yet; --machine names another)" : "",
                 e->worked.data);
}

/** Who gives a topic numbers of its own asks for what they come to: it stands first. */
static roof_status print(const cli_args *args, const roof_target *target, const roof_explanation *e,
                         bool example, bool asked, roof_error *error) {
  roof_text out = {0};
  roof_status status = args->json ? roof_explanation_write(target, e, &out, error) : ROOF_OK;
  bool worked = !args->json && e->worked.length > 0;
  if (worked && asked) {
    add_worked(&out, target, e, example);
    roof_text_add(&out, "\n");
  }
  if (!args->json) {
    add_definition(&out, e->text.data);
  }
  if (worked && !asked) {
    roof_text_add(&out, "\n");
    add_worked(&out, target, e, example);
  }
  return cli_print_end(&out, status, error);
}

/** What the words are about: the topic's own parameters, else an operation, named first. */
static roof_status read_shape(const cli_args *args, const roof_topic *topic, const char *const *words,
                              int count, roof_shape *shape, roof_error *error) {
  const roof_op *op = topic != NULL ? topic->own : NULL;
  if (op != NULL) {
    return roof_shape_parse(shape, op, words, count, NULL, error);
  }
  roof_status status = cli_select_op(args, words[0], &op, error);
  return status == ROOF_OK ? roof_shape_parse(shape, op, words + 1, count - 1, NULL, error) : status;
}

/** Explains `topic`, or the operation itself when it is NULL, on the shape in `words`. */
static roof_status explain(const cli_args *args, const roof_topic *topic, const char *const *words, int count,
                           roof_error *error) {
  roof_shape shape;
  roof_targets machines = {0};
  roof_explanation e = {0};
  bool example = false;
  roof_status status = read_shape(args, topic, words, count, &shape, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = select_target(args, &machines, &example, error);
  if (status == ROOF_OK && (topic != NULL || count > 1)) {
    status = roof_targets_check(&machines, &shape, error);
  }
  status = status == ROOF_OK ? roof_explain(&machines.targets[0], topic, &shape, &e, error) : status;
  bool asked = topic != NULL && topic->own != NULL && words != topic->example;
  status = status == ROOF_OK ? print(args, &machines.targets[0], &e, example, asked, error) : status;
  roof_explanation_done(&e);
  roof_targets_done(&machines);
  roof_shape_done(&shape);
  return status;
}

/** Finds the topic that the first word names, or the first two: `critical batch`; `*used`: how many. */
static roof_status find(const cli_args *args, const roof_topic **topic, int *used, roof_error *error) {
  char both[64];
  if (args->word_count > 1) {
    snprintf(both, sizeof both, "%s %s", args->words[0], args->words[1]);
    if (roof_topic_find(both, topic, NULL) == ROOF_OK) {
      *used = 2;
      return ROOF_OK;
    }
  }
  *used = 1;
  return roof_topic_find(args->words[0], topic, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  if (args->word_count == 0) {
    return list(args, error);
  }
  const roof_topic *topic = NULL;
  const roof_op *op = NULL;
  int used;
  roof_error why;
  roof_status status = find(args, &topic, &used, &why);
  if (status != ROOF_OK && cli_select_op(args, args->words[0], &op, NULL) != ROOF_OK) {
    return roof_error_set(error, status, "%s", why.message);
  }
  if (topic == NULL) {
    return explain(args, NULL, args->words, args->word_count, error);
  }
  if (args->word_count > used) {
    return explain(args, topic, args->words + used, args->word_count - used, error);
  }
  int words = 0;
  while (words < ROOF_TOPIC_WORDS && topic->example[words] != NULL) {
    words++;
  }
  return explain(args, topic, topic->example, words, error);
}

static const cli_effect effects[] = {{.options = "*", .without = "WORD"}, {.options = "csv"}, {0}};

const cli_command cli_cmd_explain = {
    .name = "explain",
    .task = CLI_TASK_LOOK_UP,
    .arguments = "[list | [show] TOPIC | OP] [OP key=value ...]",
    .summary = "what a term means, worked on your numbers",
    .examples = "  roofline explain\n"
                "  roofline explain ridge --machine h100 --dtype fp8\n"
                "  roofline explain critical-batch linear batch=1 in=4096 out=4096 --machine a100\n"
                "  roofline explain occupancy threads=256 registers=96 shared=40Ki --machine h100\n"
                "  roofline explain add n=4 --dtype bf16 --machine h100\n",
    .writes = "txt json",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL | CLI_ARGS_LIST | CLI_ARGS_NAME,
    .effects = effects,
    .run = run,
};
