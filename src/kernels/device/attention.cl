// formats: fp32 fp16 bf16
/* Attention: softmax(Q K' / sqrt(dim)) V for each sequence and head. K is followed by V; several heads may share one of them.
 * A query of a causal run sees the keys up to its own; the last query sees all. */
#define TILE 16
#define DIM 128

/* Where head `index` finds its K. */
FUNCTION INDEX stored(int index, int heads, int shared, int kv_len, int dim) {
  return ((INDEX)(index / heads) * shared + index % heads / (heads / shared)) * kv_len * dim;
}

FUNCTION int visible(int row, int q_len, int kv_len, int causal) {
  return causal ? kv_len - q_len + row + 1 : kv_len;
}

/* Standard: all scores go to memory; their softmax comes back to be multiplied with V. */
KERNEL(attention_scores)
(GLOBAL const REAL *RESTRICT q, GLOBAL const REAL *RESTRICT kv, GLOBAL float *RESTRICT scores, int heads, int shared,
 int q_len, int kv_len, int dim, int causal, float scale) {
  int key = GROUP_X * TILE + LANE_X, row = GROUP_Y * TILE + LANE_Y, head = GROUP_Z;
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

/* A group of TILE x TILE lanes a row. */
KERNEL(attention_softmax)(GLOBAL float *RESTRICT scores, int kv_len) {
  LOCAL float parts[TILE * TILE];
  GLOBAL float *row = scores + (INDEX)GROUP_X * kv_len;
  float most = -1e30f, sum = 0;
  for (int pass = 0; pass < 2; pass++) {
    float mine = pass == 0 ? -1e30f : 0;
    for (int j = LANE_X; j < kv_len; j += TILE * TILE) {
      mine = pass == 0 ? MAX(mine, row[j]) : mine + EXP(row[j] - most);
    }
    BARRIER();
    parts[LANE_X] = mine;
    BARRIER();
    for (int reach = TILE * TILE / 2; reach > 0; reach /= 2) {
      if (LANE_X < reach) {
        float a = parts[LANE_X], b = parts[LANE_X + reach];
        parts[LANE_X] = pass == 0 ? MAX(a, b) : a + b;
      }
      BARRIER();
    }
    most = pass == 0 ? parts[0] : most;
    sum = parts[0];
  }
  for (int j = LANE_X; j < kv_len; j += TILE * TILE) {
    row[j] = EXP(row[j] - most) / sum;
  }
}

KERNEL(attention_values)
(GLOBAL const float *RESTRICT scores, GLOBAL const REAL *RESTRICT kv, GLOBAL REAL *RESTRICT out, int heads, int shared,
 int q_len, int kv_len, int dim, INDEX values) {
  int column = GROUP_X * TILE + LANE_X, row = GROUP_Y * TILE + LANE_Y, head = GROUP_Z;
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

/* Flash: TILE queries a group against TILE keys at a time; what was summed so far is rescaled when a larger score is found, so
 * that no score goes to memory. Lane (x, y) has score x of query y, then columns x, x + TILE, ... of its sums. */
KERNEL(attention_flash)
(GLOBAL const REAL *RESTRICT q, GLOBAL const REAL *RESTRICT kv, GLOBAL REAL *RESTRICT out, int heads, int shared,
 int q_len, int kv_len, int dim, int causal, float scale, INDEX values) {
  LOCAL float of_q[TILE][DIM + 1];
  LOCAL float of_k[TILE][DIM + 1];
  LOCAL float of_v[TILE][DIM];
  LOCAL float scores[TILE][TILE + 1];
  int x = LANE_X, y = LANE_Y, row = GROUP_X * TILE + y, head = GROUP_Y;
  INDEX base = stored(head, heads, shared, kv_len, dim);
  int last = visible(GROUP_X * TILE + TILE - 1, q_len, kv_len, causal);
  float most = -1e30f, total = 0, sums[DIM / TILE];
  UNROLL for (int i = 0; i < DIM / TILE; i++) {
    sums[i] = 0;
  }
  for (int p = x; p < dim; p += TILE) {
    of_q[y][p] = row < q_len ? LOAD(q, ((INDEX)head * q_len + row) * dim + p) * scale : 0;
  }
  last = last < kv_len ? last : kv_len;
  for (int first = 0; first < last; first += TILE) {
    BARRIER();
    for (int p = x; p < dim; p += TILE) {
      INDEX at = base + (INDEX)(first + y) * dim + p;
      of_k[y][p] = first + y < kv_len ? LOAD(kv, at) : 0;
      of_v[y][p] = first + y < kv_len ? LOAD(kv, values + at) : 0;
    }
    BARRIER();
    float score = 0;
    for (int p = 0; p < dim; p++) {
      score = FMA(of_q[y][p], of_k[x][p], score);
    }
    scores[y][x] = first + x < visible(row, q_len, kv_len, causal) && first + x < kv_len ? score : -1e30f;
    BARRIER();
    float larger = most;
    for (int j = 0; j < TILE; j++) {
      larger = MAX(larger, scores[y][j]);
    }
    float rescale = EXP(most - larger);
    total *= rescale;
    UNROLL for (int i = 0; i < DIM / TILE; i++) {
      sums[i] *= rescale;
    }
    for (int j = 0; j < TILE; j++) {
      float weight = scores[y][j] > -1e29f ? EXP(scores[y][j] - larger) : 0;
      total += weight;
      UNROLL for (int i = 0; i < DIM / TILE; i++) {
        if (x + i * TILE < dim) {
          sums[i] = FMA(weight, of_v[j][x + i * TILE], sums[i]);
        }
      }
    }
    most = larger;
  }
  UNROLL for (int i = 0; i < DIM / TILE; i++) {
    if (row < q_len && x + i * TILE < dim) {
      STORE(out, ((INDEX)head * q_len + row) * dim + x + i * TILE, sums[i] / total);
    }
  }
}
