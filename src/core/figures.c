/* Every figure of a machine: one row a field. The rows drive what makes, copies, reads, writes, shows, shares
 * among cores and checks them. */
#include "core/figures.h"

#define AT(struct_, member) .offset = offsetof(struct_, member), .size = sizeof(((struct_ *)0)->member)
#define LIST_IN(struct_, member, counter)                                                                    \
  .offset = offsetof(struct_, member), .size = sizeof(((struct_ *)0)->member[0]),                            \
  .capacity = sizeof(((struct_ *)0)->member) / sizeof(((struct_ *)0)->member[0]),                            \
  .count = offsetof(struct_, counter)
#define OWNED(struct_, member, counter, most)                                                                \
  .offset = offsetof(struct_, member), .size = sizeof(((struct_ *)0)->member[0]), .capacity = (most),        \
  .count = offsetof(struct_, counter), .owned = true
#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))
#define RECORD(struct_, fields)                                                                              \
  { fields, COUNT(fields), sizeof(struct_), 0, 0 }
#define PARTED(struct_, fields, part, part_struct)                                                           \
  { fields, COUNT(fields), sizeof(struct_), offsetof(struct_, part), sizeof(part_struct) }

static const rf_field conditions_fields[] = {
    {"samples", .type = FIELD_AMOUNT, AT(roof_conditions, samples)},
    {"warm_up_samples", .type = FIELD_AMOUNT, AT(roof_conditions, warm_up_samples)},
    {"stopped", .type = FIELD_TEXT, AT(roof_conditions, stopped)},
    {"shared", .type = FIELD_AMOUNT, AT(roof_conditions, shared)},
    {"disturbed", .type = FIELD_AMOUNT, AT(roof_conditions, disturbed)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_conditions, spread)},
    {"rounds", .type = FIELD_NUMBERS, LIST_IN(roof_conditions, rounds, round_count)},
    {"outliers", .type = FIELD_AMOUNT, AT(roof_conditions, outliers)},
    {"per_cycle", .type = FIELD_AMOUNT, AT(roof_conditions, per_cycle)},
    {"clock_before_hz", .type = FIELD_POSITIVE, AT(roof_conditions, clock_before_hz)},
    {"clock_hz", .type = FIELD_CLOCK, AT(roof_conditions, clock_hz)},
    {"clock_after_hz", .type = FIELD_POSITIVE, AT(roof_conditions, clock_after_hz)},
    {"clock_spread", .type = FIELD_AMOUNT, AT(roof_conditions, clock_spread)},
    {"clock_drift", .type = FIELD_AMOUNT, AT(roof_conditions, clock_drift)},
    {"voluntary_switches", .type = FIELD_AMOUNT, AT(roof_conditions, voluntary_switches)},
    {"involuntary_switches", .type = FIELD_AMOUNT, AT(roof_conditions, involuntary_switches)},
    {"stolen_seconds", .type = FIELD_AMOUNT, AT(roof_conditions, stolen_seconds)},
    {"load", .type = FIELD_AMOUNT, AT(roof_conditions, load)},
    {"noisy", .type = FIELD_TEXT, AT(roof_conditions, noisy)},
};
const rf_record rf_conditions_record = RECORD(roof_conditions, conditions_fields);

/** How a figure was measured. */
#define CONDITIONS(part_struct, member)                                                                      \
  .type = FIELD_OBJECT, AT(part_struct, member), .record = &rf_conditions_record, .measured = true

static const rf_field origin_fields[] = {
    {"kind", .type = FIELD_KIND, AT(roof_origin, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_origin, source)},
    {"date", .type = FIELD_TEXT, AT(roof_origin, date)},
};
const rf_record rf_origin_record = RECORD(roof_origin, origin_fields);

