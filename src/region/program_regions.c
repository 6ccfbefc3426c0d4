/* The documents that a program's regions write at exit, one a process, as parts. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "region/program.h"

void rf_program_part_init(roof_program_part *part, const char *label) {
  memset(part, 0, sizeof *part);
  roof_measurement_init(&part->measurement);
  part->measurement.dtype = ROOF_FP64;
  part->measurement.calls = part->measurement.total_seconds = 0;
  snprintf(part->measurement.label, sizeof part->measurement.label, "%s", label);
}

/** The region of that name, made when it is new. */
static roof_status find_part(roof_program *program, const char *name, roof_program_part **part,
                             roof_error *error) {
  for (int i = 0; i < program->region_count; i++) {
    if (strcmp(program->regions[i].measurement.label, name) == 0) {
      *part = &program->regions[i];
      return ROOF_OK;
    }
  }
  roof_program_part *grown = realloc(program->regions, ((size_t)program->region_count + 1) * sizeof *grown);
  if (grown == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "regions: out of memory");
  }
  program->regions = grown;
  *part = &grown[program->region_count++];
  rf_program_part_init(*part, name);
  return ROOF_OK;
}

static roof_status add_region(roof_program *program, const roof_measurement *region, roof_error *error) {
  roof_program_part *part = NULL;
  roof_status status = find_part(program, region->label, &part, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_measurement *m = &part->measurement;
  m->calls += region->calls;
  m->total_seconds += region->total_seconds;
  part->threads = fmax(part->threads, region->threads);
  part->bytes += region->calls * region->level_bytes[ROOF_MEMORY];
  if (isnan(region->flops)) {
    part->flops[ROOF_FP64] = NAN;
  }
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    part->flops[d] += isnan(region->dtype_flops[d]) ? 0 : region->calls * region->dtype_flops[d];
  }
  memcpy(m->counted_flops, region->counted_flops, sizeof m->counted_flops);
  memcpy(m->counted, region->counted, sizeof m->counted);
  for (size_t i = 0; i < region->sample_count && status == ROOF_OK; i++) {
    status = roof_measurement_sample(m, region->samples[i], error);
  }
  return status;
}

static roof_status add_document(roof_program *program, const roof_measurements *regions, roof_error *error) {
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

static roof_status read_document(roof_program *program, const char *path, roof_error *error) {
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

roof_status rf_program_read(roof_program *program, const char *folder, roof_error *error) {
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
