// formats: fp32 fp16 bf16
/* Attention: softmax(Q K' / sqrt(dim)) V for each sequence and head. K is followed by V; several heads may share one of them.
 * A query of a causal run sees the keys up to its own; the last query sees all. */
#define TILE 16

/* Where head `index` finds its K. */
FUNCTION INDEX stored(int index, int heads, int shared, int kv_len, int dim) {
  return ((INDEX)(index / heads) * shared + index % heads / (heads / shared)) * kv_len * dim;
}

FUNCTION int visible(int row, int q_len, int kv_len, int causal) {
  return causal ? kv_len - q_len + row + 1 : kv_len;
}

/* Standard: all scores go to memory; their softmax comes back to be multiplied with V. */
KERNEL_OF(256, attention_scores)
(GLOBAL const REAL *RESTRICT q, GLOBAL const REAL *RESTRICT kv, GLOBAL float *RESTRICT scores, int heads, int shared,
 int q_len, int kv_len, int dim, int causal, float scale) {
  int key = GROUP_X * TILE + ITEM_X, row = GROUP_Y * TILE + ITEM_Y, head = GROUP_Z;
  if (row < q_len && key < kv_len) {
    GLOBAL const REAL *of_q = q + ((INDEX)head * q_len + row) * dim;
    GLOBAL const REAL *of_k = kv + stored(head, heads, shared, kv_len, dim) + (INDEX)key * dim;
    SUM sum = 0;
    for (int p = 0; p < dim; p++) {
      sum = FMA(LOAD(of_q, p), LOAD(of_k, p), sum);
    }
    scores[((INDEX)head * q_len + row) * kv_len + key] =
        key < visible(row, q_len, kv_len, causal) ? sum * scale : -1e30f;
  }
}

/* A work-group of TILE x TILE work-items per row. */
KERNEL_OF(256, attention_softmax)(GLOBAL float *RESTRICT scores, int kv_len) {
  LOCAL float parts[TILE * TILE];
  GLOBAL float *row = scores + (INDEX)GROUP_X * kv_len;
  float most = -1e30f, sum = 0;
  for (int pass = 0; pass < 2; pass++) {
    float mine = pass == 0 ? -1e30f : 0;
    for (int j = ITEM_X; j < kv_len; j += TILE * TILE) {
      mine = pass == 0 ? MAX(mine, row[j]) : mine + EXP(row[j] - most);
    }
    BARRIER();
    parts[ITEM_X] = mine;
    BARRIER();
    for (int reach = TILE * TILE / 2; reach > 0; reach /= 2) {
      if (ITEM_X < reach) {
        float a = parts[ITEM_X], b = parts[ITEM_X + reach];
        parts[ITEM_X] = pass == 0 ? MAX(a, b) : a + b;
      }
      BARRIER();
    }
    most = pass == 0 ? parts[0] : most;
    sum = parts[0];
  }
  for (int j = ITEM_X; j < kv_len; j += TILE * TILE) {
    row[j] = EXP(row[j] - most) / sum;
  }
}

KERNEL_OF(256, attention_values)
(GLOBAL const float *RESTRICT scores, GLOBAL const REAL *RESTRICT kv, GLOBAL REAL *RESTRICT out, int heads, int shared,
 int q_len, int kv_len, int dim, INDEX values) {
  int column = GROUP_X * TILE + ITEM_X, row = GROUP_Y * TILE + ITEM_Y, head = GROUP_Z;
  if (row < q_len && column < dim) {
    GLOBAL const float *weights = scores + ((INDEX)head * q_len + row) * kv_len;
    GLOBAL const REAL *of_v = kv + values + stored(head, heads, shared, kv_len, dim) + column;
    SUM sum = 0;
    for (int key = 0; key < kv_len; key++) {
      sum = FMA(weights[key], LOAD(of_v, (INDEX)key * dim), sum);
    }
    STORE(out, ((INDEX)head * q_len + row) * dim + column, sum);
  }
}

/* Flash: QUERIES queries per work-group against KEYS keys at a time; what was summed so far is rescaled when a larger score is
 * found, so that no score goes to memory. Work-item (x, y) has queries 8 y to 8 y + 7 and four keys, later four columns, from
 * 4 x and from 64 + 4 x on: 4 loads of four numbers for 64 multiply-adds. */