static const rf_field peak_fields[] = {
    {"dtype", .type = FIELD_SCALED, AT(roof_peak, dtype), .required = true},
    {"unit", .type = FIELD_UNIT, AT(roof_peak, unit), .required = true},
    {"isa", .type = FIELD_TEXT, AT(roof_peak, isa)},
    {"cores", .type = FIELD_CORES, AT(roof_peak, cores)},
    {"core_kind", .type = FIELD_TEXT, AT(roof_peak, core_kind)},
    {"threads_per_core", .type = FIELD_CORES, AT(roof_peak, threads_per_core)},
    {"flops_per_second", .type = FIELD_POSITIVE, AT(roof_peak, flops_per_second), .label = "",
     .unit = "FLOP/s", .rank = 1, .limit = offsetof(roof_peak, limit_flops_per_second), .conditions = 1,
     .shared = true},
    {"limit_flops_per_second", .type = FIELD_POSITIVE, AT(roof_peak, limit_flops_per_second), .shared = true},
    {"spread", .type = FIELD_AMOUNT, AT(roof_peak, spread)},
    {"sparse", .type = FIELD_FLAG, AT(roof_peak, sparse)},
    {"mixed", .type = FIELD_FLAG, AT(roof_peak, mixed)},
    {"fp16_sums", .type = FIELD_FLAG, AT(roof_peak, fp16_sums)},
    {"supported", .type = FIELD_SUPPORTED, AT(roof_peak, unsupported)},
    {"flops_per_cycle", .type = FIELD_POSITIVE, AT(roof_peak, flops_per_cycle)},
    {"clock_hz", .type = FIELD_CLOCK, AT(roof_peak, clock_hz)},
    {"conditions", .type = FIELD_OBJECT, .size = sizeof(roof_conditions), .record = &rf_conditions_record,
     .measured = true},
    {"kind", .type = FIELD_KIND, AT(roof_peak, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_peak, source)},
    {"date", .type = FIELD_TEXT, AT(roof_peak, date)},
};
const rf_record rf_peak_record = PARTED(roof_peak, peak_fields, conditions, roof_conditions);

static const rf_field loaded_fields[] = {
    {"bytes_per_second", .type = FIELD_AMOUNT, AT(roof_loaded_latency, bytes_per_second), .required = true},
    {"latency_seconds", .type = FIELD_POSITIVE, AT(roof_loaded_latency, latency_seconds), .required = true},
};
static const rf_record loaded_record = RECORD(roof_loaded_latency, loaded_fields);

static const rf_field mode_fields[] = {
    {"pattern", .type = FIELD_TEXT, AT(roof_modes, pattern), .required = true},
    {"fast_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_modes, fast_bytes_per_second),
     .required = true},
    {"slow_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_modes, slow_bytes_per_second),
     .required = true},
};
static const rf_record mode_record = RECORD(roof_modes, mode_fields);

/** A bandwidth, which has a physical limit and is shared by cores. */
#define RATE(member, bound)                                                                                  \
  AT(roof_level, member), .unit = "B/s", .limit = offsetof(roof_level, bound), .shared = true

