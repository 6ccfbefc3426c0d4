#include "documents/machine_fields.h"

#include <string.h>

#define AT(struct_, member) .offset = offsetof(struct_, member), .size = sizeof(((struct_ *)0)->member)
#define LIST_IN(struct_, member, counter)                                                                    \
  .offset = offsetof(struct_, member), .size = sizeof(((struct_ *)0)->member[0]),                            \
  .capacity = sizeof(((struct_ *)0)->member) / sizeof(((struct_ *)0)->member[0]),                            \
  .count = offsetof(struct_, counter)
#define LIST(member, counter) LIST_IN(roof_machine, member, counter)
#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

static const field conditions_fields[] = {
    {"samples", .type = FIELD_AMOUNT, AT(roof_conditions, samples)},
    {"warm_up_samples", .type = FIELD_AMOUNT, AT(roof_conditions, warm_up_samples)},
    {"stopped", .type = FIELD_TEXT, AT(roof_conditions, stopped)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_conditions, spread)},
    {"rounds", .type = FIELD_NUMBERS, LIST_IN(roof_conditions, rounds, round_count)},
    {"outliers", .type = FIELD_AMOUNT, AT(roof_conditions, outliers)},
    {"per_cycle", .type = FIELD_AMOUNT, AT(roof_conditions, per_cycle)},
    {"clock_before_hz", .type = FIELD_POSITIVE, AT(roof_conditions, clock_before_hz)},
    {"clock_hz", .type = FIELD_POSITIVE, AT(roof_conditions, clock_hz)},
    {"clock_after_hz", .type = FIELD_POSITIVE, AT(roof_conditions, clock_after_hz)},
    {"clock_drift", .type = FIELD_AMOUNT, AT(roof_conditions, clock_drift)},
    {"voluntary_switches", .type = FIELD_AMOUNT, AT(roof_conditions, voluntary_switches)},
    {"involuntary_switches", .type = FIELD_AMOUNT, AT(roof_conditions, involuntary_switches)},
    {"stolen_seconds", .type = FIELD_AMOUNT, AT(roof_conditions, stolen_seconds)},
    {"load", .type = FIELD_AMOUNT, AT(roof_conditions, load)},
    {"noisy", .type = FIELD_TEXT, AT(roof_conditions, noisy)},
};
const record rf_conditions_record = {conditions_fields, COUNT(conditions_fields)};

#define CONDITIONS(struct_, member) .type = FIELD_OBJECT, AT(struct_, member), .record = &rf_conditions_record

static const field peak_fields[] = {
    {"dtype", .type = FIELD_DTYPE, AT(roof_peak, dtype), .required = true},
    {"unit", .type = FIELD_UNIT, AT(roof_peak, unit), .required = true},
    {"isa", .type = FIELD_TEXT, AT(roof_peak, isa)},
    {"cores", .type = FIELD_CORES, AT(roof_peak, cores)},
    {"core_kind", .type = FIELD_TEXT, AT(roof_peak, core_kind)},
    {"threads_per_core", .type = FIELD_CORES, AT(roof_peak, threads_per_core)},
    {"flops_per_second", .type = FIELD_POSITIVE, AT(roof_peak, flops_per_second)},
    {"limit_flops_per_second", .type = FIELD_POSITIVE, AT(roof_peak, limit_flops_per_second)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_peak, spread)},
    {"sparse", .type = FIELD_FLAG, AT(roof_peak, sparse)},
    {"mixed", .type = FIELD_FLAG, AT(roof_peak, mixed)},
    {"supported", .type = FIELD_SUPPORTED, AT(roof_peak, unsupported)},
    {"flops_per_cycle", .type = FIELD_POSITIVE, AT(roof_peak, flops_per_cycle)},
    {"clock_hz", .type = FIELD_POSITIVE, AT(roof_peak, clock_hz)},
    {"conditions", CONDITIONS(roof_peak, conditions)},
    {"kind", .type = FIELD_KIND, AT(roof_peak, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_peak, source)},
    {"date", .type = FIELD_TEXT, AT(roof_peak, date)},
};
const record rf_peak_record = {peak_fields, COUNT(peak_fields)};

