/* Where the time of devices went: of several a table. */
#include <math.h>
#include <string.h>

#include "cli/import/import.h"

enum { DEVICES = 8 };

/** What did not happen is not shown. */
static double of_span(const roof_device_time *d, double seconds) {
  return seconds > 0 ? seconds / d->span_seconds : NAN;
}

CLI_VALUE(idle, roof_device_time, of_span(r, r->idle_seconds))
CLI_VALUE(host_late, roof_device_time, of_span(r, r->idle[ROOF_IDLE_HOST]))
CLI_VALUE(synchronisation, roof_device_time, of_span(r, r->idle[ROOF_IDLE_SYNC]))
CLI_VALUE(kernel_wait, roof_device_time, of_span(r, r->idle[ROOF_IDLE_KERNEL]))
CLI_VALUE(compute, roof_device_time, of_span(r, r->seconds[ROOF_ACTIVITY_COMPUTE]))
CLI_VALUE(communication, roof_device_time, of_span(r, r->seconds[ROOF_ACTIVITY_COMMUNICATION]))
CLI_VALUE(copies, roof_device_time, of_span(r, r->seconds[ROOF_ACTIVITY_COPY]))
CLI_VALUE(hidden, roof_device_time,
          r->hidden[ROOF_ACTIVITY_COMMUNICATION] / r->seconds[ROOF_ACTIVITY_COMMUNICATION])

static const cli_column columns[] = {
    {.header = "device", CLI_FIELD(NAME, roof_device_time, label)},
    {.header = "which is", .rank = 5, .name = true, CLI_FIELD(TEXT, roof_device_time, name)},
    {.header = "span", .unit = "s", CLI_FIELD(NUMBER, roof_device_time, span_seconds)},
    {.header = "idle", CLI_PERCENT(1), .number = idle},
    {.header = "host late", .rank = 3, CLI_PERCENT(1), .number = host_late},
    {.header = "sync", .rank = 3, CLI_PERCENT(1), .number = synchronisation},
    {.header = "kernel wait", .rank = 3, CLI_PERCENT(1), .number = kernel_wait},
    {.header = "compute", CLI_PERCENT(1), .number = compute},
    {.header = "comm.", .rank = 1, CLI_PERCENT(1), .number = communication},
    {.header = "hidden", .rank = 2, CLI_PERCENT(1), .number = hidden},
    {.header = "copy", .rank = 4, CLI_PERCENT(1), .number = copies},
    {0}};

void cli_import_add_time(const import_answer *answer, roof_text *out) {
  size_t count = answer->time.device_count, shown = count < DEVICES ? count : DEVICES;
  roof_text_add(out, count > 0 && answer->profile->truncated ? "truncated file: " : "");
  roof_accounting_sentence(&answer->time, out);
  if (count > 1) {
    cli_columns_add_text(out, CLI_ROWS(columns, answer->time.devices, shown));
    if (count > shown) {
      roof_text_addf(out, "  and %zu more; all in --json\n", count - shown);
    }
    roof_ranks ranks = {0};
    out->failed |= roof_profile_ranks(answer->profile, &ranks, NULL) != ROOF_OK;
    roof_ranks_sentence(&ranks, out);
    roof_ranks_done(&ranks);
    roof_text_add(out, "\n");
  }
}

void cli_import_add_elsewhere(const import_answer *answer, roof_text *out) {
  if (answer->elsewhere[0] != '\0' || answer->stranger) {
    const char *device = answer->profile->device,
               *is = answer->stranger ? "not in the catalogue" : answer->elsewhere;
    bool same = strcmp(device, is) == 0;
    roof_text_addf(out, "taken on %s%s%s: judged by another machine's ceilings\n", device,
                   same ? "" : ", which is ", same ? "" : is);
  } else if (answer->ranking.other_chip != NULL) {
    roof_text_addf(out,
                   "taken on a chip of compute capability %s, which %s has not: judged by its ceilings\n",
                   answer->ranking.other_chip, answer->ceilings->machine->name);
  }
}
