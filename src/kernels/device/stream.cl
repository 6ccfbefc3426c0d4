// formats: fp64 fp32 fp16 bf16
/* The four kernels of STREAM: each group takes a part of the vectors, its lanes stand side by side. */
#define BEGIN                                                                                                \
  INDEX share = (n + GROUPS_X - 1) / GROUPS_X, first = share * GROUP_X;                                      \
  INDEX last = first + share < n ? first + share : n;                                                        \
  for (INDEX i = first + LANE_X; i < last; i += LANES_X)

KERNEL(stream_copy)(GLOBAL const REAL *RESTRICT a, GLOBAL REAL *RESTRICT out, INDEX n) {
  BEGIN {
    out[i] = a[i];
  }
}

KERNEL(stream_scale)(GLOBAL const REAL *RESTRICT a, GLOBAL REAL *RESTRICT out, INDEX n) {
  BEGIN {
    STORE(out, i, (SUM)0.75 * LOAD(a, i));
  }
}

KERNEL(stream_add)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT out, INDEX n) {
  BEGIN {
    STORE(out, i, LOAD(a, i) + LOAD(b, i));
  }
}

KERNEL(stream_triad)
(GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT out, INDEX n) {
  BEGIN {
    STORE(out, i, FMA((SUM)0.75, LOAD(b, i), LOAD(a, i)));
  }
}
