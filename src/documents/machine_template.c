#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "documents/machine_fields.h"
#include "roofline/documents.h"
#include "roofline/units.h"

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
      ("Replace every figure and its source, set kind to datasheet, secondary, measured or assumed, then: "
       "roofline machine lint FILE."),
      "Peaks are dense; a figure with structured sparsity is an entry of its own with \"sparse\": true.",
      "A format the hardware lacks is an entry with \"supported\": false and no flops_per_second.",
      ("flops_per_second = unit_count x flops_per_cycle x clock_hz (the peak's own clock_hz, else the "
       "machine's)."),
      "Memory: bytes_per_second = bus_bits / 8 x transfers_per_second. Levels go from inner to outer.",
      "Links: bytes_per_second is one direction, all links or lanes together.",
      "null means unknown; delete these notes when done."};
  for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
    strcpy(roof_machine_add_note(m), notes[i]);
  }
}

static void add_names(roof_machine *m) {
  strcpy(m->title, "REPLACE: name as the vendor writes it");
  strcpy(m->vendor, "REPLACE");
  strcpy(m->device_class, "gpu");
  m->kind = ROOF_ASSUMED;
}

static void set_clock(roof_machine *m, double units, double clock_hz) {
  m->unit_count = units;
  m->clock_hz = clock_hz;
  rf_origin_set(&m->unit_origin, ROOF_ASSUMED, source, m->date);
  rf_origin_set(&m->clock_origin, ROOF_ASSUMED, source, m->date);
}

static void set_bus(roof_level *memory, double bits, double transfers_per_second) {
  memory->bus_bits = bits;
  memory->transfers_per_second = transfers_per_second;
  memory->bytes_per_second = bits / 8 * transfers_per_second;
}

static void fill(roof_machine *m) {
  add_names(m);
  strcpy(m->unit_kind, "SM");
  set_clock(m, 100, 2e9);
  add_peak(m, ROOF_FP32, ROOF_VECTOR, 256);
  add_peak(m, ROOF_FP16, ROOF_MATRIX, 4096);
  add_peak(m, ROOF_BF16, ROOF_MATRIX, 4096);
  add_level(m, "L1", ROOF_L1, 256 * 1024, m->unit_count);
  add_level(m, "L2", ROOF_L2, 48 * 1024 * 1024, 1);
  set_bus(add_level(m, "HBM", ROOF_MEMORY, 80 * 0x1p30, 1), 4096, 6e9);
  add_link(m);
  m->energy.watts = 500;
  m->energy.kind = ROOF_ASSUMED;
  strcpy(m->energy.source, source);
  strcpy(m->energy.date, m->date);
  add_notes(m);
}

/** "108 units x 128 FLOP/cycle x 1.410 GHz = 19.49 TFLOP/s" */
static void note_arithmetic(roof_machine *m) {
  enum { SHORT = 48 };
  const roof_peak *peak = &m->peaks[0];
  const roof_level *memory = &m->levels[0];
  char clock[SHORT], rate[SHORT], transfers[SHORT], bandwidth[SHORT];
  roof_text text = {0};
  roof_text_addf(&text, "peak: %.15g units x %.15g FLOP per cycle x %s = %s", m->unit_count,
                 peak->flops_per_cycle, roof_quantity_format(clock, SHORT, m->clock_hz, "Hz"),
                 roof_quantity_format(rate, SHORT, peak->flops_per_second, "FLOP/s"));
  roof_text_addf(&text, "; bandwidth: %.15g bits / 8 x %s = %s", memory->bus_bits,
                 roof_quantity_format(transfers, SHORT, memory->transfers_per_second, "T/s"),
                 roof_quantity_format(bandwidth, SHORT, memory->bytes_per_second, "B/s"));
  snprintf(roof_machine_add_note(m), ROOF_SOURCE_MAX, "%s", text.data != NULL ? text.data : "");
  roof_text_done(&text);
}

static void compute(roof_machine *m, const roof_machine_parts *parts) {
  add_names(m);
  set_clock(m, parts->units, parts->clock_hz);
  add_peak(m, parts->dtype, ROOF_VECTOR, parts->flops_per_cycle);
  set_bus(add_level(m, "memory", ROOF_MEMORY, NAN, 1), parts->bus_bits, parts->transfers_per_second);
  note_arithmetic(m);
}

bool rf_machine_name_is_good(const char *name) {
  size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-");
  return good > 0 && name[good] == '\0';
}

/** A machine of that name and today's date. */
static roof_status begin(const char *name, roof_machine **machine, roof_error *error) {
  if (!rf_machine_name_is_good(name) || strlen(name) >= ROOF_NAME_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "name `%.80s`: up to %d letters, digits and . _ + - only",
                          name, ROOF_NAME_MAX - 1);
  }
  roof_machine *made = roof_machine_new();
  if (made == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "machine `%s`: out of memory", name);
  }
  strcpy(made->name, name);
  time_t now = time(NULL);
  struct tm day;
  if (gmtime_r(&now, &day) != NULL) {
    strftime(made->date, sizeof made->date, "%Y-%m-%d", &day);
  }
  *machine = made;
  return ROOF_OK;
}

static roof_status check_parts(const roof_machine_parts *parts, roof_error *error) {
  const struct {
    const char *name;
    double value;
  } all[] = {{"units", parts->units},
             {"clock", parts->clock_hz},
             {"flops-per-cycle", parts->flops_per_cycle},
             {"bus", parts->bus_bits},
             {"rate", parts->transfers_per_second}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (!(all[i].value > 0)) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "%s: %s; a peak is units x flops-per-cycle x clock, a bandwidth bus / 8 x rate",
                            all[i].name, isnan(all[i].value) ? "missing" : "must be above 0");
    }
  }
  return ROOF_OK;
}

roof_status roof_machine_template(const char *name, roof_text *out, roof_error *error) {
  roof_machine *machine = NULL;
  roof_status status = begin(name, &machine, error);
  if (status == ROOF_OK) {
    fill(machine);
    status = roof_machine_write(machine, out, error);
  }
  roof_machine_free(machine);
  return status;
}

roof_status roof_machine_compute(const char *name, const roof_machine_parts *parts, roof_text *out,
                                 roof_error *error) {
  roof_machine *machine = NULL;
  roof_status status = check_parts(parts, error);
  status = status == ROOF_OK ? begin(name, &machine, error) : status;
  if (status == ROOF_OK) {
    compute(machine, parts);
    status = roof_machine_write(machine, out, error);
  }
  roof_machine_free(machine);
  return status;
}