#define QUERIES 64
#define KEYS 128
#define EACH 8
#define ACROSS 16
#define DOWN 8
#define PART 16
#define Q_PITCH (QUERIES + 4)
#define K_PITCH (KEYS + 4)
#define ITEM (ITEM_Y * ACROSS + ITEM_X)

/* PART columns of `count` rows from (first, column) on, column after column; zeros outside the matrix. */
FUNCTION void turn(LOCAL_POINTER float *to, int pitch, GLOBAL const REAL *from, int first, int count, int rows, int column,
                   int dim, float scale) {
  int p = ITEM % PART, row = ITEM / PART, left = column + p < dim ? rows - first - row : 0;
  from += (INDEX)(first + row) * dim + column + p;
  to += p * pitch + row;
  for (int i = 0; i < count; i += ACROSS * DOWN / PART) {
    to[i] = i < left ? LOAD(from, 0) * scale : 0;
    from += ACROSS * DOWN / PART * dim;
  }
}

/* PART rows from row `first` on; zeros outside the matrix. */
FUNCTION void take(LOCAL_POINTER float *to, GLOBAL const REAL *from, int first, int rows, int dim) {
  int left = ITEM < dim ? rows - first : 0;
  from += (INDEX)first * dim + ITEM;
  for (int i = 0; i < PART; i++) {
    to[i * K_PITCH + ITEM] = i < left ? LOAD(from, 0) : 0;
    from += dim;
  }
}

#define HALF_ROW(sums, i, left, j, right)                                                                    \
  sums[i][j + 0] = FMA(left, right.x, sums[i][j + 0]);                                                       \
  sums[i][j + 1] = FMA(left, right.y, sums[i][j + 1]);                                                       \
  sums[i][j + 2] = FMA(left, right.z, sums[i][j + 2]);                                                       \
  sums[i][j + 3] = FMA(left, right.w, sums[i][j + 3]);
#define HALF(sums, j, right)                                                                                 \
  HALF_ROW(sums, 0, a0.x, j, right)                                                                          \
  HALF_ROW(sums, 1, a0.y, j, right)                                                                          \
  HALF_ROW(sums, 2, a0.z, j, right)                                                                          \
  HALF_ROW(sums, 3, a0.w, j, right)                                                                          \
  HALF_ROW(sums, 4, a1.x, j, right)                                                                          \
  HALF_ROW(sums, 5, a1.y, j, right)                                                                          \
  HALF_ROW(sums, 6, a1.z, j, right)                                                                          \
  HALF_ROW(sums, 7, a1.w, j, right)
/* PART steps of a work-item's sums; those of the upper columns where `both`. */
#define MULTIPLY(sums, as, bs, both)                                                                         \
  for (int p = 0; p < PART; p++) {                                                                           \
    float4 a0 = *(LOCAL_POINTER const float4 *)((as) + p * Q_PITCH + y * EACH);                              \
    float4 a1 = *(LOCAL_POINTER const float4 *)((as) + p * Q_PITCH + y * EACH + 4);                          \
    float4 b0 = *(LOCAL_POINTER const float4 *)((bs) + p * K_PITCH + x * 4);                                 \
    HALF(sums, 0, b0)                                                                                        \
    if (both) {                                                                                              \
      float4 b1 = *(LOCAL_POINTER const float4 *)((bs) + p * K_PITCH + x * 4 + 64);                          \
      HALF(sums, 4, b1)                                                                                      \
    }                                                                                                        \
  }

/* Masks scores of keys that a query does not see, and stores this work-item's largest score of each of its queries for the other
 * work-items of the row. */
FUNCTION void mask(LOCAL_POINTER float *largest, float (*scores)[EACH], int top, int first, int q_len, int kv_len, int causal) {
  int x = ITEM_X, y = ITEM_Y;
  for (int i = 0; i < EACH; i++) {
    int row = y * EACH + i, seen = visible(top + row, q_len, kv_len, causal);
    float mine = -1e30f;
    seen = seen < kv_len ? seen : kv_len;
    for (int j = 0; j < EACH; j++) {
      int key = first + j / 4 * 64 + x * 4 + j % 4;
      scores[i][j] = key < seen ? scores[i][j] : -1e30f;
      mine = MAX(mine, scores[i][j]);
    }
    largest[row * (ACROSS + 1) + x] = mine;
  }
}

