/* The documents that a program's regions write at exit, one a process, as parts. */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/program.h"

roof_status cli_part_add_sample(cli_part *part, double seconds, roof_error *error) {
  roof_measurement *m = &part->measurement;
  double *more = realloc(m->samples, (m->sample_count + 1) * sizeof *more);
  if (more == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", m->label);
  }
  m->samples = more;
  m->samples[m->sample_count++] = seconds;
  return ROOF_OK;
}

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

/** FLOPs by format; null makes all of them unknown. */
static void add_flops(cli_part *part, json_t *flops, double calls) {
  const char *name;
  json_t *value;
  roof_dtype dtype;
  if (!json_is_object(flops)) {
    part->flops[ROOF_FP64] = NAN;
  }
  json_object_foreach(flops, name, value) {
    if (roof_dtype_parse(name, &dtype, NULL) == ROOF_OK) {
      part->flops[dtype] += calls * rf_json_number_of(value);
    }
  }
}

static roof_status add_region(cli_program *program, json_t *region, roof_error *error) {
  cli_part *part = NULL;
  json_t *counted = json_object_get(region, "counted"), *sample;
  double calls = rf_json_number_of(json_object_get(region, "calls"));
  size_t index;
  roof_status status = find_part(program, rf_json_text_of(json_object_get(region, "name")), &part, error);
  if (status != ROOF_OK) {
    return status;
  }
  part->calls += calls;
  part->threads = fmax(part->threads, rf_json_number_of(json_object_get(region, "threads")));
  part->total_seconds += rf_json_number_of(json_object_get(region, "total_seconds"));
  part->bytes += calls * rf_json_number_of(json_object_get(json_object_get(region, "bytes"), "DRAM"));
  add_flops(part, json_object_get(region, "flops"), calls);
  snprintf(part->flops_counted, sizeof part->flops_counted, "%s",
           rf_json_text_of(json_object_get(counted, "flops")));
  snprintf(part->measurement.counted, sizeof part->measurement.counted, "%s",
           rf_json_text_of(json_object_get(counted, "bytes")));
  json_array_foreach(json_object_get(region, "samples"), index, sample) {
    status = status == ROOF_OK ? cli_part_add_sample(part, rf_json_number_of(sample), error) : status;
  }
  return status;
}

/** Keeps each thing once. */
static void add_skipped(json_t *all, json_t *skipped) {
  size_t index, other;
  json_t *fault, *known;
  json_array_foreach(skipped, index, fault) {
    bool seen = false;
    json_array_foreach(all, other, known) {
      seen = seen || json_equal(known, fault) != 0;
    }
    if (!seen) {
      json_array_append(all, fault);
    }
  }
}

static roof_status read_document(cli_program *program, const char *path, roof_error *error) {
  json_error_t why;
  json_t *root = json_load_file(path, 0, &why), *region;
  size_t index;
  if (root == NULL) {
    return roof_error_set(error, ROOF_E_PARSE, "%s: its regions cannot be read: %s", program->name, why.text);
  }
  roof_status status = ROOF_OK;
  json_array_foreach(json_object_get(root, "kernels"), index, region) {
    status = status == ROOF_OK ? add_region(program, region, error) : status;
  }
  add_skipped(program->skipped, json_object_get(root, "skipped"));
  json_decref(root);
  return status;
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
