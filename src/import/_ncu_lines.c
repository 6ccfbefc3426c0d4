/* Field numbers: NVIDIA's Customization Guide, "Report File Format", and reports of Nsight Compute 2022 to 2024. */
#include "import/_ncu_lines.h"

#include <stdlib.h>
#include <string.h>

#include "import/_cubin.h"
#include "import/_stalls.h"

enum {
  SAMPLES = ROOF_STALL_COUNT,
  EXECUTED,
  /* fields of a source: a binary and the functions that were loaded from it */
  SOURCE_ID = 1,
  SOURCE_CODE = 4,
  SOURCE_FUNCTION = 9,
  FUNCTION_NAME = 1,
  FUNCTION_ADDRESS = 2,
  /* of MetricResults, its instances and their values */
  METRIC_INSTANCE = 3,
  INSTANCE_ADDRESS = 1,
  INSTANCE_VALUE = 2,
  VALUE_U32 = 4,
  VALUE_U64 = 5
};

/** Room for one more element. */
static bool grow(void *list, size_t *room, size_t count, size_t size) {
  if (count < *room) {
    return true;
  }
  size_t more = *room * 2 + 16;
  void *grown = realloc(*(void **)list, more * size);
  if (grown == NULL) {
    return false;
  }
  *(void **)list = grown;
  *room = more;
  return true;
}

bool rf_ncu_source_add(ncu_sources *sources, proto message) {
  proto_field id;
  if (!rf_proto_find(message, SOURCE_ID, &id)) {
    return true;
  }
  if (!grow(&sources->list, &sources->room, sources->count, sizeof *sources->list)) {
    return false;
  }
  sources->list[sources->count++] = (ncu_source){id.number, message};
  return true;
}

void rf_ncu_sources_done(ncu_sources *sources) {
  free(sources->list);
  *sources = (ncu_sources){0};
}

static bool whole_number(proto message, uint32_t field, uint64_t *number) {
  proto_field value, f;
  bool known = rf_proto_find(message, field, &value) && value.wire == 2 &&
               (rf_proto_find(value.bytes, VALUE_U64, &f) || rf_proto_find(value.bytes, VALUE_U32, &f)) &&
               f.wire == 0;
  *number = known ? f.number : 0;
  return known;
}

bool rf_ncu_instances_add(ncu_instances *all, const char *name, proto metric) {
  bool samples = strcmp(name, "smsp__pcsamp_sample_count") == 0,
       executed = strcmp(name, "inst_executed") == 0;
  roof_stall stall = rf_stall_sampled(name);
  int what = samples ? (int)SAMPLES : executed ? (int)EXECUTED : (int)stall;
  bool used = samples || executed || stall != ROOF_STALL_COUNT, bad = false;
  for (proto_field f; used && rf_proto_next(&metric, &f, &bad);) {
    ncu_instance one = {.what = what};
    if (f.id != METRIC_INSTANCE || f.wire != 2 || !whole_number(f.bytes, INSTANCE_ADDRESS, &one.address) ||
        !whole_number(f.bytes, INSTANCE_VALUE, &one.value)) {
      continue;
    }
    if (!grow(&all->list, &all->room, all->count, sizeof *all->list)) {
      return false;
    }
    all->list[all->count++] = one;
  }
  return true;
}

void rf_ncu_instances_done(ncu_instances *all) {
  free(all->list);
  *all = (ncu_instances){0};
}

static int by_address(const void *a, const void *b) {
  const ncu_instance *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

/** The function around an address: the last that begins at it or before. */
typedef struct place {
  char name[512]; /* a longer one has no lines */
  uint64_t begin;
} place;

static void find_function(proto source, uint64_t address, place *in) {
  bool bad = false, found = false;
  for (proto_field f; rf_proto_next(&source, &f, &bad);) {
    proto_field name, begin;
    if (f.id == SOURCE_FUNCTION && f.wire == 2 && rf_proto_find(f.bytes, FUNCTION_NAME, &name) &&
        name.wire == 2 && rf_proto_find(f.bytes, FUNCTION_ADDRESS, &begin) && begin.number <= address &&
        (!found || begin.number >= in->begin)) {
      size_t length = (size_t)(name.bytes.end - name.bytes.at);
      length = length < sizeof in->name ? length : sizeof in->name - 1;
      memcpy(in->name, name.bytes.at, length);
      in->name[length] = '\0';
      in->begin = begin.number;
      found = true;
    }
  }
}

/** Adds all that was counted at one address. */
static void add_instruction(roof_profile *profile, roof_record *record, const ncu_instance *list,
                            size_t count, const place *in, const cubin_row *row) {
  roof_line line = {.function = in->name, .offset = list[0].address - in->begin, .file = ""};
  for (size_t i = 0; i < count; i++) {
    uint64_t *to = list[i].what == SAMPLES    ? &line.samples
                   : list[i].what == EXECUTED ? &line.executed
                                              : &line.stalls[list[i].what];
    *to += list[i].value;
  }
  if (row != NULL) {
    bool whole = row->folder[0] == '\0' || row->file[0] == '/';
    line.file = whole ? row->file : rf_import_textf(profile, "%s/%s", row->folder, row->file);
    line.number = row->line;
  }
  rf_import_line_cost(profile, record, &line);
}

roof_status rf_ncu_lines_add(roof_profile *profile, roof_record *record, ncu_instances *all,
                             const ncu_sources *sources, uint64_t source, const char *function,
                             roof_error *error) {
  proto message = {NULL, NULL};
  proto_field code;
  cubin_lines lines = {0};
  place in = {.begin = UINT64_MAX};
  for (size_t i = 0; i < sources->count; i++) {
    message = sources->list[i].id == source ? sources->list[i].message : message;
  }
  bool known = message.at < message.end && rf_proto_find(message, SOURCE_CODE, &code) && code.wire == 2,
       good = true;
  if (all->count > 0) {
    qsort(all->list, all->count, sizeof *all->list, by_address);
    profile->dimensions |= 1u << ROOF_BY_LINE;
  }
  for (size_t i = 0, next; i < all->count && good; i = next) {
    place at = {.begin = all->list[0].address};
    for (next = i; next < all->count && all->list[next].address == all->list[i].address;) {
      next++;
    }
    snprintf(at.name, sizeof at.name, "%s", function);
    find_function(message, all->list[i].address, &at);
    if (at.begin != in.begin) {
      rf_cubin_done(&lines);
      in = at;
      good = !known || rf_cubin_read(code.bytes, in.name, &lines);
    }
    add_instruction(profile, record, all->list + i, next - i, &in,
                    rf_cubin_at(&lines, all->list[i].address - in.begin));
  }
  rf_cubin_done(&lines);
  return good ? rf_import_settled(profile, error)
              : roof_error_set(error, ROOF_E_MEMORY, "ncu-rep: out of memory");
}