static const rf_field level_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_level, name), .required = true},
    {"level", .type = FIELD_LEVEL, AT(roof_level, level)},
    {"bytes", .type = FIELD_POSITIVE, AT(roof_level, bytes)},
    {"instances", .type = FIELD_WHOLE, AT(roof_level, instances), .one = true},
    {"cores", .type = FIELD_CORES, AT(roof_level, cores)},
    {"core_kind", .type = FIELD_TEXT, AT(roof_level, core_kind)},
    {"threads_per_core", .type = FIELD_CORES, AT(roof_level, threads_per_core)},
    {"bytes_per_second", .type = FIELD_POSITIVE, RATE(bytes_per_second, limit_bytes_per_second),
     .label = "mixed", .rank = 1},
    {"read_bytes_per_second", .type = FIELD_POSITIVE, RATE(read_bytes_per_second, limit_bytes_per_second),
     .label = "read", .rank = 2, .conditions = 1 + offsetof(roof_level_report, read)},
    {"write_bytes_per_second", .type = FIELD_POSITIVE,
     RATE(write_bytes_per_second, write_limit_bytes_per_second), .label = "write", .rank = 6,
     .conditions = 1 + offsetof(roof_level_report, write)},
    {"copy_bytes_per_second", .type = FIELD_POSITIVE,
     RATE(copy_bytes_per_second, copy_limit_bytes_per_second), .label = "copy", .rank = 4,
     .conditions = 1 + offsetof(roof_level_report, copy)},
    {"update_bytes_per_second", .type = FIELD_POSITIVE,
     RATE(update_bytes_per_second, update_limit_bytes_per_second), .label = "update", .rank = 5,
     .conditions = 1 + offsetof(roof_level_report, update)},
    {"triad_bytes_per_second", .type = FIELD_POSITIVE,
     RATE(triad_bytes_per_second, triad_limit_bytes_per_second), .label = "triad", .rank = 3,
     .conditions = 1 + offsetof(roof_level_report, triad)},
    {"latency_seconds", .type = FIELD_POSITIVE, AT(roof_level, latency_seconds), .label = "latency",
     .unit = "s", .rank = 7},
    {"loaded_latency", .type = FIELD_POINTS, LIST_IN(roof_level_report, loaded_latency, loaded_latency_count),
     .record = &loaded_record, .measured = true},
    {"modes", .type = FIELD_POINTS, LIST_IN(roof_level_report, modes, mode_count), .record = &mode_record,
     .measured = true},
    {"plateau_bytes", .type = FIELD_POSITIVE, AT(roof_level, plateau_bytes)},
    {"plateau", .type = FIELD_TEXT, AT(roof_level, plateau)},
    {"limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, limit_bytes_per_second),
     .shared = true},
    {"write_limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, write_limit_bytes_per_second),
     .shared = true},
    {"copy_limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, copy_limit_bytes_per_second),
     .shared = true},
    {"update_limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, update_limit_bytes_per_second),
     .shared = true},
    {"triad_limit_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_level, triad_limit_bytes_per_second),
     .shared = true},
    {"clock_hz", .type = FIELD_CLOCK, AT(roof_level, clock_hz)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_level, spread)},
    {"read_conditions", CONDITIONS(roof_level_report, read)},
    {"write_conditions", CONDITIONS(roof_level_report, write)},
    {"copy_conditions", CONDITIONS(roof_level_report, copy)},
    {"update_conditions", CONDITIONS(roof_level_report, update)},
    {"triad_conditions", CONDITIONS(roof_level_report, triad)},
    {"bus_bits", .type = FIELD_POSITIVE, AT(roof_level, bus_bits)},
    {"transfers_per_second", .type = FIELD_POSITIVE, AT(roof_level, transfers_per_second)},
    {"kind", .type = FIELD_KIND, AT(roof_level, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_level, source)},
    {"date", .type = FIELD_TEXT, AT(roof_level, date)},
};
const rf_record rf_level_record = PARTED(roof_level, level_fields, report, roof_level_report);

static const rf_field link_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_link, name), .required = true},
    {"bytes_per_second", .type = FIELD_POSITIVE, AT(roof_link, bytes_per_second)},
    {"both_ways_bytes_per_second", .type = FIELD_POSITIVE, AT(roof_link, both_ways_bytes_per_second)},
    {"latency_seconds", .type = FIELD_POSITIVE, AT(roof_link, latency_seconds)},
    {"count", .type = FIELD_WHOLE, AT(roof_link, count), .one = true},
    {"joins", .type = FIELD_POSITIVE, AT(roof_link, joins)},
    {"reduces", .type = FIELD_FLAG, AT(roof_link, reduces)},
    {"kind", .type = FIELD_KIND, AT(roof_link, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_link, source)},
    {"date", .type = FIELD_TEXT, AT(roof_link, date)},
};
const rf_record rf_link_record = RECORD(roof_link, link_fields);

static const rf_field cost_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_cost, name), .required = true},
    {"cores", .type = FIELD_CORES, AT(roof_cost, cores)},
    {"seconds", .type = FIELD_POSITIVE, AT(roof_cost, seconds)},
    {"least_seconds", .type = FIELD_POSITIVE, AT(roof_cost, least_seconds)},
    {"most_seconds", .type = FIELD_POSITIVE, AT(roof_cost, most_seconds)},
    {"clock_hz", .type = FIELD_CLOCK, AT(roof_cost, clock_hz)},
    {"samples", .type = FIELD_POSITIVE, AT(roof_cost, samples)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_cost, spread)},
    {"kind", .type = FIELD_KIND, AT(roof_cost, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_cost, source)},
    {"date", .type = FIELD_TEXT, AT(roof_cost, date)},
};
const rf_record rf_cost_record = RECORD(roof_cost, cost_fields);

