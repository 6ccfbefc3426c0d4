/* What the loop found, in words and as a document. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "documents/json.h"
#include "loop/loop.h"
#include "measure/run.h"
#include "roofline/units.h"

enum { SHORT = 40 };

/** The kernel with most headroom of those that are meant to be fast, or of those that are not. */
static const roof_loop_kernel *find_worst(const roof_loop *loop, bool naive) {
  const roof_loop_kernel *worst = NULL;
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    if (k->shown && k->skipped[0] == '\0' && roof_kernel_is_naive(k->kernel) == naive &&
        (worst == NULL || k->reconciled.headroom > worst->reconciled.headroom)) {
      worst = k;
    }
  }
  return worst;
}

char *roof_loop_sentence(const roof_loop *loop, char *buffer, size_t size) {
  const roof_loop_kernel *worst = find_worst(loop, false), *naive = find_worst(loop, true);
  if (worst == NULL) {
    snprintf(buffer, size, "no kernel could run on %s", loop->machine->title);
    return buffer;
  }
  bool apart = naive != NULL && naive->reconciled.headroom > worst->reconciled.headroom;
  rf_format(buffer, size, "%d kernels in %s: most headroom%s in %s, %.2fx from its ceiling", loop->done,
            roof_dtype_name(loop->options.dtype), apart ? ", naive apart," : "", worst->kernel->name,
            worst->reconciled.headroom);
  return buffer;
}

char *roof_loop_mode(const roof_loop *loop, char *buffer, size_t size) {
  rf_paces paces = RF_NO_PACES;
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    rf_paces_add(&paces, k->shown && k->skipped[0] == '\0' ? k->memory_pace : NAN);
  }
  return rf_paces_say(&paces, "kernel", buffer, size);
}

char *roof_loop_because(const roof_loop_kernel *kernel, char *buffer, size_t size) {
  if (kernel->skipped[0] != '\0') {
    snprintf(buffer, size, "skipped: %s", kernel->skipped);
  } else {
    snprintf(buffer, size, "%s%s%s", kernel->reconciled.because, kernel->again[0] != '\0' ? "; " : "",
             kernel->again);
  }
  return buffer;
}

char *roof_loop_verdict(const roof_loop_kernel *k, char *buffer, size_t size) {
  snprintf(buffer, size, "%s%s", k->reconciled.verdict, roof_loop_is_noisy(k) ? ", noisy" : "");
  return buffer;
}

char *roof_loop_share(const roof_loop_kernel *k, char *buffer, size_t size) {
  double share = 100 * k->reconciled.fraction_of_ceiling;
  if (k->noise > 0) {
    rf_format(buffer, size, "%.1f \xC2\xB1%.1f %%", share, share * k->noise);
  } else {
    rf_format(buffer, size, "%.1f %%", share);
  }
  return buffer;
}

static void add_kernel(rf_cells *cells, const roof_loop_kernel *k) {
  const roof_reconciled *r = &k->reconciled;
  char predicted[SHORT], measured[SHORT], share[SHORT], verdict[SHORT];
  rf_cells_add(cells, "%s", k->kernel->name);
  rf_cells_add(cells, "%s", roof_quantity_format(predicted, SHORT, r->predicted_seconds, "s"));
  rf_cells_add(cells, "%s", roof_quantity_format(measured, SHORT, r->measured_seconds, "s"));
  rf_cells_add(cells, "%s", r->binding);
  rf_cells_add(cells, "%s", roof_loop_share(k, share, sizeof share));
  rf_cells_add(cells, "%.1f %s", fabs(r->gap_points), r->gap_points >= 0 ? "below" : "above");
  rf_cells_add(cells, "%.2fx", r->headroom);
  rf_cells_add(cells, "%s", roof_loop_verdict(k, verdict, sizeof verdict));
}

void rf_loop_add_kernels(rf_cells *cells, const roof_loop *loop) {
  static const char *const header[RF_LOOP_COLUMNS] = {"kernel",   "predicted",  "measured",
                                                      "bound by", "of ceiling", "points to expected",
                                                      "headroom", "verdict"};
  rf_cells_add_row(cells, header, RF_LOOP_COLUMNS);
  for (int i = 0; i < loop->count; i++) {
    if (loop->kernels[i].shown && loop->kernels[i].skipped[0] == '\0') {
      add_kernel(cells, &loop->kernels[i]);
    }
  }
}

