/* What every measurement of this processor uses: progress and notes. */
#include <stdarg.h>

#include "core/number.h"
#include "measure/cpu/cpu.h"

void rf_bench_step(rf_bench *bench, const char *step) {
  if (bench->options->progress != NULL) {
    bench->options->progress(bench->options->user, step, bench->steps_done, bench->steps);
  }
  bench->steps_done++;
}

void rf_bench_note(rf_bench *bench, const char *format, ...) {
  roof_machine *machine = bench->machine;
  if (machine->note_count == ROOF_NOTE_MAX) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(roof_machine_add_note(machine), ROOF_SOURCE_MAX, format, arguments);
  va_end(arguments);
}
