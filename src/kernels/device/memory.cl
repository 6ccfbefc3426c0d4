// formats: fp32
/* What a memory level can do: read, write, copy, triad, by elements of 4, 8 and 16 bytes. Each work-group takes a part of the
 * `n` elements that begin at `from`. Neighbouring work-items read neighbouring elements, each with AHEAD loads in flight; a
 * work-group of one work-item walks through its part in order, which suits a processor. The read is repeated `passes` times, each
 * time on another work-group's part, so that the cache of one compute unit does not serve it. A work-item stores its sum only if
 * it is above `keep`: all do in a check, none while timing. */
#define AHEAD 4

typedef float NUMBER_1;
typedef float2 NUMBER_2;
typedef float4 NUMBER_4;
#define EACH_1(DO) DO(, )
#define EACH_2(DO) DO(.x, ) DO(.y, )
#define EACH_4(DO) EACH_2(DO) DO(.z, ) DO(.w, )
#define TOTAL_1(v) (v)
#define TOTAL_2(v) ((v).x + (v).y)
#define TOTAL_4(v) (((v).x + (v).y) + ((v).z + (v).w))

#define CLEAR(part, unused) sums[j] part = 0;
#define ADD(part, unused) sums[j] part += value part;
#define FOLD(part, unused) sums[0] part = (sums[0] part + sums[1] part) + (sums[2] part + sums[3] part);
#define FILL(part, unused) number part = value + (float)ITEM_X;
#define TRIAD(part, unused) sum part = FMA(0.75f, y part, x part);

/* Parts are whole multiples of what the work-items load at once, and so is n, which counts elements of the width. */
#define PART(pass)                                                                                           \
  INDEX share = n / GROUPS_X, first = from + share * ((GROUP_X + (pass)*37) % GROUPS_X) + ITEM_X,            \
        last = first + share - ITEM_X;

#define PATTERNS(W)                                                                                          \
  KERNEL(memory_read_##W)(GLOBAL const NUMBER_##W *RESTRICT a, GLOBAL float *RESTRICT out, INDEX from,       \
                          INDEX n, int passes, float keep) {                                                 \
    NUMBER_##W sums[AHEAD];                                                                                  \
    UNROLL for (int j = 0; j < AHEAD; j++) {                                                                 \
      EACH_##W(CLEAR)                                                                                        \
    }                                                                                                        \
    for (int pass = 0; pass < passes; pass++) {                                                              \
      PART(pass)                                                                                             \
      for (INDEX i = first; i < last; i += AHEAD * ITEMS_X) {                                                \
        UNROLL for (int j = 0; j < AHEAD; j++) {                                                             \
          NUMBER_##W value = a[i + j * ITEMS_X];                                                             \
          EACH_##W(ADD)                                                                                      \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    EACH_##W(FOLD) float sum = TOTAL_##W(sums[0]);                                                           \
    if (sum > keep) {                                                                                        \
      out[GROUP_X * ITEMS_X + ITEM_X] = sum;                                                                 \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL(memory_write_##W)(GLOBAL NUMBER_##W *RESTRICT out, INDEX from, INDEX n, float value) {              \
    PART(0)                                                                                                  \
    for (INDEX i = first; i < last; i += AHEAD * ITEMS_X) {                                                  \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        NUMBER_##W number;                                                                                   \
        EACH_##W(FILL) out[i + j * ITEMS_X] = number;                                                        \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL(memory_copy_##W)(GLOBAL const NUMBER_##W *RESTRICT a, GLOBAL NUMBER_##W *RESTRICT out, INDEX from,  \
                          INDEX n) {                                                                         \
    PART(0)                                                                                                  \
    for (INDEX i = first; i < last; i += AHEAD * ITEMS_X) {                                                  \
      NUMBER_##W values[AHEAD];                                                                              \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        values[j] = a[i + j * ITEMS_X];                                                                      \
      }                                                                                                      \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        out[i + j * ITEMS_X] = values[j];                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL(memory_triad_##W)(GLOBAL const NUMBER_##W *RESTRICT a, GLOBAL const NUMBER_##W *RESTRICT b,         \
                           GLOBAL NUMBER_##W *RESTRICT out, INDEX from, INDEX n) {                           \
    PART(0)                                                                                                  \
    for (INDEX i = first; i < last; i += AHEAD * ITEMS_X) {                                                  \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        NUMBER_##W x = a[i + j * ITEMS_X], y = b[i + j * ITEMS_X], sum;                                      \
        EACH_##W(TRIAD) out[i + j * ITEMS_X] = sum;                                                          \
      }                                                                                                      \
    }                                                                                                        \
  }
PATTERNS(1)
PATTERNS(2)
PATTERNS(4)

/* Local memory: neighbouring work-items read neighbouring slots of four numbers, another slot each round. The slots behind SLOTS
 * save the loads from wrapping around. */
#define SLOTS 512
#define LOADS 8
#define APART 32
KERNEL(memory_local)(GLOBAL const float4 *RESTRICT a, GLOBAL float *RESTRICT out, int rounds, float keep) {
  LOCAL ALIGN(16) float4 slots[SLOTS + LOADS * APART];
  for (int i = ITEM_X; i < SLOTS + LOADS * APART; i += ITEMS_X) {
    slots[i] = a[i];
  }
  BARRIER();
  const int apart = ITEMS_X < APART ? ITEMS_X : APART;
  float4 sums[AHEAD];
  UNROLL for (int j = 0; j < AHEAD; j++) {
    EACH_4(CLEAR)
  }
  for (int round = 0; round < rounds; round++) {
    const int at = (ITEM_X + round * LOADS) & (SLOTS - 1);
    UNROLL for (int load = 0; load < LOADS; load++) {
      const int j = load & (AHEAD - 1);
      float4 value = slots[at + load * apart];
      EACH_4(ADD)
    }
  }
  EACH_4(FOLD)
  float sum = TOTAL_4(sums[0]);
  if (sum > keep) {
    out[ITEM_X] = sum;
  }
}

/* Loads that wait for each other: each element holds the index of the next. */
KERNEL(memory_chase)(GLOBAL const int *RESTRICT next, GLOBAL int *RESTRICT out, int loads) {
  int at = out[0];
  for (int i = 0; i < loads; i++) {
    at = next[at];
  }
  out[0] = at;
}

KERNEL(memory_nothing)(int unused) {
}