static const field loaded_fields[] = {
    {"bytes_per_second", .type = FIELD_AMOUNT, AT(roof_loaded_latency, bytes_per_second), .required = true},
    {"latency_seconds", .type = FIELD_POSITIVE, AT(roof_loaded_latency, latency_seconds), .required = true},
};
static const record loaded_record = {loaded_fields, COUNT(loaded_fields)};

static const field mode_fields[] = {
    {"pattern", .type = FIELD_TEXT, AT(roof_modes, pattern), .required = true},
    {"fast_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_modes, fast_bytes_per_second),
     .required = true},
    {"slow_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_modes, slow_bytes_per_second),
     .required = true},
};
static const record mode_record = {mode_fields, COUNT(mode_fields)};

static const field level_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_level, name), .required = true},
    {"level", .type = FIELD_LEVEL, AT(roof_level, level)},
    {"bytes", .type = FIELD_POSITIVE, AT(roof_level, bytes)},
    {"instances", .type = FIELD_POSITIVE, AT(roof_level, instances)},
    {"cores", .type = FIELD_CORES, AT(roof_level, cores)},
    {"core_kind", .type = FIELD_TEXT, AT(roof_level, core_kind)},
    {"threads_per_core", .type = FIELD_CORES, AT(roof_level, threads_per_core)},
    {"bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, bytes_per_second)},
    {"read_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, read_bytes_per_second)},
    {"write_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, write_bytes_per_second)},
    {"copy_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, copy_bytes_per_second)},
    {"update_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, update_bytes_per_second)},
    {"triad_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, triad_bytes_per_second)},
    {"latency_seconds", .type = FIELD_POSITIVE, AT(roof_level, latency_seconds)},
    {"loaded_latency", .type = FIELD_POINTS, LIST_IN(roof_level, loaded_latency, loaded_latency_count),
     .record = &loaded_record},
    {"modes", .type = FIELD_POINTS, LIST_IN(roof_level, modes, mode_count), .record = &mode_record},
    {"plateau_bytes", .type = FIELD_POSITIVE, AT(roof_level, plateau_bytes)},
    {"plateau", .type = FIELD_TEXT, AT(roof_level, plateau)},
    {"limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, limit_bytes_per_second)},
    {"write_limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, write_limit_bytes_per_second)},
    {"copy_limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, copy_limit_bytes_per_second)},
    {"update_limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, update_limit_bytes_per_second)},
    {"triad_limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, triad_limit_bytes_per_second)},
    {"clock_hz", .type = FIELD_POSITIVE, AT(roof_level, clock_hz)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_level, spread)},
    {"read_conditions", CONDITIONS(roof_level, read)},
    {"write_conditions", CONDITIONS(roof_level, write)},
    {"copy_conditions", CONDITIONS(roof_level, copy)},
    {"update_conditions", CONDITIONS(roof_level, update)},
    {"triad_conditions", CONDITIONS(roof_level, triad)},
    {"bus_bits", .type = FIELD_POSITIVE, AT(roof_level, bus_bits)},
    {"transfers_per_second", .type = FIELD_POSITIVE, AT(roof_level, transfers_per_second)},
    {"kind", .type = FIELD_KIND, AT(roof_level, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_level, source)},
    {"date", .type = FIELD_TEXT, AT(roof_level, date)},
};
const record rf_level_record = {level_fields, COUNT(level_fields)};

static const field link_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_link, name), .required = true},
    {"bytes_per_second", .type = FIELD_POSITIVE, AT(roof_link, bytes_per_second)},
    {"both_ways_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_link, both_ways_bytes_per_second)},
    {"latency_seconds", .type = FIELD_POSITIVE, AT(roof_link, latency_seconds)},
    {"count", .type = FIELD_POSITIVE, AT(roof_link, count)},
    {"kind", .type = FIELD_KIND, AT(roof_link, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_link, source)},
    {"date", .type = FIELD_TEXT, AT(roof_link, date)},
};
static const record link_record = {link_fields, COUNT(link_fields)};

static const field cost_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_cost, name), .required = true},
    {"cores", .type = FIELD_CORES, AT(roof_cost, cores)},
    {"seconds", .type = FIELD_POSITIVE, AT(roof_cost, seconds)},
    {"least_seconds", .type = FIELD_POSITIVE, AT(roof_cost, least_seconds)},
    {"most_seconds", .type = FIELD_POSITIVE, AT(roof_cost, most_seconds)},
    {"clock_hz", .type = FIELD_POSITIVE, AT(roof_cost, clock_hz)},
    {"samples", .type = FIELD_POSITIVE, AT(roof_cost, samples)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_cost, spread)},
    {"kind", .type = FIELD_KIND, AT(roof_cost, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_cost, source)},
    {"date", .type = FIELD_TEXT, AT(roof_cost, date)},
};
static const record cost_record = {cost_fields, COUNT(cost_fields)};

static const field tlb_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_tlb, name), .required = true},
    {"page_bytes", .type = FIELD_POSITIVE, AT(roof_tlb, page_bytes), .required = true},
    {"entries", .type = FIELD_POSITIVE, AT(roof_tlb, entries)},
    {"reach_bytes", .type = FIELD_POSITIVE, AT(roof_tlb, reach_bytes)},
    {"miss_seconds", .type = FIELD_POSITIVE, AT(roof_tlb, miss_seconds)},
    {"kind", .type = FIELD_KIND, AT(roof_tlb, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_tlb, source)},
    {"date", .type = FIELD_TEXT, AT(roof_tlb, date)},
};
static const record tlb_record = {tlb_fields, COUNT(tlb_fields)};

