// formats: fp64 fp32 fp16 bf16
/* The four kernels of STREAM: a work-item takes AHEAD packs of each vector, all in flight before the first is used; the first
 * group also takes the elements behind the last whole pack. */
#define ITEMS 256
#define AHEAD 4

/* The work-item's packs at `at`, from the j-th on. */
#define EACH_PACK(at)                                                                                        \
  UNROLL for (int j = 0; j < AHEAD; j++) {                                                                   \
    INDEX at = (INDEX)GROUP_X * (AHEAD * ITEMS) + j * ITEMS + ITEM_X;                                        \
    if (at < packs)
#define END }

/* The element `rest` that is in no whole pack. */
#define THE_REST                                                                                             \
  INDEX rest = packs * PACKED + ITEM_X;                                                                      \
  if (GROUP_X == 0 && rest < n)

KERNEL_OF(ITEMS, stream_copy)(GLOBAL const REAL *RESTRICT a, GLOBAL REAL *RESTRICT out, INDEX n) {
  INDEX packs = n / PACKED;
  PACK x[AHEAD];
  EACH_PACK(at) {
    x[j] = FETCH(a, at);
  }
  END
  EACH_PACK(at) {
    PUT(out, at, x[j]);
  }
  END
  THE_REST {
    out[rest] = a[rest];
  }
}

KERNEL_OF(ITEMS, stream_scale)(GLOBAL const REAL *RESTRICT a, GLOBAL REAL *RESTRICT out, INDEX n) {
  INDEX packs = n / PACKED;
  PACK x[AHEAD];
  EACH_PACK(at) {
    x[j] = FETCH(a, at);
  }
  END
  EACH_PACK(at) {
    SUM values[PACKED];
    UNPACK(values, x[j]);
    UNROLL for (int i = 0; i < PACKED; i++) {
      values[i] *= (SUM)0.75;
    }
    PUT(out, at, PACK_OF(values));
  }
  END
  THE_REST {
    STORE(out, rest, (SUM)0.75 * LOAD(a, rest));
  }
}

#define OF_TWO(name, how)                                                                                    \
  KERNEL_OF(ITEMS, name)                                                                                     \
  (GLOBAL const REAL *RESTRICT a, GLOBAL const REAL *RESTRICT b, GLOBAL REAL *RESTRICT out, INDEX n) {       \
    INDEX packs = n / PACKED;                                                                                \
    PACK x[AHEAD], y[AHEAD];                                                                                 \
    EACH_PACK(at) {                                                                                          \
      x[j] = FETCH(a, at);                                                                                   \
      y[j] = FETCH(b, at);                                                                                   \
    }                                                                                                        \
    END                                                                                                      \
    EACH_PACK(at) {                                                                                          \
      SUM left[PACKED], right[PACKED];                                                                       \
      UNPACK(left, x[j]);                                                                                    \
      UNPACK(right, y[j]);                                                                                   \
      UNROLL for (int i = 0; i < PACKED; i++) {                                                              \
        left[i] = how(left[i], right[i]);                                                                    \
      }                                                                                                      \
      PUT(out, at, PACK_OF(left));                                                                           \
    }                                                                                                        \
    END                                                                                                      \
    THE_REST {                                                                                               \
      STORE(out, rest, how(LOAD(a, rest), LOAD(b, rest)));                                                   \
    }                                                                                                        \
  }
#define ADD(x, y) ((x) + (y))
#define TRIAD(x, y) FMA((SUM)0.75, y, x)
OF_TWO(stream_add, ADD)
OF_TWO(stream_triad, TRIAD)
