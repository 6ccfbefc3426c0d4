/* What was imported as a table: most time lost against the ceilings first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/import/import.h"

enum { NAME_WIDTH = 48 };

/** The beginning and the end of a name that is too long for a table. */
void cli_import_shorten(const char *name, char *out, size_t size) {
  size_t length = strlen(name);
  if (length <= NAME_WIDTH) {
    snprintf(out, size, "%s", name);
    return;
  }
  size_t head = NAME_WIDTH * 2 / 3, tail = NAME_WIDTH - head - 3;
  const char *end = name + length - tail;
  while (head > 0 && ((unsigned char)name[head] & 0xC0) == 0x80) {
    head--;
  }
  while (((unsigned char)*end & 0xC0) == 0x80) {
    end++;
  }
  snprintf(out, size, "%.*s...%s", (int)head, name, end);
}

static void add_quantity(cli_grid *grid, double value, const char *unit) {
  char text[32];
  cli_grid_add(grid, "%s", isnan(value) ? "-" : roof_quantity_format(text, sizeof text, value, unit));
}

static void add_share(cli_grid *grid, double share) {
  if (isnan(share)) {
    cli_grid_add(grid, "-");
  } else {
    cli_grid_add(grid, "%.1f %%", share * 100);
  }
}

static void add_row(cli_grid *grid, const import_answer *answer, const roof_ranked_record *row) {
  char name[NAME_WIDTH * 4];
  const roof_placed *at = &row->at;
  cli_import_shorten(row->record->name, name, sizeof name);
  cli_grid_add(grid, "%s", name);
  cli_grid_add(grid, "%llu", (unsigned long long)row->record->calls);
  add_quantity(grid, at->seconds, "s");
  add_share(grid, at->seconds / answer->ranking.seconds);
  add_quantity(grid, at->flops / at->seconds, "FLOP/s");
  if (isnan(at->intensity)) {
    cli_grid_add(grid, "-");
  } else {
    cli_grid_add(grid, "%.4g", at->intensity);
  }
  add_share(grid, at->share);
  add_quantity(grid, at->lost_seconds, "s");
  cli_grid_add(grid, "%s%s", at->binding[0] != '\0' ? at->binding : "-",
               at->state > ROOF_PLACE_POSSIBLE ? " (above its ceiling!)" : "");
}

static void add_facts(roof_text *out, const roof_profile *profile) {
  for (size_t i = 0; i < profile->fact_count; i++) {
    const roof_fact *f = &profile->facts[i];
    roof_text_addf(out, "  %s: %s", f->name, f->text != NULL ? f->text : "");
    if (f->text == NULL) {
      roof_text_add_number(out, f->value, 6);
    }
    roof_text_add(out, "\n");
  }
  for (size_t i = 0; i < profile->skip_count; i++) {
    const roof_skip *s = &profile->skips[i];
    roof_text_addf(out, "  left out: %s: %s", s->what, s->why);
    if (s->times > 1) {
      roof_text_addf(out, " (%llu times)", (unsigned long long)s->times);
    }
    roof_text_add(out, "\n");
  }
}

/** One sentence that says what to look at. */
static void add_headline(roof_text *out, const import_answer *answer) {
  char seconds[32], lost[32];
  const roof_profile *p = answer->profile;
  size_t kernels = answer->ranking.count + answer->hidden;
  roof_text_addf(out, "%zu kernel%s, %s", kernels, kernels == 1 ? "" : "s",
                 answer->ranking.seconds > 0
                     ? roof_quantity_format(seconds, sizeof seconds, answer->ranking.seconds, "s")
                     : "no times");
  if (p->device[0] != '\0') {
    roof_text_addf(out, " on %s", p->device);
  }
  if (answer->ceilings->machine == NULL) {
    roof_text_add(out, "; no ceilings: name a machine with --machine\n");
  } else if (answer->ranking.lost_seconds > 0) {
    roof_text_addf(out, "; %s lost against the ceilings of %s, most in %.60s\n",
                   roof_quantity_format(lost, sizeof lost, answer->ranking.lost_seconds, "s"),
                   answer->ceilings->machine->name, answer->ranking.rows[0].record->name);
  } else {
    roof_text_addf(out, "; ceilings: %s\n", answer->ceilings->machine->name);
  }
}

