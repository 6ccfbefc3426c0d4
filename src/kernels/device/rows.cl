// formats: fp64 fp32 fp16 bf16
/* Rows of a matrix: sums, softmax, rmsnorm. A group of 256 lanes; KEPT elements of a row stay in local memory. */
#define LANES 256
#define EPSILON ((SUM)1e-5) /* ROOF_NORM_EPSILON */
#define KEPT (32768 / (int)sizeof(SUM) / 2)

/* The sum, or the maximum, of one number of each lane; every lane gets it. */
#define COMBINE(name, how)                                                                                   \
  FUNCTION SUM name(LOCAL_POINTER SUM *parts, SUM mine) {                                                    \
    int lane = LANE_X;                                                                                       \
    BARRIER();                                                                                               \
    parts[lane] = mine;                                                                                      \
    BARRIER();                                                                                               \
    for (int reach = LANES / 2; reach > 0; reach /= 2) {                                                        \
      if (lane < reach) {                                                                                     \
        SUM a = parts[lane], b = parts[lane + reach];                                                         \
        parts[lane] = how;                                                                                   \
      }                                                                                                      \
      BARRIER();                                                                                             \
    }                                                                                                        \
    return parts[0];                                                                                         \
  }
COMBINE(sum_of, a + b)
COMBINE(maximum_of, MAX(a, b))

