#include <stdio.h>
#include <string.h>
#include <time.h>

#include "documents/machine_fields.h"
#include "roofline/documents.h"

static const char source[] = "REPLACE: datasheet, page or address";

/** Adds a dense peak of `flops_per_cycle` FLOP per unit and cycle at the machine's clock. */
static void add_peak(roof_machine *m, roof_dtype dtype, roof_unit unit, double flops_per_cycle) {
  roof_peak *peak = roof_machine_add_peak(m);
  peak->dtype = dtype;
  peak->unit = unit;
  peak->kind = ROOF_ASSUMED;
  peak->flops_per_cycle = flops_per_cycle;
  peak->flops_per_second = m->unit_count * flops_per_cycle * m->clock_hz;
  strcpy(peak->source, source);
  strcpy(peak->date, m->date);
}

static roof_level *add_level(roof_machine *m, const char *name, roof_level_kind kind, double bytes,
                             double instances) {
  roof_level *level = roof_machine_add_level(m);
  strcpy(level->name, name);
  level->level = kind;
  level->kind = ROOF_ASSUMED;
  level->bytes = bytes;
  level->instances = instances;
  strcpy(level->source, source);
  strcpy(level->date, m->date);
  return level;
}

static void add_link(roof_machine *m) {
  roof_link *link = roof_machine_add_link(m);
  strcpy(link->name, "PCIe 5.0 x16");
  link->kind = ROOF_ASSUMED;
  link->bytes_per_second = 63e9;
  link->both_ways_bytes_per_second = 126e9;
  link->count = 16;
  strcpy(link->source, source);
  strcpy(link->date, m->date);
}

static void add_notes(roof_machine *m) {
  static const char *const notes[] = {
      "Replace every figure and its source, set kind to datasheet, measured or assumed, then: roofline "
      "machine lint FILE.",
      "Peaks are dense; a figure with structured sparsity is an entry of its own with \"sparse\": true.",
      "A format the hardware lacks is an entry with \"supported\": false and no flops_per_second.",
      "flops_per_second = unit_count x flops_per_cycle x clock_hz (the peak's own clock_hz, else the "
      "machine's).",
      "Memory: bytes_per_second = bus_bits / 8 x transfers_per_second. Levels go from inner to outer.",
      "Links: bytes_per_second is one direction, all links or lanes together.",
      "null means unknown; delete these notes when done."};
  for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
    strcpy(roof_machine_add_note(m), notes[i]);
  }
}

static void fill(roof_machine *m) {
  strcpy(m->title, "REPLACE: name as the vendor writes it");
  strcpy(m->vendor, "REPLACE");
  strcpy(m->device_class, "gpu");
  strcpy(m->unit_kind, "SM");
  m->kind = ROOF_ASSUMED;
  m->unit_count = 100;
  m->clock_hz = 2e9;
  rf_origin_set(&m->unit_origin, ROOF_ASSUMED, source, m->date);
  rf_origin_set(&m->clock_origin, ROOF_ASSUMED, source, m->date);
  add_peak(m, ROOF_FP32, ROOF_VECTOR, 256);
  add_peak(m, ROOF_FP16, ROOF_MATRIX, 4096);
  add_peak(m, ROOF_BF16, ROOF_MATRIX, 4096);
  add_level(m, "L1", ROOF_L1, 256 * 1024, m->unit_count);
  add_level(m, "L2", ROOF_L2, 48 * 1024 * 1024, 1);
  roof_level *memory = add_level(m, "HBM", ROOF_MEMORY, 80 * 0x1p30, 1);
  memory->bus_bits = 4096;
  memory->transfers_per_second = 6e9;
  memory->bytes_per_second = memory->bus_bits / 8 * memory->transfers_per_second;
  add_link(m);
  m->energy.watts = 500;
  m->energy.kind = ROOF_ASSUMED;
  strcpy(m->energy.source, source);
  strcpy(m->energy.date, m->date);
  add_notes(m);
}

bool rf_machine_name_is_good(const char *name) {
  size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-");
  return good > 0 && name[good] == '\0';
}

roof_status roof_machine_template(const char *name, roof_text *out, roof_error *error) {
  if (!rf_machine_name_is_good(name) || strlen(name) >= ROOF_NAME_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "name `%.80s`: up to %d letters, digits and . _ + - only",
                          name, ROOF_NAME_MAX - 1);
  }
  roof_machine *machine = roof_machine_new();
  if (machine == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "machine `%s`: out of memory", name);
  }
  strcpy(machine->name, name);
  time_t now = time(NULL);
  struct tm day;
  if (gmtime_r(&now, &day) != NULL) {
    strftime(machine->date, sizeof machine->date, "%Y-%m-%d", &day);
  }
  fill(machine);
  roof_status status = roof_machine_write(machine, out, error);
  roof_machine_free(machine);
  return status;
}
