#include "measure/fake/script.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/text.h"
#include "roofline/units.h"

static const char built_in[] = "title = FAKE processor (scripted, not a real machine)\n"
                               "cores = 2\n"
                               "clock = 3GHz\n"
                               "fp64 = 192GFLOP/s\n"
                               "fp32 = 384GFLOP/s\n"
                               "read = 40GB/s\n"
                               "triad = 36GB/s\n"
                               "copy = 34GB/s\n"
                               "write = 30GB/s\n"
                               "memory = 32GB\n"
                               "launch = 5us\n"
                               "pace = 1\n"
                               "efficiency = 0.8\n";

static const struct {
  const char *key;
  const char *unit;
  size_t field;
} keys[] = {
    {"cores", "", offsetof(rf_script, cores)},
    {"clock", "Hz", offsetof(rf_script, clock_hz)},
    {"fp64", "FLOP/s", offsetof(rf_script, fp64)},
    {"fp32", "FLOP/s", offsetof(rf_script, fp32)},
    {"read", "B/s", offsetof(rf_script, read)},
    {"triad", "B/s", offsetof(rf_script, triad)},
    {"copy", "B/s", offsetof(rf_script, copy)},
    {"write", "B/s", offsetof(rf_script, write)},
    {"memory", "B", offsetof(rf_script, memory_bytes)},
    {"launch", "s", offsetof(rf_script, launch_seconds)},
    {"core_read", "B/s", offsetof(rf_script, core_read)},
    {"cache", "B", offsetof(rf_script, cache)},
    {"cache_read", "B/s", offsetof(rf_script, cache_read)},
    {"hidden", "", offsetof(rf_script, hidden)},
    {"divide", "", offsetof(rf_script, divide)},
    {"pace", "", offsetof(rf_script, pace)},
    {"efficiency", "", offsetof(rf_script, efficiency)},
};

enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

/** Cuts blanks off both ends. */
static char *trim(char *text) {
  while (isspace((unsigned char)*text)) {
    text++;
  }
  for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);) {
    *--end = '\0';
  }
  return text;
}

static roof_status read_number(const char *text, const char *unit, double *value, roof_error *error) {
  double parsed = 0;
  roof_status status = unit[0] != '\0' ? roof_quantity_parse_unit(text, unit, &parsed, error)
                                       : roof_quantity_parse(text, &parsed, error);
  if (status == ROOF_OK && !(parsed > 0)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: must be more than 0", text);
  }
  if (status == ROOF_OK) {
    *value = parsed;
  }
  return status;
}

static roof_status read_times(rf_script *script, const char *kernel, char *values, roof_error *error) {
  if (script->time_count == RF_SCRIPT_TIMES) {
    return roof_error_set(error, ROOF_E_PARSE, "time %s: more than %d kernels", kernel, RF_SCRIPT_TIMES);
  }
  rf_script_times *times = &script->times[script->time_count];
  *times = (rf_script_times){.count = 0};
  snprintf(times->kernel, sizeof times->kernel, "%s", kernel);
  char *rest = NULL;
  for (char *word = strtok_r(values, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
    if (times->count == RF_SCRIPT_SAMPLES) {
      return roof_error_set(error, ROOF_E_PARSE, "time %s: more than %d samples", kernel, RF_SCRIPT_SAMPLES);
    }
    roof_status status = read_number(word, "s", &times->seconds[times->count], error);
    if (status != ROOF_OK) {
      return status;
    }
    times->count++;
  }
  if (times->count == 0) {
    return roof_error_set(error, ROOF_E_PARSE, "time %s: no samples", kernel);
  }
  script->time_count++;
  return ROOF_OK;
}

/** `domains = 10GB/s 10GB/s 7GB/s`, a rate each. */
static roof_status read_domains(rf_script *script, char *values, roof_error *error) {
  char *rest = NULL;
  script->domain_count = 0;
  for (char *word = strtok_r(values, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
    if (script->domain_count == RF_SCRIPT_DOMAINS) {
      return roof_error_set(error, ROOF_E_PARSE, "domains: more than %d", RF_SCRIPT_DOMAINS);
    }
    roof_status status = read_number(word, "B/s", &script->domains[script->domain_count], error);
    if (status != ROOF_OK) {
      return status;
    }
    script->domain_count++;
  }
  return ROOF_OK;
}

static roof_status read_pair(rf_script *script, char *key, char *value, roof_error *error) {
  static const char time_prefix[] = "time ";
  if (strncmp(key, time_prefix, sizeof time_prefix - 1) == 0) {
    return read_times(script, trim(key + sizeof time_prefix - 1), value, error);
  }
  if (strcmp(key, "title") == 0) {
    snprintf(script->title, sizeof script->title, "%s", value);
    return ROOF_OK;
  }
  if (strcmp(key, "domains") == 0) {
    return read_domains(script, value, error);
  }
  const char *names[KEY_COUNT + 4] = {"title", [KEY_COUNT + 1] = "time KERNEL", [KEY_COUNT + 2] = "domains"};
  for (int i = 0; i < KEY_COUNT; i++) {
    if (strcmp(key, keys[i].key) == 0) {
      return read_number(value, keys[i].unit, (double *)((char *)script + keys[i].field), error);
    }
    names[i + 1] = keys[i].key;
  }
  return roof_error_unknown(error, "key", key, names, NULL);
}

static roof_status read_line(rf_script *script, char *line, roof_error *error) {
  line[strcspn(line, "#\n")] = '\0';
  char *text = trim(line), *equals = strchr(text, '=');
  if (text[0] == '\0') {
    return ROOF_OK;
  }
  if (equals == NULL) {
    return roof_error_set(error, ROOF_E_PARSE, "`%s`: not of the form key = value", text);
  }
  *equals = '\0';
  return read_pair(script, trim(text), trim(equals + 1), error);
}

static roof_status read_stream(rf_script *script, FILE *stream, const char *name, roof_error *error) {
  roof_status status = ROOF_OK;
  char *line = NULL;
  size_t size = 0;
  for (int number = 1; status == ROOF_OK && getline(&line, &size, stream) >= 0; number++) {
    status = read_line(script, line, error);
    if (status != ROOF_OK) {
      roof_error_at(error, name, number, 1);
    }
  }
  free(line);
  return status == ROOF_OK && !feof(stream)
             ? roof_error_set(error, errno == ENOMEM ? ROOF_E_MEMORY : ROOF_E_INPUT, "%s: %s", name,
                              strerror(errno))
             : status;
}

roof_status rf_script_read(rf_script *script, roof_error *error) {
  rf_script result = {.cores = 1};
  char text[sizeof built_in];
  memcpy(text, built_in, sizeof text);
  FILE *stream = fmemopen(text, sizeof text - 1, "r");
  if (stream == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "script: out of memory");
  }
  roof_status status = read_stream(&result, stream, "built-in script", error);
  fclose(stream);
  const char *path = secure_getenv("ROOFLINE_FAKE");
  if (status == ROOF_OK && path != NULL && path[0] != '\0') {
    stream = fopen(path, "re");
    if (stream == NULL) {
      return roof_error_set(error, ROOF_E_INPUT, "%s: %s", path, strerror(errno));
    }
    status = read_stream(&result, stream, path, error);
    fclose(stream);
  }
  if (status == ROOF_OK) {
    *script = result;
  }
  return status;
}