static const rf_field tlb_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_tlb, name), .required = true},
    {"page_bytes", .type = FIELD_POSITIVE, AT(roof_tlb, page_bytes), .required = true},
    {"entries", .type = FIELD_POSITIVE, AT(roof_tlb, entries)},
    {"reach_bytes", .type = FIELD_POSITIVE, AT(roof_tlb, reach_bytes)},
    {"miss_seconds", .type = FIELD_POSITIVE, AT(roof_tlb, miss_seconds)},
    {"kind", .type = FIELD_KIND, AT(roof_tlb, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_tlb, source)},
    {"date", .type = FIELD_TEXT, AT(roof_tlb, date)},
};
static const rf_record tlb_record = RECORD(roof_tlb, tlb_fields);

static const rf_field curve_fields[] = {
    {"bytes", .type = FIELD_POSITIVE, AT(roof_curve_point, bytes), .required = true},
    {"bytes_per_second", .type = FIELD_POSITIVE, AT(roof_curve_point, bytes_per_second), .required = true},
};
static const rf_record curve_record = RECORD(roof_curve_point, curve_fields);

static const rf_field intensity_fields[] = {
    {"intensity", .type = FIELD_POSITIVE, AT(roof_intensity_point, intensity), .required = true},
    {"flops_per_second", .type = FIELD_POSITIVE, AT(roof_intensity_point, flops_per_second),
     .required = true},
};
static const rf_record intensity_record = RECORD(roof_intensity_point, intensity_fields);

static const rf_field scaling_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_scaling, name), .required = true},
    {"unit", .type = FIELD_TEXT, AT(roof_scaling, unit)},
    {"cores", .type = FIELD_NUMBERS, LIST_IN(roof_scaling, cores, core_count)},
    {"per_second", .type = FIELD_NUMBERS, LIST_IN(roof_scaling, per_second, rate_count)},
    {"saturating_cores", .type = FIELD_POSITIVE, AT(roof_scaling, saturating_cores)},
    {"kind", .type = FIELD_KIND, AT(roof_scaling, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_scaling, source)},
    {"date", .type = FIELD_TEXT, AT(roof_scaling, date)},
};
static const rf_record scaling_record = RECORD(roof_scaling, scaling_fields);

static const rf_field rate_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_rate, name), .required = true},
    {"isa", .type = FIELD_TEXT, AT(roof_rate, isa)},
    {"cores", .type = FIELD_CORES, AT(roof_rate, cores)},
    {"per_second", .type = FIELD_POSITIVE, AT(roof_rate, per_second)},
    {"clock_hz", .type = FIELD_CLOCK, AT(roof_rate, clock_hz)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_rate, spread)},
    {"conditions", .type = FIELD_OBJECT, AT(roof_rate, conditions), .record = &rf_conditions_record},
    {"kind", .type = FIELD_KIND, AT(roof_rate, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_rate, source)},
    {"date", .type = FIELD_TEXT, AT(roof_rate, date)},
};
static const rf_record rate_record = RECORD(roof_rate, rate_fields);

static const rf_field domain_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_domain, name), .required = true},
    {"cores", .type = FIELD_AMOUNT, AT(roof_domain, cores)},
    {"bytes", .type = FIELD_AMOUNT, AT(roof_domain, bytes)},
    {"read_bytes_per_second", .type = FIELD_NUMBERS, LIST_IN(roof_domain, read_bytes_per_second, read_count)},
    {"latency_seconds", .type = FIELD_NUMBERS, LIST_IN(roof_domain, latency_seconds, latency_count)},
    {"kind", .type = FIELD_KIND, AT(roof_domain, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_domain, source)},
    {"date", .type = FIELD_TEXT, AT(roof_domain, date)},
};
const rf_record rf_domain_record = RECORD(roof_domain, domain_fields);