static void add_point(rf_cells *cells, const roof_loop *loop, const roof_loop_kernel *k) {
  const roof_prediction *p = &k->prediction;
  char text[SHORT];
  rf_cells_add(cells, "%s", k->kernel->name);
  rf_cells_add(cells, "%s", roof_loop_place(loop, k, text, sizeof text));
  rf_cells_add(cells, "%s", roof_quantity_format(text, SHORT, p->expected_seconds, "s"));
  rf_cells_add(cells, "%s", roof_quantity_format(text, SHORT, p->expected_low_seconds, "s"));
  rf_cells_add(cells, "%s", roof_quantity_format(text, SHORT, p->expected_high_seconds, "s"));
  rf_cells_add(cells, "%s", roof_quantity_format(text, SHORT, k->measured_seconds, "s"));
  rf_format(text, sizeof text, "%.1f %%%s", 100 * rf_loop_error(k), roof_loop_is_noisy(k) ? ", noisy" : "");
  rf_cells_add(cells, "%s", text);
  rf_cells_add(cells, "%s", k->shape);
}

void rf_loop_add_points(rf_cells *cells, const roof_loop *loop) {
  static const char *const header[RF_LOOP_POINT_COLUMNS] = {"kernel", "where",    "predicted", "from",
                                                            "to",     "measured", "off by",    "shape"};
  rf_cells_add_row(cells, header, RF_LOOP_POINT_COLUMNS);
  for (int i = 0; i < loop->count; i++) {
    if (loop->kernels[i].skipped[0] == '\0') {
      add_point(cells, loop, &loop->kernels[i]);
    }
  }
}

static json_t *entry_json(const roof_loop_kernel *k) {
  const roof_reconciled *r = &k->reconciled;
  const char *library = k->kernel->library != NULL ? k->kernel->library() : NULL;
  char because[ROOF_LOOP_LINE];
  return json_pack("{s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:s?, s:[]}", "label", r->label,
                   "predicted_seconds", rf_json_number(r->predicted_seconds), "measured_seconds",
                   rf_json_number(r->measured_seconds), "regime", r->regime, "binding", r->binding,
                   "fraction_of_ceiling", rf_json_number(r->fraction_of_ceiling), "headroom",
                   rf_json_number(r->headroom), "verdict", r->verdict, "because",
                   roof_loop_because(k, because, sizeof because), "gap", rf_json_number(r->gap_points),
                   "memory_pace", rf_json_number(k->memory_pace), "library", library, "causes");
}

static json_t *point_json(const roof_loop *loop, const roof_loop_kernel *k) {
  const roof_prediction *p = &k->prediction;
  const roof_level *level = loop->target.level[k->level];
  int cores = k->cores == ROOF_LOOP_ALONE ? 1 : (int)loop->machine->unit_count;
  return json_pack(
      "{s:s, s:s, s:s?, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}", "label", k->label, "kernel",
      k->kernel->name, "level", level != NULL ? level->name : NULL, "cores", cores, "predicted_seconds",
      rf_json_number(p->expected_seconds), "predicted_low_seconds", rf_json_number(p->expected_low_seconds),
      "predicted_high_seconds", rf_json_number(p->expected_high_seconds), "measured_seconds",
      rf_json_number(k->measured_seconds), "error", rf_json_number(rf_loop_error(k)), "disturbed",
      rf_json_number(k->disturbed), "constants", k->constants[0] != '\0' ? k->constants : NULL);
}

static json_t *accuracy_json(const roof_loop_accuracy *a) {
  return json_pack("{s:i, s:i, s:b, s:o, s:o, s:o, s:i, s:i, s:o, s:o}", "points", a->points, "levels",
                   a->levels, "one_core_too", a->alone, "median", rf_json_number(a->median), "ninetieth",
                   rf_json_number(a->ninetieth), "coverage", rf_json_number(a->coverage), "looked", a->looked,
                   "whole", a->whole, "whole_median", rf_json_number(a->whole_median), "whole_ninetieth",
                   rf_json_number(a->whole_ninetieth));
}

roof_status roof_loop_write(const roof_loop *loop, const char *report, roof_text *out, roof_error *error) {
  roof_loop_accuracy accuracy;
  roof_status status = roof_loop_accuracy_of(loop, &accuracy, error);
  if (status != ROOF_OK) {
    return status;
  }
  json_t *entries = json_array(), *skipped = json_array(), *points = json_array();
  for (int i = 0; i < loop->count; i++) {
    const roof_loop_kernel *k = &loop->kernels[i];
    bool ran = k->skipped[0] == '\0';
    if (ran) {
      rf_json_append(points, point_json(loop, k));
    }
    if (ran && k->shown) {
      rf_json_append(entries, entry_json(k));
    } else if (k->shown) {
      rf_json_append(skipped, json_pack("{s:s, s:s}", "what", k->kernel->name, "why", k->skipped));
    }
  }
  return rf_json_write(json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:{s:[], s:[]}, s:o}", "schema",
                                 "roofline.reconcile/1", "machine", loop->machine->name, "ledger",
                                 loop->options.ledger, "report", report, "entries", entries, "points", points,
                                 "accuracy", accuracy_json(&accuracy), "unmatched", "predictions",
                                 "measurements", "skipped", skipped),
                       "loop", out, error);
}
