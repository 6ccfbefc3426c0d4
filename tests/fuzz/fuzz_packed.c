/* Any bytes as a packed file: a reason, or bytes that are the same whatever the pieces they are read in; how many come before damage
   depends on the pieces (zstd unpacks a frame that fits in one go). */
#include <stdlib.h>
#include <string.h>

#include "import/_packed.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20, PIECE = 4093 };

/** Unpacks up to MOST bytes in pieces; how many there are. */
static size_t unpack(const uint8_t *data, size_t size, size_t piece, char *to, roof_status *status) {
  rf_packed *packed = rf_packed_new(-1, (const char *)data, size);
  char why[160] = "";
  size_t count = 0, got = 1;
  *status = ROOF_OK;
  while (packed != NULL && got > 0 && *status == ROOF_OK && count + piece <= MOST) {
    got = rf_packed_read(packed, to + count, piece, status, why, sizeof why);
    count += got;
  }
  if (packed == NULL || (*status != ROOF_OK && why[0] == '\0')) {
    abort();
  }
  rf_packed_free(packed);
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *once = malloc(MOST), *again = malloc(MOST);
  roof_status first, second;
  size_t whole = unpack(data, size, MOST, once, &first), pieces = unpack(data, size, PIECE, again, &second);
  size_t same = whole < pieces ? whole : pieces;
  bool differ = first != second || (first == ROOF_OK && whole != pieces);
  if (memcmp(once, again, same) != 0 || (whole < MOST - PIECE && differ)) {
    abort();
  }
  free(once);
  free(again);
  return 0;
}