static const rf_field library_fields[] = {
    {"name", .type = FIELD_TEXT, AT(roof_library, name), .required = true},
    {"version", .type = FIELD_TEXT, AT(roof_library, version)},
    {"op", .type = FIELD_TEXT, AT(roof_library, op), .required = true},
    {"dtype", .type = FIELD_DTYPE, AT(roof_library, dtype), .required = true},
    {"cores", .type = FIELD_CORES, AT(roof_library, cores)},
    {"parameters", .type = FIELD_TEXT, AT(roof_library, parameters)},
    {"flops_per_second", .type = FIELD_POSITIVE, AT(roof_library, flops_per_second)},
    {"best_flops_per_second", .type = FIELD_POSITIVE, AT(roof_library, best_flops_per_second)},
    {"fraction_of_peak", .type = FIELD_POSITIVE, AT(roof_library, fraction_of_peak)},
    {"spread", .type = FIELD_AMOUNT, AT(roof_library, spread)},
    {"skipped", .type = FIELD_TEXT, AT(roof_library, skipped)},
    {"kind", .type = FIELD_KIND, AT(roof_library, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_library, source)},
    {"date", .type = FIELD_TEXT, AT(roof_library, date)},
};
const rf_record rf_library_record = RECORD(roof_library, library_fields);

static const rf_field blocks_fields[] = {
    {"dtype", .type = FIELD_DTYPE, AT(roof_blocks, dtype), .required = true},
    {"kernel", .type = FIELD_TEXT, AT(roof_blocks, kernel)},
    {"variant", .type = FIELD_TEXT, AT(roof_blocks, variant)},
    {"depth", .type = FIELD_POSITIVE, AT(roof_blocks, depth), .required = true},
    {"width", .type = FIELD_POSITIVE, AT(roof_blocks, width), .required = true},
    {"height", .type = FIELD_POSITIVE, AT(roof_blocks, height), .required = true},
    {"flops_per_second", .type = FIELD_POSITIVE, AT(roof_blocks, flops_per_second)},
    {"gain", .type = FIELD_POSITIVE, AT(roof_blocks, gain)},
    {"parameters", .type = FIELD_TEXT, AT(roof_blocks, parameters)},
    {"kind", .type = FIELD_KIND, AT(roof_blocks, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_blocks, source)},
    {"date", .type = FIELD_TEXT, AT(roof_blocks, date)},
};
static const rf_record blocks_record = RECORD(roof_blocks, blocks_fields);

static const rf_field flop_energy_fields[] = {
    {"dtype", .type = FIELD_DTYPE, AT(roof_flop_energy, dtype), .required = true},
    {"unit", .type = FIELD_UNIT, AT(roof_flop_energy, unit), .required = true},
    {"joules", .type = FIELD_POSITIVE, AT(roof_flop_energy, joules), .required = true},
    {"kind", .type = FIELD_KIND, AT(roof_flop_energy, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_flop_energy, source)},
};
static const rf_record flop_energy_record = RECORD(roof_flop_energy, flop_energy_fields);

static const rf_field byte_energy_fields[] = {
    {"level", .type = FIELD_LEVEL, AT(roof_byte_energy, level), .required = true},
    {"joules", .type = FIELD_POSITIVE, AT(roof_byte_energy, joules), .required = true},
    {"kind", .type = FIELD_KIND, AT(roof_byte_energy, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_byte_energy, source)},
};
static const rf_record byte_energy_record = RECORD(roof_byte_energy, byte_energy_fields);