static const field curve_fields[] = {
    {"bytes", .type = FIELD_POSITIVE, AT(roof_curve_point, bytes), .required = true},
    {"bytes_per_second", .type = FIELD_POSITIVE, AT(roof_curve_point, bytes_per_second), .required = true},
};
static const record curve_record = {curve_fields, COUNT(curve_fields)};

static const field domain_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_domain, name), .required = true},
    {"cores", .type = FIELD_AMOUNT, AT(roof_domain, cores)},
    {"bytes", .type = FIELD_AMOUNT, AT(roof_domain, bytes)},
    {"read_bytes_per_second", .type = FIELD_NUMBERS, LIST_IN(roof_domain, read_bytes_per_second, read_count)},
    {"latency_seconds", .type = FIELD_NUMBERS, LIST_IN(roof_domain, latency_seconds, latency_count)},
    {"kind", .type = FIELD_KIND, AT(roof_domain, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_domain, source)},
    {"date", .type = FIELD_TEXT, AT(roof_domain, date)},
};
static const record domain_record = {domain_fields, COUNT(domain_fields)};

static const field library_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_library, name), .required = true},
    {"version", .type = FIELD_TEXT, AT(roof_library, version)},
    {"op", .type = FIELD_TEXT, AT(roof_library, op), .required = true},
    {"dtype", .type = FIELD_DTYPE, AT(roof_library, dtype), .required = true},
    {"cores", .type = FIELD_CORES, AT(roof_library, cores)},
    {"parameters", .type = FIELD_TEXT, AT(roof_library, parameters)},
    {"flops_per_second", .type = FIELD_POSITIVE, AT(roof_library, flops_per_second)},
    {"fraction_of_peak", .type = FIELD_POSITIVE, AT(roof_library, fraction_of_peak)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_library, spread)},
    {"skipped", .type = FIELD_TEXT, AT(roof_library, skipped)},
    {"kind", .type = FIELD_KIND, AT(roof_library, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_library, source)},
    {"date", .type = FIELD_TEXT, AT(roof_library, date)},
};
static const record library_record = {library_fields, COUNT(library_fields)};

static const field flop_energy_fields[] = {
    {"dtype", .type = FIELD_DTYPE, AT(roof_flop_energy, dtype), .required = true},
    {"unit", .type = FIELD_UNIT, AT(roof_flop_energy, unit), .required = true},
    {"joules", .type = FIELD_POSITIVE, AT(roof_flop_energy, joules), .required = true},
    {"kind", .type = FIELD_KIND, AT(roof_flop_energy, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_flop_energy, source)},
};
static const record flop_energy_record = {flop_energy_fields, COUNT(flop_energy_fields)};

static const field byte_energy_fields[] = {
    {"level", .type = FIELD_LEVEL, AT(roof_byte_energy, level), .required = true},
    {"joules", .type = FIELD_POSITIVE, AT(roof_byte_energy, joules), .required = true},
    {"kind", .type = FIELD_KIND, AT(roof_byte_energy, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_byte_energy, source)},
};
static const record byte_energy_record = {byte_energy_fields, COUNT(byte_energy_fields)};

