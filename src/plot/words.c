/* Words as a scene: machines in their formats, then operations, files, graphs and models on them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/graphs.h"
#include "roofline/plot.h"
#include "roofline/weights.h"

/** A scene being filled: the machines' ceilings resolved. */
typedef struct chart {
  const roof_plot *plot;
  roof_scene *scene;
  roof_target *targets; /**< one for each machine, or for each format of one */
  int count;
} chart;

/** Measured kernels of a file, on the first machine. */
static roof_status place_file(const chart *c, const char *const *words, int count, roof_error *error) {
  const char *file = words[0];
  roof_measurements all = {0};
  roof_status status = count > 1
                           ? roof_error_set(error, ROOF_E_ARGUMENT,
                                            "%s: a file of measurements takes no `%.60s`", file, words[1])
                           : roof_measurements_read(file, &all, error);
  if (c->plot->machine_said) {
    roof_measurements_drop_ceilings(&all);
  }
  if (status == ROOF_OK) {
    status = roof_scene_add_measurements(c->scene, c->plot->machines[0], 0, all.list, all.count, file,
                                         c->plot->arrows, error);
  }
  roof_measurements_done(&all);
  return status;
}

/** An arrow from each point in a format to the same in the next. */
static void join_formats(const chart *c, int first, int points) {
  for (int i = first; i + points < c->scene->dot_count; i++) {
    c->scene->dots[i].next = i + points;
  }
  snprintf(c->scene->arrow, sizeof c->scene->arrow, "quantize");
}

/** Places one operation, `words[0]` with its key=value words, on every target of the chart. */
static roof_status place_op(const chart *c, const char *const *words, int count, roof_error *error) {
  const roof_op *op = NULL;
  roof_shape shape;
  roof_status status = roof_userops_find(c->plot->userops, c->plot->userops_count, words[0], &op, error);
  status = status == ROOF_OK ? roof_shape_parse(&shape, op, words + 1, count - 1, NULL, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  bool formats = c->plot->dtype_count > 1 && c->plot->arrows;
  int first = c->scene->dot_count;
  for (int i = 0; i < c->count && status == ROOF_OK; i++) {
    status = roof_scene_add_shape(c->scene, &c->targets[i], i, &shape, c->plot->arrows && !formats, error);
  }
  if (status == ROOF_OK && formats) {
    join_formats(c, first, (int)shape.points);
  }
  roof_shape_done(&shape);
  return status;
}

/** "resnet50 batch=64": `name`, then the words after the first. */
static roof_text name_of(const char *name, const char *const *words, int count) {
  roof_text text = {0};
  roof_text_add(&text, name);
  for (int i = 1; i < count; i++) {
    roof_text_addf(&text, " %s", words[i]);
  }
  return text;
}

static roof_status add_workload(const chart *c, const roof_workload *w, const roof_workload_answer *a,
                                const char *const *words, int count, roof_error *error) {
  char name[64];
  roof_text text = name_of(w->name, words, count);
  snprintf(name, sizeof name, "%s", text.data != NULL ? text.data : "");
  roof_text_done(&text);
  return roof_scene_add_workload(c->scene, c->plot->machines[0], name, w, a, c->plot->arrows, error);
}

/** The operations of a graph or a list, `words[0]` with the sizes that it leaves open, on the first machine. */
static roof_status place_workload(const chart *c, const char *const *words, int count, roof_error *error) {
  roof_dimensions sizes;
  roof_workload w = {0};
  roof_workload_answer a;
  roof_workload_settings s = roof_workload_settings_default();
  roof_workload_reading reading = {.types = c->targets[0].types, .floats = ROOF_DTYPE_COUNT};
  roof_status status = roof_dimensions_parse(words + 1, count - 1, &sizes, error);
  reading.floats = c->plot->formats.dtype != NULL ? reading.types.compute : reading.floats;
  reading.dimensions = sizes.list;
  reading.dimension_count = sizes.count;
  status = status == ROOF_OK ? roof_workload_load(words[0], &reading, &w, error) : status;
  status = status == ROOF_OK ? roof_workload_answer_of(&w, c->plot->machines[0], &s, &a, error) : status;
  if (status == ROOF_OK) {
    status = add_workload(c, &w, &a, words, count, error);
    roof_workload_answer_done(&a);
  }
  roof_workload_done(&w);
  return status;
}

/** The phases of a model, `words[0]` with its settings, on the first machine. */
static roof_status place_model(const chart *c, const char *const *words, int count, roof_error *error) {
  roof_whole *whole = NULL;
  roof_status status = roof_whole_read(words, count, &c->plot->formats, NULL, false, &whole, error);
  status = status == ROOF_OK ? roof_whole_on(whole, c->plot->machines[0], error) : status;
  if (status == ROOF_OK) {
    roof_text name = name_of(words[0], words, count);
    status = roof_scene_add_model(c->scene, c->plot->machines[0], name.data, &whole->answer, error);
    roof_text_done(&name);
  }
  roof_whole_free(whole);
  return status;
}

/** What a word without `=` begins: the next operation, a file of measurements, a graph, a list or a model. */
typedef roof_status placer(const chart *, const char *const *, int, roof_error *);

static placer *placer_of(const roof_plot *p, const char *word) {
  const roof_op *op = NULL;
  return strcmp(word, "-") == 0                                                        ? place_file
         : roof_workload_is(word)                                                      ? place_workload
         : roof_userops_find(p->userops, p->userops_count, word, &op, NULL) == ROOF_OK ? place_op
         : roof_model_is(word)                                                         ? place_model
         : roof_text_ends_with(word, ".json")                                          ? place_file
                                                                                       : place_op;
}

static roof_status place_words(const chart *c, const char *const *words, int count, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int start = 0, end = 0; start < count && status == ROOF_OK; start = end) {
    end = start + 1;
    while (end < count && strchr(words[end], '=') != NULL) {
      end++;
    }
    status = placer_of(c->plot, words[start])(c, words + start, end - start, error);
  }
  return status;
}