/* The part of each group summed; then one group sums what they found. */
KERNEL(rows_reduce)(GLOBAL const REAL *RESTRICT x, GLOBAL SUM *RESTRICT parts, INDEX n) {
  LOCAL SUM shared[LANES];
  INDEX share = (n + GROUPS_X - 1) / GROUPS_X, first = share * GROUP_X;
  INDEX last = first + share < n ? first + share : n;
  SUM sums[4] = {0, 0, 0, 0};
  for (INDEX i = first + LANE_X; i < last; i += 4 * LANES) {
    UNROLL for (int j = 0; j < 4; j++) {
      sums[j] += i + j * LANES < last ? LOAD(x, i + j * LANES) : (SUM)0;
    }
  }
  SUM total = sum_of(shared, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  if (LANE_X == 0) {
    parts[GROUP_X] = total;
  }
}

KERNEL(rows_reduce_parts)(GLOBAL const SUM *RESTRICT parts, GLOBAL REAL *RESTRICT out, int count) {
  LOCAL SUM shared[LANES];
  SUM sum = 0;
  for (int i = LANE_X; i < count; i += LANES) {
    sum += parts[i];
  }
  SUM total = sum_of(shared, sum);
  if (LANE_X == 0) {
    STORE(out, 0, total);
  }
}

/* Softmax in three kernels, each from memory to memory: the maximum of a row, the sum of its exponentials, their quotient. */
KERNEL(rows_maximum)(GLOBAL const REAL *RESTRICT x, GLOBAL SUM *RESTRICT maxima, int columns) {
  LOCAL SUM shared[LANES];
  GLOBAL const REAL *row = x + (INDEX)GROUP_X * columns;
  SUM most = LOAD(row, 0);
  for (int j = LANE_X; j < columns; j += LANES) {
    most = MAX(most, LOAD(row, j));
  }
  most = maximum_of(shared, most);
  if (LANE_X == 0) {
    maxima[GROUP_X] = most;
  }
}

KERNEL(rows_exponentials)(GLOBAL const REAL *RESTRICT x, GLOBAL SUM *RESTRICT maxima, int columns, int rows) {
  LOCAL SUM shared[LANES];
  GLOBAL const REAL *row = x + (INDEX)GROUP_X * columns;
  SUM most = maxima[GROUP_X], sum = 0;
  for (int j = LANE_X; j < columns; j += LANES) {
    sum += EXP(LOAD(row, j) - most);
  }
  sum = sum_of(shared, sum);
  if (LANE_X == 0) {
    maxima[rows + GROUP_X] = sum;
  }
}

KERNEL(rows_quotients)
(GLOBAL const REAL *RESTRICT x, GLOBAL const SUM *RESTRICT maxima, GLOBAL REAL *RESTRICT out, int columns, int rows) {
  GLOBAL const REAL *row = x + (INDEX)GROUP_X * columns;
  GLOBAL REAL *to = out + (INDEX)GROUP_X * columns;
  SUM most = maxima[GROUP_X], factor = 1 / maxima[rows + GROUP_X];
  for (int j = LANE_X; j < columns; j += LANES) {
    STORE(to, j, EXP(LOAD(row, j) - most) * factor);
  }
}

/* Softmax in one kernel: a row is read once, as far as it can be kept, and written once. */
KERNEL(rows_softmax)(GLOBAL const REAL *RESTRICT x, GLOBAL REAL *RESTRICT out, int columns) {
  LOCAL SUM shared[LANES];
  LOCAL SUM kept[KEPT];
  GLOBAL const REAL *row = x + (INDEX)GROUP_X * columns;
  GLOBAL REAL *to = out + (INDEX)GROUP_X * columns;
  SUM most = LOAD(row, 0), sum = 0;
  for (int j = LANE_X; j < columns; j += LANES) {
    SUM value = LOAD(row, j);
    if (j < KEPT) {
      kept[j] = value;
    }
    most = MAX(most, value);
  }
  most = maximum_of(shared, most);
  for (int j = LANE_X; j < columns; j += LANES) {
    SUM value = EXP((j < KEPT ? kept[j] : LOAD(row, j)) - most);
    if (j < KEPT) {
      kept[j] = value;
    }
    sum += value;
  }
  SUM factor = 1 / sum_of(shared, sum);
  for (int j = LANE_X; j < columns; j += LANES) {
    STORE(to, j, (j < KEPT ? kept[j] : EXP(LOAD(row, j) - most)) * factor);
  }
}

/* Rmsnorm in two kernels: the factor of a row, then its elements. */
KERNEL(rows_factor)(GLOBAL const REAL *RESTRICT x, GLOBAL SUM *RESTRICT factors, int columns) {
  LOCAL SUM shared[LANES];
  GLOBAL const REAL *row = x + (INDEX)GROUP_X * columns;
  SUM sum = 0;
  for (int j = LANE_X; j < columns; j += LANES) {
    SUM value = LOAD(row, j);
    sum = FMA(value, value, sum);
  }
  sum = sum_of(shared, sum);
  if (LANE_X == 0) {
    factors[GROUP_X] = 1 / SQRT(sum / columns + EPSILON);
  }
}

KERNEL(rows_scaled)
(GLOBAL const REAL *RESTRICT x, GLOBAL const REAL *RESTRICT gain, GLOBAL const SUM *RESTRICT factors,
 GLOBAL REAL *RESTRICT out, int columns) {
  GLOBAL const REAL *row = x + (INDEX)GROUP_X * columns;
  GLOBAL REAL *to = out + (INDEX)GROUP_X * columns;
  SUM factor = factors[GROUP_X];
  for (int j = LANE_X; j < columns; j += LANES) {
    STORE(to, j, LOAD(row, j) * factor * LOAD(gain, j));
  }
}

/* Rmsnorm in one. */
KERNEL(rows_rmsnorm)
(GLOBAL const REAL *RESTRICT x, GLOBAL const REAL *RESTRICT gain, GLOBAL REAL *RESTRICT out, int columns) {
  LOCAL SUM shared[LANES];
  LOCAL SUM kept[KEPT];
  GLOBAL const REAL *row = x + (INDEX)GROUP_X * columns;
  GLOBAL REAL *to = out + (INDEX)GROUP_X * columns;
  SUM sum = 0;
  for (int j = LANE_X; j < columns; j += LANES) {
    SUM value = LOAD(row, j);
    if (j < KEPT) {
      kept[j] = value;
    }
    sum = FMA(value, value, sum);
  }
  SUM factor = 1 / SQRT(sum_of(shared, sum) / columns + EPSILON);
  for (int j = LANE_X; j < columns; j += LANES) {
    STORE(to, j, (j < KEPT ? kept[j] : LOAD(row, j)) * factor * LOAD(gain, j));
  }
}
