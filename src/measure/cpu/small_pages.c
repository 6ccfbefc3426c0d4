/* The bandwidths of the outer levels again with small pages: the better of the two is the ceiling. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/data.h"
#include "measure/cpu/trial.h"
#include "roofline/text.h"

static double rate_of(rf_stream *stream) {
  enum { WINDOWS = 9 };
  double seconds[WINDOWS];
  roof_stats stats;
  stream->timed(stream->flow);
  for (int i = 0; i < WINDOWS; i++) {
    seconds[i] = stream->timed(stream->flow);
  }
  if (roof_stats_of(seconds, WINDOWS, &stats, NULL) != ROOF_OK) {
    return NAN;
  }
  double fast = roof_stats_quantile(seconds, WINDOWS, rf_estimate_fraction(RF_SHARED)); /* now sorted */
  return stream->bytes / (stream->shared ? fast : stats.minimum);
}

/** Adds the figures of the other pages to the source: "; small pages: read 12.1, write 20.3 GB/s". */
static void say(roof_level *level, const roof_text *large, const roof_text *small) {
  size_t used = strlen(level->source);
  if (large->data != NULL && large->length > 0 && used < sizeof level->source) {
    used += (size_t)snprintf(level->source + used, sizeof level->source - used,
                             "; large pages are slower:%s GB/s", large->data);
  }
  if (small->data != NULL && small->length > 0 && used < sizeof level->source) {
    snprintf(level->source + used, sizeof level->source - used, "; small pages are slower:%s GB/s",
             small->data);
  }
}

/** Measures the patterns of one level; the figures of the faster pages stay. */
static void try_level(roof_level *level, rf_stream *streams, int count) {
  roof_text large = {0}, small = {0};
  for (int i = 0; i < count; i++) {
    if (streams[i].level != level) {
      continue;
    }
    double rate = rate_of(&streams[i]), before = *streams[i].rate;
    bool better = rate > before;
    roof_text *slower = better ? &large : &small;
    roof_text_addf(slower, "%s %s %.3g", slower->length > 0 ? "," : "", streams[i].name,
                   (better ? before : rate) / 1e9);
    *streams[i].rate = fmax(before, rate);
  }
  say(level, &large, &small);
  roof_text_done(&large);
  roof_text_done(&small);
}

void rf_cpu_try_small_pages(rf_bench *bench, void *data, size_t bytes, rf_stream *streams, int count) {
  double share = rf_pages_large(data, bytes);
  roof_level_kind outer = ROOF_L1;
  if (!(share > 0.99)) {
    rf_bench_note(bench, "bandwidth with large pages: unknown: %s", rf_pages_refused(share));
    return;
  }
  if (bench->options->quick) {
    rf_bench_note(bench, "bandwidths are with large pages; a run without --quick tries small pages too");
    return;
  }
  rf_bench_step(bench, "bandwidth with small pages");
  /* Memory that has large pages keeps them until it is released. */
  if (madvise(data, bytes, MADV_DONTNEED) != 0 || madvise(data, bytes, MADV_NOHUGEPAGE) != 0) {
    rf_bench_note(bench, "bandwidth with small pages: unknown: the system does not provide them");
    return;
  }
  rf_data_fill(data, ROOF_FP64, bytes / sizeof(double), 1, bench->team.threads);
  for (int i = 0; i < count; i++) {
    roof_level_kind kind = streams[i].level->level;
    outer = kind < ROOF_MEMORY && kind > outer ? kind : outer;
  }
  for (int i = 0; i < bench->machine->level_count; i++) {
    roof_level *level = &bench->machine->levels[i];
    if (level->level == ROOF_MEMORY || level->level == outer) {
      try_level(level, streams, count);
    }
  }
}