static const rf_field energy_fields[] = {
    {"joules_per_flop", .type = FIELD_POSITIVE, AT(roof_energy, joules_per_flop), .label = "energy per FLOP",
     .unit = "J", .rank = 3},
    {"fp32_joules_per_flop", .type = FIELD_POSITIVE, AT(roof_energy, fp32_joules_per_flop),
     .label = "energy per FLOP, fp32", .unit = "J", .rank = 4},
    {"joules_per_byte", .type = FIELD_POSITIVE, AT(roof_energy, joules_per_byte), .label = "energy per byte",
     .unit = "J", .rank = 5},
    {"total_joules_per_flop", .type = FIELD_POSITIVE, AT(roof_energy, total_joules_per_flop),
     .label = "energy per FLOP, idle included", .unit = "J", .rank = 6},
    {"total_fp32_joules_per_flop", .type = FIELD_POSITIVE, AT(roof_energy, total_fp32_joules_per_flop),
     .label = "energy per FLOP, fp32, idle included", .unit = "J", .rank = 7},
    {"total_joules_per_byte", .type = FIELD_POSITIVE, AT(roof_energy, total_joules_per_byte),
     .label = "energy per byte, idle included", .unit = "J", .rank = 8},
    {"idle_watts", .type = FIELD_AMOUNT, AT(roof_energy, idle_watts), .label = "power, idle", .unit = "W",
     .rank = 2},
    {"watts", .type = FIELD_POSITIVE, AT(roof_energy, watts), .label = "power", .unit = "W", .rank = 1},
    {"flops", .type = FIELD_POINTS, OWNED(roof_energy, flops, flop_count, ROOF_FLOP_ENERGY_MAX),
     .record = &flop_energy_record},
    {"bytes", .type = FIELD_POINTS, OWNED(roof_energy, bytes, byte_count, ROOF_LEVEL_KIND_COUNT),
     .record = &byte_energy_record},
    {"kind", .type = FIELD_KIND, AT(roof_energy, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_energy, source)},
    {"date", .type = FIELD_TEXT, AT(roof_energy, date)},
};
const rf_record rf_energy_record = RECORD(roof_energy, energy_fields);

#define ORIGIN(member) .type = FIELD_OBJECT, AT(roof_machine, member), .record = &rf_origin_record

static const rf_field constants_fields[] = {
    {"kernel", .type = FIELD_KERNEL, AT(roof_constants, kernel), .required = true},
    {"dtype", .type = FIELD_DTYPE, AT(roof_constants, dtype), .required = true},
    {"framework", .type = FIELD_TEXT, AT(roof_constants, framework)},
    {"blocks", .type = FIELD_FLAG, AT(roof_constants, blocks)},
    {"narrow", .type = FIELD_FLAG, AT(roof_constants, narrow)},
    {"machine", .type = FIELD_TEXT, AT(roof_constants, machine)},
    {"clocks", .type = FIELD_AMOUNT, AT(roof_constants, clocks)},
#define CONSTANT(symbol, name, unit, least, most, neutral, effect, text)                                     \
  {name, .type = FIELD_AMOUNT, AT(roof_constants, values[symbol])},
    ROOF_CONSTANT_MAP(CONSTANT)
#undef CONSTANT
        {"kind", .type = FIELD_KIND, AT(roof_constants, kind)},
    {"source", .type = FIELD_TEXT, AT(roof_constants, source)},
    {"date", .type = FIELD_TEXT, AT(roof_constants, date)},
};
static const rf_record constants_record = RECORD(roof_constants, constants_fields);

