/* What is read of one line: the members of an entry. */
#include <math.h>

#include "documents/scan.h"
#include "ledger/entry.h"

#define TEXT_FIELD(path, member) RF_SCAN_FIELD(path, TEXT, roof_ledger_entry, member)
#define NUMBER_FIELD(path, member) RF_SCAN_FIELD(path, NUMBER, roof_ledger_entry, member)

/* All that an entry may have: a member that is not here makes a line none. */
static const rf_scan_field fields[] = {
    NUMBER_FIELD("sequence", sequence),
    TEXT_FIELD("kind", kind),
    TEXT_FIELD("time", time),
    TEXT_FIELD("boot", boot),
    NUMBER_FIELD("uptime", uptime),
    TEXT_FIELD("origin", origin),
    TEXT_FIELD("measured", taken),
    TEXT_FIELD("taken_from", taken_from),
    TEXT_FIELD("differs", differs),
    TEXT_FIELD("measured_as", measured_as),
    RF_SCAN_UNKEPT("version", TEXT),
    RF_SCAN_UNKEPT("note", TEXT),
    RF_SCAN_UNKEPT("signature", TEXT),
    RF_SCAN_UNKEPT("samples", LIST),
    RF_SCAN_UNKEPT("counters.", REST),
    TEXT_FIELD("counted", counted),
    TEXT_FIELD("counted_flops", counted_flops),
    TEXT_FIELD("label", of.label),
    TEXT_FIELD("machine", of.machine),
    TEXT_FIELD("device_class", of.device_class),
    TEXT_FIELD("regime", of.regime),
    TEXT_FIELD("binding", of.binding),
    TEXT_FIELD("machine_sha256", of.machine_digest),
    TEXT_FIELD("op", of.op),
    TEXT_FIELD("parameters", of.parameters),
    TEXT_FIELD("dtype", of.dtype),
    TEXT_FIELD("options", of.typed),
    TEXT_FIELD("commit", commit),
    TEXT_FIELD("previous", previous),
    TEXT_FIELD("sha256", sha256),
    NUMBER_FIELD("prediction", prediction),
    NUMBER_FIELD("seconds.expected_low", of.expected_low_seconds),
    NUMBER_FIELD("seconds.expected_high", of.expected_high_seconds),
    NUMBER_FIELD("batch.first", batch_first),
    NUMBER_FIELD("batch.last", batch_last),
    NUMBER_FIELD("torn.bytes", torn_bytes),
    TEXT_FIELD("torn.sha256", torn_sha256),
    TEXT_FIELD("public_key", public_key),
    NUMBER_FIELD("seconds", seconds),
    NUMBER_FIELD("noise", noise),
    NUMBER_FIELD("memory_pace", memory_pace),
    NUMBER_FIELD("flops", of.flops),
    NUMBER_FIELD("bytes", of.bytes),
    NUMBER_FIELD("seconds.compute", of.compute_seconds),
    NUMBER_FIELD("seconds.memory", of.memory_seconds),
    NUMBER_FIELD("seconds.overhead", of.overhead_seconds),
    NUMBER_FIELD("seconds.network", of.network_seconds),
    NUMBER_FIELD("seconds.lower", of.lower_seconds),
    NUMBER_FIELD("seconds.least", of.least_seconds),
    NUMBER_FIELD("seconds.upper", of.upper_seconds),
    NUMBER_FIELD("seconds.expected", of.expected_seconds),
    NUMBER_FIELD("seconds.mine", of.mine_seconds),
    NUMBER_FIELD("ceilings.theoretical.seconds", of.ceilings[ROOF_THEORETICAL].seconds),
    NUMBER_FIELD("ceilings.theoretical.flops_per_second", of.ceilings[ROOF_THEORETICAL].flops_per_second),
    NUMBER_FIELD("ceilings.theoretical.bytes_per_second", of.ceilings[ROOF_THEORETICAL].bytes_per_second),
    NUMBER_FIELD("ceilings.achieved.seconds", of.ceilings[ROOF_ACHIEVED].seconds),
    NUMBER_FIELD("ceilings.achieved.flops_per_second", of.ceilings[ROOF_ACHIEVED].flops_per_second),
    NUMBER_FIELD("ceilings.achieved.bytes_per_second", of.ceilings[ROOF_ACHIEVED].bytes_per_second),
#define LEVEL_FIELD(name, kind) NUMBER_FIELD("levels." name, of.level_bytes_per_second[kind])
    LEVEL_FIELD("registers", ROOF_REGISTERS),
    LEVEL_FIELD("L1", ROOF_L1),
    LEVEL_FIELD("L2", ROOF_L2),
    LEVEL_FIELD("L3", ROOF_L3),
    LEVEL_FIELD("memory", ROOF_MEMORY),
#define CLUE_FIELD(symbol, name, unit, text) NUMBER_FIELD("counters." name, clue[symbol]),
    ROOF_CLUE_MAP(CLUE_FIELD)
#undef CLUE_FIELD
        RF_SCAN_FIELD("unsealed", FLAG, roof_ledger_entry, unsealed),
    RF_SCAN_FIELD("overhead_assumed", FLAG, roof_ledger_entry, of.overhead_assumed),
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };
_Static_assert(FIELD_COUNT <= RF_SCAN_FIELDS, "an entry has more fields than a scan keeps track of");

bool rf_ledger_scan(const char *text, size_t length, roof_ledger_entry *entry) {
  *entry = (roof_ledger_entry){.sequence = 0};
  for (int i = 0; i < FIELD_COUNT; i++) {
    if (fields[i].kind == RF_SCAN_NUMBER && fields[i].size > 0) {
      *(double *)(void *)((char *)entry + fields[i].offset) = NAN;
    }
  }
  bool good = rf_scan_object(text, length, fields, FIELD_COUNT, entry);
  for (int i = 0; i < FIELD_COUNT && good; i++) {
    bool kept = fields[i].kind == RF_SCAN_TEXT && fields[i].size > 0;
    good = !kept || roof_text_is_plain((const char *)entry + fields[i].offset);
  }
  return good;
}
