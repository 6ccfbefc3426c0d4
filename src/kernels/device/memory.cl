// formats: fp32
/* What a memory level can do: read, write, copy, triad, by elements of 4, 8 and 16 bytes. Each group takes a part of the `n`
 * elements that begin at `from`; its lanes stand side by side and have AHEAD elements on their way; a group of one lane walks
 * through its part in one run, which is what a processor likes. `passes` times, each time another group's part, so that a cache
 * beside one unit does not serve it. A lane's sum is stored if it is above `keep`: all of them for a check, none while timing. */
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
#define FILL(part, unused) number part = value + (float)LANE_X;
#define TRIAD(part, unused) sum part = FMA(0.75f, y part, x part);

/* Parts are whole multiples of what the lanes take at once; n counts elements of the width and is one, too. */
#define PART(pass)                                                                                           \
  INDEX share = n / GROUPS_X, first = from + share * ((GROUP_X + (pass)*37) % GROUPS_X) + LANE_X,            \
        last = first + share - LANE_X;

#define PATTERNS(W)                                                                                          \
  KERNEL(memory_read_##W)(GLOBAL const NUMBER_##W *RESTRICT a, GLOBAL float *RESTRICT out, INDEX from,       \
                          INDEX n, int passes, float keep) {                                                 \
    NUMBER_##W sums[AHEAD];                                                                                  \
    UNROLL for (int j = 0; j < AHEAD; j++) {                                                                 \
      EACH_##W(CLEAR)                                                                                        \
    }                                                                                                        \
    for (int pass = 0; pass < passes; pass++) {                                                              \
      PART(pass)                                                                                             \
      for (INDEX i = first; i < last; i += AHEAD * LANES_X) {                                                \
        UNROLL for (int j = 0; j < AHEAD; j++) {                                                             \
          NUMBER_##W value = a[i + j * LANES_X];                                                             \
          EACH_##W(ADD)                                                                                      \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    EACH_##W(FOLD) float sum = TOTAL_##W(sums[0]);                                                           \
    if (sum > keep) {                                                                                        \
      out[GROUP_X * LANES_X + LANE_X] = sum;                                                                 \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL(memory_write_##W)(GLOBAL NUMBER_##W *RESTRICT out, INDEX from, INDEX n, float value) {              \
    PART(0)                                                                                                  \
    for (INDEX i = first; i < last; i += AHEAD * LANES_X) {                                                  \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        NUMBER_##W number;                                                                                   \
        EACH_##W(FILL) out[i + j * LANES_X] = number;                                                        \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL(memory_copy_##W)(GLOBAL const NUMBER_##W *RESTRICT a, GLOBAL NUMBER_##W *RESTRICT out, INDEX from,  \
                          INDEX n) {                                                                         \
    PART(0)                                                                                                  \
    for (INDEX i = first; i < last; i += AHEAD * LANES_X) {                                                  \
      NUMBER_##W values[AHEAD];                                                                              \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        values[j] = a[i + j * LANES_X];                                                                      \
      }                                                                                                      \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        out[i + j * LANES_X] = values[j];                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL(memory_triad_##W)(GLOBAL const NUMBER_##W *RESTRICT a, GLOBAL const NUMBER_##W *RESTRICT b,         \
                           GLOBAL NUMBER_##W *RESTRICT out, INDEX from, INDEX n) {                           \
    PART(0)                                                                                                  \
    for (INDEX i = first; i < last; i += AHEAD * LANES_X) {                                                  \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        NUMBER_##W x = a[i + j * LANES_X], y = b[i + j * LANES_X], sum;                                      \
        EACH_##W(TRIAD) out[i + j * LANES_X] = sum;                                                          \
      }                                                                                                      \
    }                                                                                                        \
  }
PATTERNS(1)
PATTERNS(2)
PATTERNS(4)

/* Local memory: each lane reads four numbers side by side with its neighbours', from another place each time. The slots behind
 * SLOTS spare the loads a turn back to the first. */
#define SLOTS 512
#define LOADS 8
#define APART 32
KERNEL(memory_local)(GLOBAL const float4 *RESTRICT a, GLOBAL float *RESTRICT out, int rounds, float keep) {
  LOCAL ALIGN(16) float4 slots[SLOTS + LOADS * APART];
  for (int i = LANE_X; i < SLOTS + LOADS * APART; i += LANES_X) {
    slots[i] = a[i];
  }
  BARRIER();
  const int apart = LANES_X < APART ? LANES_X : APART;
  float4 sums[AHEAD];
  UNROLL for (int j = 0; j < AHEAD; j++) {
    EACH_4(CLEAR)
  }
  for (int round = 0; round < rounds; round++) {
    const int at = (LANE_X + round * LOADS) & (SLOTS - 1);
    UNROLL for (int load = 0; load < LOADS; load++) {
      const int j = load & (AHEAD - 1);
      float4 value = slots[at + load * apart];
      EACH_4(ADD)
    }
  }
  EACH_4(FOLD)
  float sum = TOTAL_4(sums[0]);
  if (sum > keep) {
    out[LANE_X] = sum;
  }
}

/* Loads that wait for each other: an element tells where the next is. */
KERNEL(memory_chase)(GLOBAL const int *RESTRICT next, GLOBAL int *RESTRICT out, int loads) {
  int at = out[0];
  for (int i = 0; i < loads; i++) {
    at = next[at];
  }
  out[0] = at;
}

KERNEL(memory_nothing)(int unused) {
}