static const rf_field machine_fields[] = {
    {"schema", .type = FIELD_SCHEMA, .required = true},
    {"name", .type = FIELD_NAME, AT(roof_machine, name), .required = true},
    {"title", .type = FIELD_TEXT, AT(roof_machine, title)},
    {"vendor", .type = FIELD_TEXT, AT(roof_machine, vendor)},
    {"architecture", .type = FIELD_TEXT, AT(roof_machine, architecture)},
    {"family", .type = FIELD_TEXT, AT(roof_machine, family)},
    {"device_class", .type = FIELD_TEXT, AT(roof_machine, device_class)},
    {"kind", .type = FIELD_KIND, AT(roof_machine, kind)},
    {"date", .type = FIELD_TEXT, AT(roof_machine, date)},
    {"aliases", .type = FIELD_NAMES, LIST_IN(roof_machine, aliases, alias_count)},
    {"unit_kind", .type = FIELD_TEXT, AT(roof_machine, unit_kind)},
    {"unit_count", .type = FIELD_WHOLE, AT(roof_machine, unit_count),
     .provenance = offsetof(roof_machine, unit_origin), .label = "units", .unit = "", .rank = 1},
    {"clock_hz", .type = FIELD_CLOCK, AT(roof_machine, clock_hz),
     .provenance = offsetof(roof_machine, clock_origin), .conditions = 1 + offsetof(roof_report, clock),
     .label = "clock", .unit = "Hz", .rank = 2},
    {"launch_seconds", .type = FIELD_AMOUNT, AT(roof_machine, launch_seconds),
     .provenance = offsetof(roof_machine, launch_origin), .conditions = 1 + offsetof(roof_report, launch),
     .cited = true, .label = "launch", .unit = "s", .rank = 3},
    {"clock_conditions", CONDITIONS(roof_report, clock)},
    {"launch_conditions", CONDITIONS(roof_report, launch)},
    {"overhead_cutoff_seconds", .type = FIELD_AMOUNT, AT(roof_machine, overhead_cutoff_seconds),
     .provenance = offsetof(roof_machine, overhead_origin), .cited = true, .label = "overhead cutoff",
     .unit = "s", .rank = 4},
    {"unit_provenance", ORIGIN(unit_origin)},
    {"clock_provenance", ORIGIN(clock_origin)},
    {"launch_provenance", ORIGIN(launch_origin)},
    {"overhead_provenance", ORIGIN(overhead_origin)},
    {"peaks", .type = FIELD_OBJECTS, OWNED(roof_machine, peaks, peak_count, ROOF_PEAK_MAX),
     .record = &rf_peak_record},
    {"levels", .type = FIELD_OBJECTS, OWNED(roof_machine, levels, level_count, ROOF_LEVEL_MAX),
     .record = &rf_level_record},
    {"links", .type = FIELD_OBJECTS, OWNED(roof_machine, links, link_count, ROOF_LINK_MAX),
     .record = &rf_link_record},
    {"costs", .type = FIELD_OBJECTS, OWNED(roof_report, costs, cost_count, ROOF_COST_MAX), .measured = true,
     .record = &rf_cost_record},
    {"tlbs", .type = FIELD_OBJECTS, OWNED(roof_report, tlbs, tlb_count, ROOF_TLB_MAX), .measured = true,
     .record = &tlb_record},
    {"curve", .type = FIELD_POINTS, OWNED(roof_report, curve, curve_count, ROOF_CURVE_MAX), .measured = true,
     .record = &curve_record},
    {"intensities", .type = FIELD_POINTS,
     OWNED(roof_report, intensities, intensity_count, ROOF_INTENSITY_MAX), .measured = true,
     .record = &intensity_record},
    {"scaling", .type = FIELD_OBJECTS, OWNED(roof_report, scaling, scaling_count, ROOF_SCALING_MAX),
     .measured = true, .record = &scaling_record},
    {"rates", .type = FIELD_OBJECTS, OWNED(roof_report, rates, rate_count, ROOF_RATE_MAX), .measured = true,
     .record = &rate_record},
    {"domains", .type = FIELD_POINTS, OWNED(roof_report, domains, domain_count, ROOF_DOMAIN_MAX),
     .measured = true, .record = &rf_domain_record},
    {"libraries", .type = FIELD_OBJECTS, OWNED(roof_report, libraries, library_count, ROOF_LIBRARY_MAX),
     .measured = true, .record = &rf_library_record},
    {"blocks", .type = FIELD_OBJECTS, OWNED(roof_report, blocks, block_count, ROOF_BLOCKS_MAX),
     .measured = true, .record = &blocks_record},
    {"energy", .type = FIELD_OBJECT, AT(roof_machine, energy), .record = &rf_energy_record},
    {"constants", .type = FIELD_OBJECTS, OWNED(roof_machine, constants, constants_count, ROOF_CONSTANTS_MAX),
     .record = &constants_record},
    {"notes", .type = FIELD_TEXTS, OWNED(roof_machine, notes, note_count, ROOF_NOTE_MAX)},
};
const rf_record rf_machine_record = PARTED(roof_machine, machine_fields, report, roof_report);
_Static_assert(COUNT(machine_fields) <= RF_FIELD_MAX && COUNT(level_fields) <= RF_FIELD_MAX, "RF_FIELD_MAX");