static const field energy_fields[] = {
    {"joules_per_flop", .type = FIELD_POSITIVE, AT(roof_energy, joules_per_flop)},
    {"fp32_joules_per_flop", .type = FIELD_POSITIVE, AT(roof_energy, fp32_joules_per_flop)},
    {"joules_per_byte", .type = FIELD_POSITIVE, AT(roof_energy, joules_per_byte)},
    {"total_joules_per_flop", .type = FIELD_POSITIVE, AT(roof_energy, total_joules_per_flop)},
    {"total_fp32_joules_per_flop", .type = FIELD_POSITIVE, AT(roof_energy, total_fp32_joules_per_flop)},
    {"total_joules_per_byte", .type = FIELD_POSITIVE, AT(roof_energy, total_joules_per_byte)},
    {"idle_watts", .type = FIELD_AMOUNT, AT(roof_energy, idle_watts)},
    {"watts", .type = FIELD_POSITIVE, AT(roof_energy, watts)},
    {"flops", .type = FIELD_POINTS, LIST_IN(roof_energy, flops, flop_count), .record = &flop_energy_record},
    {"bytes", .type = FIELD_POINTS, LIST_IN(roof_energy, bytes, byte_count), .record = &byte_energy_record},
    {"kind", .type = FIELD_KIND, AT(roof_energy, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_energy, source)},
};
static const record energy_record = {energy_fields, COUNT(energy_fields)};

static const field machine_fields[] = {
    {"schema", .type = FIELD_SCHEMA, .required = true},
    {"name", .type = FIELD_NAME, AT(roof_machine, name), .required = true},
    {"title", .type = FIELD_TEXT, AT(roof_machine, title)},
    {"vendor", .type = FIELD_TEXT, AT(roof_machine, vendor)},
    {"architecture", .type = FIELD_TEXT, AT(roof_machine, architecture)},
    {"device_class", .type = FIELD_TEXT, AT(roof_machine, device_class)},
    {"kind", .type = FIELD_KIND, AT(roof_machine, kind)},
    {"date", .type = FIELD_TEXT, AT(roof_machine, date)},
    {"aliases", .type = FIELD_NAMES, LIST(aliases, alias_count)},
    {"unit_kind", .type = FIELD_TEXT, AT(roof_machine, unit_kind)},
    {"unit_count", .type = FIELD_POSITIVE, AT(roof_machine, unit_count)},
    {"clock_hz", .type = FIELD_POSITIVE, AT(roof_machine, clock_hz)},
    {"launch_seconds", .type = FIELD_AMOUNT, AT(roof_machine, launch_seconds)},
    {"clock_conditions", CONDITIONS(roof_machine, clock)},
    {"launch_conditions", CONDITIONS(roof_machine, launch)},
    {"overhead_cutoff_seconds", .type = FIELD_AMOUNT, AT(roof_machine, overhead_cutoff_seconds)},
    {"peaks", .type = FIELD_OBJECTS, LIST(peaks, peak_count), .record = &rf_peak_record},
    {"levels", .type = FIELD_OBJECTS, LIST(levels, level_count), .record = &rf_level_record},
    {"links", .type = FIELD_OBJECTS, LIST(links, link_count), .record = &link_record},
    {"costs", .type = FIELD_OBJECTS, LIST(costs, cost_count), .record = &cost_record},
    {"tlbs", .type = FIELD_OBJECTS, LIST(tlbs, tlb_count), .record = &tlb_record},
    {"curve", .type = FIELD_POINTS, LIST(curve, curve_count), .record = &curve_record},
    {"domains", .type = FIELD_POINTS, LIST(domains, domain_count), .record = &domain_record},
    {"libraries", .type = FIELD_OBJECTS, LIST(libraries, library_count), .record = &library_record},
    {"energy", .type = FIELD_OBJECT, AT(roof_machine, energy), .record = &energy_record},
    {"notes", .type = FIELD_TEXTS, LIST(notes, note_count)},
};
const record rf_machine_record = {machine_fields, COUNT(machine_fields)};
_Static_assert(COUNT(machine_fields) <= FIELD_MAX && COUNT(level_fields) <= FIELD_MAX, "FIELD_MAX");

bool rf_machine_name_is_good(const char *name) {
  size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-");
  return good > 0 && name[good] == '\0';
}