/* Makes weights of scores, and rescales what was summed with a smaller maximum. */
FUNCTION void weigh(LOCAL_POINTER const float *largest, float (*scores)[EACH], float (*sums)[EACH], float *most, float *total) {
  for (int i = 0; i < EACH; i++) {
    float larger = most[i], rescale; /* every query sees key 0, so that masked scores become 0 */
    for (int j = 0; j < ACROSS; j++) {
      larger = MAX(larger, largest[(ITEM_Y * EACH + i) * (ACROSS + 1) + j]);
    }
    rescale = EXP(most[i] - larger);
    most[i] = larger;
    total[i] *= rescale;
    for (int j = 0; j < EACH; j++) {
      scores[i][j] = EXP(scores[i][j] - larger);
      total[i] += scores[i][j];
      sums[i][j] *= rescale;
    }
  }
}

/* Divides the sums by the weights' total over the work-items of a row, and stores the rows and columns that exist. */
FUNCTION void store(GLOBAL REAL *RESTRICT out, LOCAL_POINTER const float *totals, float (*sums)[EACH], int top, int head, int q_len,
                    int dim) {
  UNROLL for (int i = 0; i < EACH; i++) {
    int row = top + ITEM_Y * EACH + i;
    float all = 0;
    for (int j = 0; j < ACROSS; j++) {
      all += totals[(ITEM_Y * EACH + i) * (ACROSS + 1) + j];
    }
    UNROLL for (int j = 0; j < EACH; j++) {
      int column = j / 4 * 64 + ITEM_X * 4 + j % 4;
      if (row < q_len && column < dim) {
        STORE(out, ((INDEX)head * q_len + row) * dim + column, sums[i][j] / all);
      }
    }
  }
}

KERNEL_OF(128, attention_flash)
(GLOBAL const REAL *RESTRICT q, GLOBAL const REAL *RESTRICT kv, GLOBAL REAL *RESTRICT out, int heads, int shared,
 int q_len, int kv_len, int dim, int causal, float scale, INDEX values) {
  LOCAL ALIGN(16) float of_q[PART * Q_PITCH]; /* and the work-items' maxima: QUERIES rows of ACROSS + 1 */
  LOCAL ALIGN(16) float of_kv[PART * K_PITCH];
  LOCAL ALIGN(16) float weights[KEYS / 2 * Q_PITCH];
  int x = ITEM_X, y = ITEM_Y, top = GROUP_X * QUERIES, head = GROUP_Y;
  GLOBAL const REAL *own = q + (INDEX)head * q_len * dim, *k = kv + stored(head, heads, shared, kv_len, dim);
  int last = visible(top + QUERIES - 1, q_len, kv_len, causal), wide = dim > 64;
  float most[EACH], total[EACH], sums[EACH][EACH], scores[EACH][EACH];
  for (int i = 0; i < EACH; i++) {
    most[i] = -1e30f;
    total[i] = 0;
    for (int j = 0; j < EACH; j++) {
      sums[i][j] = 0;
    }
  }
  last = last < kv_len ? last : kv_len;
  for (int first = 0; first < last; first += KEYS) {
    for (int i = 0; i < EACH; i++) {
      for (int j = 0; j < EACH; j++) {
        scores[i][j] = 0;
      }
    }
    for (int column = 0; column < dim; column += PART) {
      BARRIER();
      turn(of_q, Q_PITCH, own, top, QUERIES, q_len, column, dim, scale);
      turn(of_kv, K_PITCH, k, first, KEYS, kv_len, column, dim, 1);
      BARRIER();
      MULTIPLY(scores, of_q, of_kv, 1)
    }
    BARRIER();
    mask(of_q, scores, top, first, q_len, kv_len, causal);
    BARRIER();
    weigh(of_q, scores, sums, most, total);
    for (int upper = 0; upper < 2; upper++) {
      BARRIER();
      for (int j = 0; j < 4; j++) {
        for (int i = 0; i < EACH; i++) {
          weights[(x * 4 + j) * Q_PITCH + y * EACH + i] = upper ? scores[i][4 + j] : scores[i][j];
        }
      }
      for (int key = 0; key < KEYS / 2; key += PART) {
        BARRIER();
        take(of_kv, k + values, first + upper * (KEYS / 2) + key, kv_len, dim);
        BARRIER();
        MULTIPLY(sums, weights + key * Q_PITCH, of_kv, wide)
      }
    }
  }
  BARRIER();
  for (int i = 0; i < EACH; i++) {
    of_q[(y * EACH + i) * (ACROSS + 1) + x] = total[i];
  }
  BARRIER();
  store(out, of_q, sums, top, head, q_len, dim);
}
