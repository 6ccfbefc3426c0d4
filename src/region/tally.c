#include "region/tally.h"

#include <math.h>
#include <string.h>

/** A whole number below `end`, by Marsaglia's xorshift. */
static uint64_t below(uint64_t *random, uint64_t end) {
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
  return (uint64_t)((double)(*random >> 11) * 0x1p-53 * (double)end);
}

size_t rf_tally_kept(const rf_tally *tally) {
  return tally->calls < RF_TALLY_SAMPLES ? (size_t)tally->calls : RF_TALLY_SAMPLES;
}

void rf_tally_add(rf_tally *tally, uint64_t ticks, roof_dtype dtype, double flops, double bytes,
                  uint64_t *random) {
  uint64_t at =
      tally->calls < RF_TALLY_SAMPLES ? tally->calls : below(random, tally->calls + 1); /* Vitter's R */
  if (at < RF_TALLY_SAMPLES) {
    tally->samples[at] = ticks;
  }
  tally->calls++;
  tally->ticks += ticks;
  roof_dtype multiplied = roof_dtype_multiplied(dtype);
  bool known = (unsigned)multiplied < ROOF_DTYPE_COUNT;
  tally->flops[known ? multiplied : ROOF_FP64] += known && flops >= 0 ? flops : NAN;
  tally->bytes += bytes >= 0 ? bytes : NAN;
}

/** Draws from two populations without replacement: a random number from each, no sample twice. */
static void draw(rf_tally *into, const rf_tally *from, uint64_t *random) {
  rf_tally pools[2] = {*into, *from};
  uint64_t left[2] = {into->calls, from->calls};
  size_t kept[2] = {rf_tally_kept(into), rf_tally_kept(from)};
  for (size_t i = 0; i < RF_TALLY_SAMPLES; i++) {
    int side = below(random, left[0] + left[1]) >= left[0];
    size_t at = (size_t)below(random, kept[side]);
    into->samples[i] = pools[side].samples[at];
    pools[side].samples[at] = pools[side].samples[--kept[side]];
    left[side]--;
  }
}

void rf_tally_merge(rf_tally *into, const rf_tally *from, uint64_t *random) {
  if (into->calls + from->calls <= RF_TALLY_SAMPLES) {
    memcpy(into->samples + into->calls, from->samples, from->calls * sizeof from->samples[0]);
  } else {
    draw(into, from, random);
  }
  into->calls += from->calls;
  into->ticks += from->ticks;
  into->own += from->own;
  into->unbegun += from->unbegun;
  into->unended += from->unended;
  into->too_deep += from->too_deep;
  into->threads += from->threads;
  for (int i = 0; i < ROOF_DTYPE_COUNT; i++) {
    into->flops[i] += from->flops[i];
  }
  into->bytes += from->bytes;
  into->counted_calls += from->counted_calls;
  for (int i = 0; i < RF_COUNTER_MAX; i++) {
    into->counted_flops[i] += from->counted_flops[i];
  }
}
