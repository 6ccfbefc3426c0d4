// formats: fp64 fp32 fp16 bf16
/* B = A'. By elements: tiles of TILE x TILE, each by TILE x 8 work-items. */
#define TILE 32

/* Rows are read, columns written: the stores of neighbouring work-items are separate lines. */
KERNEL_OF(256, transpose_naive)(GLOBAL const REAL *RESTRICT a, GLOBAL REAL *RESTRICT b, int rows, int columns) {
  int column = GROUP_X * TILE + ITEM_X;
  for (int i = ITEM_Y; i < TILE; i += ITEMS_Y) {
    int row = GROUP_Y * TILE + i;
    if (row < rows && column < columns) {
      b[(INDEX)column * rows + row] = a[(INDEX)row * columns + column];
    }
  }
}

/* A tile is turned in local memory, whose rows are a word of 4 bytes longer so that a column lies in all banks. */
#define PAD (sizeof(REAL) < 4 ? 2 : 1)
KERNEL_OF(256, transpose_tiled)(GLOBAL const REAL *RESTRICT a, GLOBAL REAL *RESTRICT b, int rows, int columns) {
  LOCAL REAL tile[TILE][TILE + PAD];
  int top = GROUP_Y * TILE, left = GROUP_X * TILE;
  for (int i = ITEM_Y; i < TILE; i += ITEMS_Y) {
    if (top + i < rows && left + ITEM_X < columns) {
      tile[i][ITEM_X] = a[(INDEX)(top + i) * columns + left + ITEM_X];
    }
  }
  BARRIER();
  for (int i = ITEM_Y; i < TILE; i += ITEMS_Y) {
    if (left + i < columns && top + ITEM_X < rows) {
      b[(INDEX)(left + i) * rows + top + ITEM_X] = tile[ITEM_X][i];
    }
  }
}

/* By packs: a tile's rows are LINE packs, read and written whole, EACH per work-item. In local memory the tile is transposed: the
 * pack that holds element (row, column) of A is at place (row / PACKED) ^ (column / PACKED) of line `column`, so that what
 * work-items store and load together is spread over all banks, or nearly. Tiles follow each other in bands BAND wide, so that those
 * in work at the same time are close together in A and in B. */
#if defined(TYPE_FP16) || defined(TYPE_BF16)
#define LINE 8
#define ITEMS 128
#elif defined(TYPE_FP64)
#define LINE 16
#define ITEMS 128
#else
#define LINE 16
#define ITEMS 256
#endif
#define SIDE (LINE * PACKED)
#define EACH 4
#define BAND 32

#if defined(TYPE_FP16) || defined(TYPE_BF16)
FUNCTION void take_apart(REAL *to, PACK pack) {
  uint words[4] = {pack.x, pack.y, pack.z, pack.w};
  UNROLL for (int i = 0; i < 8; i++) {
    to[i] = (REAL)(words[i / 2] >> (16 * (i % 2)));
  }
}
#else
#define take_apart(to, pack) UNPACK(to, pack)
#endif

KERNEL_OF(ITEMS, transpose_packs)(GLOBAL const REAL *RESTRICT a, GLOBAL REAL *RESTRICT b, int rows, int columns) {
  LOCAL ALIGN(16) REAL tile[SIDE * SIDE];
  int across = (columns + SIDE - 1) / SIDE, down = (rows + SIDE - 1) / SIDE;
  int band = GROUP_X / (BAND * down), width = across - band * BAND < BAND ? across - band * BAND : BAND;
  int place = GROUP_X - band * BAND * down;
  int top = place / width * SIDE, left = (band * BAND + place % width) * SIDE;
  int pack = ITEM_X % LINE, first = ITEM_X / LINE;
  PACK packs[EACH];
  int wanted = left + pack * PACKED; /* behind an edge the elements before it are read again, and not written */
  UNROLL for (int j = 0; j < EACH; j++) {
    int row = top + first + j * (ITEMS / LINE);
    packs[j] = FETCH(a + (INDEX)(row < rows ? row : rows - 1) * columns, (wanted < columns ? wanted : left) / PACKED);
  }
  UNROLL for (int j = 0; j < EACH; j++) {
    int row = first + j * (ITEMS / LINE);
    REAL elements[PACKED];
    take_apart(elements, packs[j]);
    UNROLL for (int i = 0; i < PACKED; i++) {
      tile[(pack * PACKED + i) * SIDE + ((row / PACKED) ^ pack) * PACKED + row % PACKED] = elements[i];
    }
  }
  BARRIER();
  UNROLL for (int j = 0; j < EACH; j++) {
    int column = first + j * (ITEMS / LINE);
    if (left + column < columns && top + pack * PACKED < rows) {
      PUT(b + (INDEX)(left + column) * rows + top, pack,
          ((LOCAL_POINTER const PACK *)tile)[column * LINE + (pack ^ (column / PACKED))]);
    }
  }
}