void cli_import_add_rows(const import_answer *answer, cli_grid *grid) {
  static const char *const header[IMPORT_COLUMNS] = {"kernel", "calls",      "time", "share", "rate",
                                                     "FLOP/B", "of ceiling", "lost", "limit"};
  for (size_t i = 0; i < IMPORT_COLUMNS; i++) {
    cli_grid_add(grid, "%s", header[i]);
  }
  for (size_t i = 0; i < answer->ranking.count; i++) {
    add_row(grid, answer, &answer->ranking.rows[i]);
  }
}

roof_status cli_import_print_table(const import_answer *answer, roof_error *error) {
  roof_text out = {0};
  cli_grid grid = {0};
  add_headline(&out, answer);
  roof_text_add(&out, "\n");
  cli_import_add_rows(answer, &grid);
  cli_grid_end(&grid, &out, "lrrrrrrrl");
  if (answer->hidden > 0) {
    roof_text_addf(&out, "  and %zu more; --top N shows more\n", answer->hidden);
  }
  if (answer->profile->fact_count + answer->profile->skip_count > 0) {
    roof_text_add(&out, "\n");
  }
  add_facts(&out, answer->profile);
  if (answer->recorded != NULL) {
    roof_text_add(&out, "\n");
    cli_import_add_recorded(answer, &out);
  }
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

roof_status cli_import_print_csv(const import_answer *answer, roof_error *error) {
  roof_text out = {0};
  roof_text_add(&out, "kernel,calls,total_seconds,flops,bytes,level,dtype,unit,intensity,ceiling_seconds,"
                      "fraction_of_ceiling,lost_seconds,regime,binding\n");
  for (size_t i = 0; i < answer->ranking.count; i++) {
    const roof_ranked_record *r = &answer->ranking.rows[i];
    const roof_placed *at = &r->at;
    const double first[] = {(double)r->record->calls, at->seconds, at->flops, at->bytes};
    const double last[] = {at->intensity, at->ceiling_seconds, at->share, at->lost_seconds};
    roof_text_add_csv(&out, r->record->name);
    for (size_t k = 0; k < 4; k++) {
      roof_text_add(&out, ",");
      roof_text_add_number(&out, first[k], 15);
    }
    roof_text_addf(&out, ",%s,%s,%s", isnan(at->bytes) ? "" : roof_level_kind_name(at->level),
                   isnan(at->flops) ? "" : roof_dtype_name(at->dtype),
                   isnan(at->flops) ? "" : roof_unit_name(at->unit));
    for (size_t k = 0; k < 4; k++) {
      roof_text_add(&out, ",");
      roof_text_add_number(&out, last[k], 12);
    }
    roof_text_addf(&out, ",%s,", at->regime < ROOF_REGIME_COUNT ? roof_regime_name(at->regime) : "");
    roof_text_add_csv(&out, at->binding);
    roof_text_add(&out, "\n");
  }
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status list_json(roof_error *error) {
  json_t *array = json_array();
  for (int i = 0; i < roof_format_count(); i++) {
    const roof_format *f = roof_format_at(i);
    json_array_append_new(
        array, json_pack("{s:s, s:s, s:s}", "name", f->name, "title", f->title, "gives", f->gives));
  }
  return cli_json_print(json_pack("{s:s, s:o}", "schema", "roofline.formats/1", "formats", array), error);
}

roof_status cli_import_print_list(const cli_args *args, roof_error *error) {
  if (args->json) {
    return list_json(error);
  }
  roof_text out = {0};
  cli_grid grid = {0};
  static const char *const header[] = {"format", "what it is", "what it gives"};
  for (size_t i = 0; i < 3; i++) {
    cli_grid_add(&grid, "%s", header[i]);
  }
  for (int i = 0; i < roof_format_count(); i++) {
    const roof_format *f = roof_format_at(i);
    cli_grid_add(&grid, "%s", f->name);
    cli_grid_add(&grid, "%s", f->title);
    cli_grid_add(&grid, "%s", f->gives);
  }
  cli_grid_end(&grid, &out, "lll");
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}
