// formats: fp32
/* What a memory level can do: read, write, copy, triad, by elements of 4, 8 and 16 bytes. Each group takes a part of the
 * data; its lanes stand side by side and have AHEAD elements on their way. `passes` times, each time another group's part, so
 * that a cache beside one unit does not serve it. */
#define AHEAD 4

typedef float NUMBER_1;
typedef float2 NUMBER_2;
typedef float4 NUMBER_4;
#define ADD_1(a, b) ((a) + (b))
#define ADD_2(a, b) ((a) + (b).x + (b).y)
#define ADD_4(a, b) ((a) + ((b).x + (b).y) + ((b).z + (b).w))
#define TRIAD_1(to, a, b) (to) = FMA(0.75f, b, a);
#define TRIAD_2(to, a, b)                                                                                    \
  (to).x = FMA(0.75f, (b).x, (a).x);                                                                         \
  (to).y = FMA(0.75f, (b).y, (a).y);
#define TRIAD_4(to, a, b)                                                                                    \
  TRIAD_2(to, a, b)                                                                                          \
  (to).z = FMA(0.75f, (b).z, (a).z);                                                                         \
  (to).w = FMA(0.75f, (b).w, (a).w);
#define FILL_1(to, v) (to) = (v);
#define FILL_2(to, v)                                                                                        \
  (to).x = (v);                                                                                              \
  (to).y = (v);
#define FILL_4(to, v)                                                                                        \
  FILL_2(to, v)                                                                                              \
  (to).z = (v);                                                                                              \
  (to).w = (v);

/* Parts are whole multiples of what the lanes take at once; n counts elements of the width and is one, too. */
#define PART(pass)                                                                                           \
  INDEX share = n / GROUPS_X, first = share * ((GROUP_X + (pass)*37) % GROUPS_X) + LANE_X,                   \
        last = first + share - LANE_X;

#define PATTERNS(W)                                                                                          \
  KERNEL(memory_read_##W)(GLOBAL const NUMBER_##W *RESTRICT a, GLOBAL float *RESTRICT out, INDEX n,          \
                          int passes) {                                                                      \
    float sums[AHEAD] = {0, 0, 0, 0};                                                                        \
    for (int pass = 0; pass < passes; pass++) {                                                              \
      PART(pass)                                                                                             \
      for (INDEX i = first; i < last; i += AHEAD * LANES_X) {                                                \
        UNROLL for (int j = 0; j < AHEAD; j++) {                                                             \
          NUMBER_##W value = a[i + j * LANES_X];                                                             \
          sums[j] = ADD_##W(sums[j], value);                                                                 \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);                                                   \
    if (sum == 1.2345678e30f) {                                                                              \
      out[0] = sum;                                                                                          \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL(memory_write_##W)(GLOBAL NUMBER_##W *RESTRICT out, float value, INDEX n) {                          \
    PART(0)                                                                                                  \
    for (INDEX i = first; i < last; i += AHEAD * LANES_X) {                                                  \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        NUMBER_##W number;                                                                                   \
        FILL_##W(number, value + (float)LANE_X) out[i + j * LANES_X] = number;                               \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  KERNEL(memory_copy_##W)(GLOBAL const NUMBER_##W *RESTRICT a, GLOBAL NUMBER_##W *RESTRICT out, INDEX n) {   \
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
                           GLOBAL NUMBER_##W *RESTRICT out, INDEX n) {                                       \
    PART(0)                                                                                                  \
    for (INDEX i = first; i < last; i += AHEAD * LANES_X) {                                                  \
      UNROLL for (int j = 0; j < AHEAD; j++) {                                                               \
        NUMBER_##W x = a[i + j * LANES_X], y = b[i + j * LANES_X], sum;                                      \
        TRIAD_##W(sum, x, y) out[i + j * LANES_X] = sum;                                                     \
      }                                                                                                      \
    }                                                                                                        \
  }
PATTERNS(1)
PATTERNS(2)
PATTERNS(4)

/* Local memory: each lane reads four numbers side by side with its neighbours', from another place each time. */
#define SLOTS 512
KERNEL(memory_local)(GLOBAL const float4 *RESTRICT a, GLOBAL float *RESTRICT out, int rounds) {
  LOCAL ALIGN(16) float4 slots[SLOTS];
  for (int i = LANE_X; i < SLOTS; i += LANES_X) {
    slots[i] = a[i];
  }
  BARRIER();
  float sum = 0;
  int at = LANE_X;
  for (int round = 0; round < rounds; round++) {
    UNROLL for (int j = 0; j < 8; j++) {
      float4 value = slots[(at + j * 32) & (SLOTS - 1)];
      sum += (value.x + value.y) + (value.z + value.w);
    }
    at += 1;
  }
  if (sum == 1.2345678e30f) {
    out[0] = sum;
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