/** The formats of the operations: a model's are of its parts, and where there are models alone they say nothing of the roofs. */
static roof_formats formats_of_roofs(const roof_plot *p, const char *const *words, int count) {
  bool models = false;
  for (int i = 0; i < count; i++) {
    placer *place = strchr(words[i], '=') == NULL ? placer_of(p, words[i]) : NULL;
    if (place == place_op || place == place_workload) {
      return p->formats;
    }
    models = models || place == place_model;
  }
  return models ? (roof_formats){.dtype = p->formats.dtype} : p->formats;
}

/** One format of a list: what the machine does not compute in are weights of its usual format. */
static roof_status read_format(const roof_plot *p, const char *name, roof_types *types, roof_error *error) {
  const roof_machine *machine = p->machines[0];
  roof_formats one = p->formats;
  one.dtype = name;
  roof_status status = roof_formats_read(&one, machine, types, error);
  if (status == ROOF_OK &&
      roof_machine_peak(machine, types->compute, ROOF_MATRIX, false, ROOF_DATASHEET) == NULL &&
      roof_machine_peak(machine, types->compute, ROOF_VECTOR, false, ROOF_DATASHEET) == NULL) {
    one.dtype = NULL;
    one.weights = name;
    status = roof_formats_read(&one, machine, types, error);
  }
  return status;
}

static roof_status read_formats(const roof_plot *p, roof_types types[ROOF_SCENE_SERIES], roof_error *error) {
  if (p->machine_count > 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--dtype: several formats are of one machine");
  }
  if (p->dtype_count > ROOF_SCENE_SERIES) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--dtype: a chart holds at most %d formats",
                          ROOF_SCENE_SERIES);
  }
  roof_status status = ROOF_OK;
  for (int i = 0; i < p->dtype_count && status == ROOF_OK; i++) {
    status = read_format(p, p->dtypes[i], &types[i], error);
  }
  return status;
}

/** A target for each machine in one format, or for each format of one machine, and their ceilings. */
static roof_status add_ceilings(chart *c, const char *const *words, int count, roof_error *error) {
  const roof_plot *p = c->plot;
  const roof_formats formats = formats_of_roofs(p, words, count);
  roof_types types[ROOF_SCENE_SERIES];
  roof_options o = roof_options_default();
  bool several = p->dtype_count > 1;
  roof_status status =
      p->ceilings && (several || p->machine_count > 1)
          ? roof_error_set(error, ROOF_E_ARGUMENT, "every ceiling: of one machine in one format")
      : several ? read_formats(p, types, error)
                : roof_formats_read(&formats, p->machines[0], types, error);
  c->count = several ? p->dtype_count : p->machine_count;
  c->targets = status == ROOF_OK ? calloc((size_t)c->count, sizeof *c->targets) : NULL;
  if (status == ROOF_OK && c->targets == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "plot: out of memory");
  }
  for (int i = 0; i < c->count && status == ROOF_OK; i++) {
    status =
        roof_target_init(&c->targets[i], p->machines[several ? 0 : i], &types[several ? i : 0], &o, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  return p->ceilings ? roof_scene_add_ceilings(c->scene, p->machines[0], types->compute, error)
         : several   ? roof_scene_add_formats(c->scene, p->machines[0], types, c->count, error)
                     : roof_scene_add_machines(c->scene, p->machines, c->count, types->compute, error);
}

/** Adds the formats of the flat roofs, each once; returns how many. */
static int add_dtypes(roof_text *out, const roof_scene *scene) {
  bool known[ROOF_DTYPE_COUNT] = {false};
  int count = 0;
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    if (!isnan(roof->flops_per_second) && roof->dtype < ROOF_DTYPE_COUNT && !known[roof->dtype]) {
      known[roof->dtype] = true;
      roof_text_addf(out, "%s%s", count++ > 0 ? ", " : "", roof_dtype_name(roof->dtype));
    }
  }
  return count;
}

/** One machine in the format that it has most of is titled by the formats of what was placed, where that has others. */
static void title_by_dtypes(roof_scene *scene, const roof_plot *plot) {
  roof_text names = {0};
  if (plot->machine_count == 1 && plot->dtype_count == 0 && !plot->ceilings &&
      add_dtypes(&names, scene) > 1) {
    snprintf(scene->title, sizeof scene->title, "%.60s: roofline in %.50s",
             roof_machine_title(plot->machines[0]), names.data != NULL ? names.data : "");
  }
  roof_text_done(&names);
}

/** Formats that the roofs do not have: those of weights, sums and results. */
static void title_apart(roof_scene *scene, const roof_types *types) {
  char apart[ROOF_FORMATS_APART];
  size_t used = strlen(scene->title);
  snprintf(scene->title + used, sizeof scene->title - used, "%s",
           roof_formats_apart(types, apart, sizeof apart));
}

roof_status roof_scene_read(roof_scene *scene, const roof_plot *plot, const char *const *words, int count,
                            roof_error *error) {
  chart c = {.plot = plot, .scene = scene};
  roof_scene_init(scene);
  roof_status status = add_ceilings(&c, words, count, error);
  status = status == ROOF_OK ? place_words(&c, words, count, error) : status;
  if (status == ROOF_OK) {
    title_by_dtypes(scene, plot);
  }
  if (status == ROOF_OK && plot->dtype_count < 2 && count > 0) {
    title_apart(scene, &c.targets[0].types);
  }
  free(c.targets);
  return status;
}
