/* The documents that a program's regions write at exit, one a process, as parts. */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/program.h"
#include "host/file.h"

roof_status cli_part_settle(cli_part *part, roof_error *error) {
  roof_measurement *m = &part->measurement;
  double *sorted = malloc((m->sample_count + 1) * sizeof *sorted), most = 0;
  if (sorted == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", m->label);
  }
  memcpy(sorted, m->samples, m->sample_count * sizeof *sorted);
  roof_status status = roof_stats_of(sorted, m->sample_count, &m->stats, error);
  free(sorted);
  m->seconds = m->stats.median;
  m->bytes = part->bytes / part->calls;
  m->flops = 0;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    m->flops += part->flops[d] / part->calls;
    if (part->flops[d] > most) {
      most = part->flops[d];
      m->dtype = (roof_dtype)d;
    }
  }
  return status;
}

/** The region of that name, made when it is new. */
static roof_status find_part(cli_program *program, const char *name, cli_part **part, roof_error *error) {
  for (int i = 0; i < program->count; i++) {
    if (strcmp(program->parts[i].measurement.label, name) == 0) {
      *part = &program->parts[i];
      return ROOF_OK;
    }
  }
  cli_part *grown = realloc(program->parts, ((size_t)program->count + 1) * sizeof *grown);
  if (grown == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "regions: out of memory");
  }
  program->parts = grown;
  *part = &grown[program->count++];
  memset(*part, 0, sizeof **part);
  roof_measurement_init(&(*part)->measurement);
  (*part)->measurement.dtype = ROOF_FP64;
  snprintf((*part)->measurement.label, sizeof(*part)->measurement.label, "%s", name);
  return ROOF_OK;
}

static roof_status add_region(cli_program *program, const roof_measurement *region, roof_error *error) {
  cli_part *part = NULL;
  roof_status status = find_part(program, region->label, &part, error);
  if (status != ROOF_OK) {
    return status;
  }
  part->calls += region->calls;
  part->threads = fmax(part->threads, region->threads);
  part->total_seconds += region->total_seconds;
  part->bytes += region->calls * region->level_bytes[ROOF_MEMORY];
  if (isnan(region->flops)) {
    part->flops[ROOF_FP64] = NAN;
  }
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    part->flops[d] += isnan(region->dtype_flops[d]) ? 0 : region->calls * region->dtype_flops[d];
  }
  memcpy(part->flops_counted, region->counted_flops, sizeof part->flops_counted);
  memcpy(part->measurement.counted, region->counted, sizeof part->measurement.counted);
  for (size_t i = 0; i < region->sample_count && status == ROOF_OK; i++) {
    status = roof_measurement_sample(&part->measurement, region->samples[i], error);
  }
  return status;
}

static roof_status add_document(cli_program *program, const roof_measurements *regions, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < regions->count && status == ROOF_OK; i++) {
    status = add_region(program, &regions->list[i], error);
  }
  for (size_t i = 0; i < regions->skipped_count && status == ROOF_OK; i++) {
    status =
        roof_measurements_skip(&program->missed, regions->skipped[i].what, regions->skipped[i].why, error);
  }
  return status;
}

static roof_status read_document(cli_program *program, const char *path, roof_error *error) {
  roof_measurements regions = {0};
  roof_text text = {0};
  roof_error why = {0};
  roof_status status = rf_file_read(path, &text, &why);
  if (status == ROOF_OK) {
    status = roof_measurements_parse(text.data != NULL ? text.data : "", text.length, path, &regions, &why);
  }
  if (status == ROOF_OK) {
    status = add_document(program, &regions, &why);
  }
  roof_measurements_done(&regions);
  roof_text_done(&text);
  return status == ROOF_OK ? ROOF_OK
                           : roof_error_set(error, status, "%s: its regions cannot be read: %s",
                                            program->name, why.message);
}

roof_status cli_program_read(cli_program *program, const char *folder, roof_error *error) {
  char pattern[4096];
  glob_t found = {0};
  roof_status status = ROOF_OK;
  snprintf(pattern, sizeof pattern, "%s/*.json", folder);
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc && status == ROOF_OK; i++) {
      status = read_document(program, found.gl_pathv[i], error);
    }
  }
  globfree(&found);
  return status;
}
