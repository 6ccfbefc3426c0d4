/* What a gate found, written as roofline.check/1, as JUnit XML and as annotations of GitHub. */
#include <math.h>

#include "documents/annotation.h"
#include "documents/json.h"
#include "roofline/documents.h"

roof_gate_side roof_gate_side_of(const roof_measurements *all, const roof_ceilings *ceilings) {
  return (roof_gate_side){.machine = all->count > 0 ? all->list[0].machine : "",
                          .kernels = all->list,
                          .count = all->count,
                          .ceilings = ceilings};
}

static json_t *line_json(const roof_gate_line *l) {
  const roof_verdict *verdict = l->placed.verdict;
  return json_pack("{s:s, s:s, s:b, s:o, s:o, s:s?, s:o, s:o, s:o, s:I, s:I, s:s}", "label", l->label,
                   "state", roof_gate_name(l->result.state), "passed", !roof_gate_misses(l->result.state),
                   "seconds", rf_json_number(l->placed.seconds), "fraction_of_ceiling",
                   rf_json_number(l->placed.share), "verdict", verdict != NULL ? verdict->name : NULL,
                   "baseline_fraction_of_ceiling", rf_json_number(l->before_share), "regression",
                   rf_json_number(l->result.regression), "p", rf_json_number(l->result.p), "runs",
                   (json_int_t)l->runs, "baseline_runs", (json_int_t)l->before_runs, "message", l->message);
}

roof_status roof_gate_write(const roof_gate_report *report, const char *against, roof_text *out,
                            roof_error *error) {
  json_t *kernels = json_array();
  for (size_t i = 0; i < report->count; i++) {
    rf_json_append(kernels, line_json(&report->lines[i]));
  }
  return rf_json_write(json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:s?, s:o}", "schema", "roofline.check/1",
                                 "passed", (int)roof_gate_passes(report), "machine", report->machine, "min",
                                 rf_json_number(report->gate.least), "max_regression",
                                 rf_json_number(report->gate.max_regression), "significance",
                                 rf_json_number(report->gate.significance), "against", against, "kernels",
                                 kernels),
                       "check", out, error);
}

static void add_case(roof_text *out, const char *machine, const roof_gate_line *l) {
  roof_text_add(out, "    <testcase classname=\"");
  roof_text_add_xml(out, machine);
  roof_text_add(out, "\" name=\"");
  roof_text_add_xml(out, l->label);
  roof_text_addf(out, "\" time=\"%.9g\"", isnan(l->placed.seconds) ? 0 : l->placed.seconds);
  if (roof_gate_misses(l->result.state)) {
    roof_text_addf(out, ">\n      <failure type=\"%s\" message=\"", roof_gate_name(l->result.state));
    roof_text_add_xml(out, l->message);
    roof_text_add(out, "\"/>\n    </testcase>\n");
  } else {
    roof_text_add(out, "/>\n");
  }
}

roof_status roof_gate_write_junit(const roof_gate_report *report, roof_text *out, roof_error *error) {
  roof_text_addf(out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                 "  <testsuite name=\"roofline check\" tests=\"%zu\" failures=\"%zu\">\n",
                 report->count, report->missed);
  for (size_t i = 0; i < report->count; i++) {
    add_case(out, report->machine, &report->lines[i]);
  }
  roof_text_add(out, "  </testsuite>\n</testsuites>\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "check: out of memory") : ROOF_OK;
}

roof_status roof_gate_write_github(const roof_gate_report *report, const char *file, roof_text *out,
                                   roof_error *error) {
  for (size_t i = 0; i < report->count; i++) {
    const roof_gate_line *l = &report->lines[i];
    if (l->message[0] != '\0') {
      rf_annotation note = {.level = roof_gate_misses(l->result.state) ? "error" : "notice",
                            .file = file,
                            .title = l->label,
                            .message = l->message};
      rf_annotation_add(&note, out);
    }
  }
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "check: out of memory") : ROOF_OK;
}
