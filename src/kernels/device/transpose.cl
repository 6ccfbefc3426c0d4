// formats: fp64 fp32 fp16 bf16
/* B = A': tiles of TILE x TILE by TILE x 8 lanes. */
#define TILE 32

/* Rows are read, columns written: each store of neighbouring lanes is a line of its own. */
KERNEL(transpose_naive)(GLOBAL const REAL *RESTRICT a, GLOBAL REAL *RESTRICT b, int rows, int columns) {
  int column = GROUP_X * TILE + LANE_X;
  for (int i = LANE_Y; i < TILE; i += LANES_Y) {
    int row = GROUP_Y * TILE + i;
    if (row < rows && column < columns) {
      b[(INDEX)column * rows + row] = a[(INDEX)row * columns + column];
    }
  }
}

/* A tile is turned in local memory, whose rows are one element longer so that a column lies in all banks. */
KERNEL(transpose_tiled)(GLOBAL const REAL *RESTRICT a, GLOBAL REAL *RESTRICT b, int rows, int columns) {
  LOCAL REAL tile[TILE][TILE + 1];
  int top = GROUP_Y * TILE, left = GROUP_X * TILE;
  for (int i = LANE_Y; i < TILE; i += LANES_Y) {
    if (top + i < rows && left + LANE_X < columns) {
      tile[i][LANE_X] = a[(INDEX)(top + i) * columns + left + LANE_X];
    }
  }
  BARRIER();
  for (int i = LANE_Y; i < TILE; i += LANES_Y) {
    if (left + i < columns && top + LANE_X < rows) {
      b[(INDEX)(left + i) * rows + top + LANE_X] = tile[LANE_X][i];
    }
  }
}
