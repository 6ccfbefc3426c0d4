/* Unpacks gzip, zstd and xz while it reads, in memory that does not grow with the file. */
#include "import/_packed.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { INPUT = 1 << 17, MAGIC = 6, MOST = 1 << 30, XZ_MEMORY = 256 << 20 };

/** What became of a step. */
typedef enum step { STEP_GOES_ON, STEP_ENDED, STEP_CUT, STEP_DAMAGED, STEP_NO_MEMORY, STEP_TOO_LARGE } step;

/** One way of packing. `next` unpacks from the input to `to` and sets how many bytes it made. */
typedef struct packing {
  const char *name;
  const char *magic;
  bool (*begin)(rf_packed *packed);
  step (*next)(rf_packed *packed, char *to, size_t size, size_t *made);
  void (*end)(rf_packed *packed);
} packing;

struct rf_packed {
  int descriptor; /* -1: memory */
  const char *data;
  size_t size;  /* of what is read and not yet used, at `data` */
  char *buffer; /* of INPUT bytes, for a file */
  bool last;    /* there is no more to read */
  int failed;   /* errno of reading; 0: none */
  bool begun, ended, cut;
  const packing *packing; /* NULL: bytes as they are */
  z_stream gzip;
  lzma_stream xz;
  ZSTD_DStream *zstd;
  bool whole; /* a frame of zstd ended where the input is */
};

/** Reads until there are `most` bytes of input, or no more. */
static void fill(rf_packed *p, size_t most) {
  while (p->size < most && !p->last) {
    if (p->size > 0) {
      memmove(p->buffer, p->data, p->size);
    }
    ssize_t count = read(p->descriptor, p->buffer + p->size, INPUT - p->size);
    p->data = p->buffer;
    if (count < 0 && errno == EINTR) {
      continue;
    }
    p->failed = count < 0 ? errno : 0;
    p->last = count <= 0;
    p->size += count > 0 ? (size_t)count : 0;
  }
}

static void use(rf_packed *p, size_t left) {
  p->data += p->size - left;
  p->size = left;
}

static bool begin_gzip(rf_packed *p) {
  enum { LARGEST_WINDOW = 15, GZIP = 16 };
  return inflateInit2(&p->gzip, LARGEST_WINDOW + GZIP) == Z_OK;
}

static bool has_magic(const rf_packed *p, const char *magic) {
  size_t length = strlen(magic);
  return p->size >= length && memcmp(p->data, magic, length) == 0;
}

static const char gzip_magic[] = "\x1F\x8B";

/** Members follow each other; what follows them and is none is padding. */
static step next_gzip(rf_packed *p, char *to, size_t size, size_t *made) {
  p->gzip.next_in = (unsigned char *)(uintptr_t)p->data;
  unsigned in = (unsigned)(p->size < MOST ? p->size : MOST), out = (unsigned)(size < MOST ? size : MOST);
  p->gzip.avail_in = in;
  p->gzip.next_out = (unsigned char *)to;
  p->gzip.avail_out = out;
  int code = inflate(&p->gzip, Z_NO_FLUSH);
  use(p, p->size - (in - p->gzip.avail_in));
  *made = out - p->gzip.avail_out;
  if (code == Z_STREAM_END) {
    fill(p, sizeof gzip_magic - 1);
    return has_magic(p, gzip_magic) && inflateReset(&p->gzip) == Z_OK ? STEP_GOES_ON : STEP_ENDED;
  }
  return code == Z_OK                          ? STEP_GOES_ON
         : code == Z_BUF_ERROR && p->size == 0 ? STEP_CUT
         : code == Z_MEM_ERROR                 ? STEP_NO_MEMORY
                                               : STEP_DAMAGED;
}

static void end_gzip(rf_packed *p) {
  inflateEnd(&p->gzip);
}

static bool begin_zstd(rf_packed *p) {
  p->zstd = ZSTD_createDStream();
  return p->zstd != NULL;
}

static step next_zstd(rf_packed *p, char *to, size_t size, size_t *made) {
  if (p->size == 0 && p->whole) {
    return STEP_ENDED;
  }
  ZSTD_inBuffer in = {p->data, p->size, 0};
  ZSTD_outBuffer out = {to, size, 0};
  size_t code = ZSTD_decompressStream(p->zstd, &out, &in);
  bool moved = in.pos > 0 || out.pos > 0;
  use(p, p->size - in.pos);
  *made = out.pos;
  p->whole = code == 0;
  if (ZSTD_isError(code)) {
    ZSTD_ErrorCode kind = ZSTD_getErrorCode(code);
    return kind == ZSTD_error_memory_allocation               ? STEP_NO_MEMORY
           : kind == ZSTD_error_frameParameter_windowTooLarge ? STEP_TOO_LARGE
                                                              : STEP_DAMAGED;
  }
  return moved || p->whole ? STEP_GOES_ON : STEP_CUT;
}

static void end_zstd(rf_packed *p) {
  ZSTD_freeDStream(p->zstd);
}

static bool begin_xz(rf_packed *p) {
  return lzma_stream_decoder(&p->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
}

static step next_xz(rf_packed *p, char *to, size_t size, size_t *made) {
  p->xz.next_in = (const uint8_t *)p->data;
  p->xz.avail_in = p->size;
  p->xz.next_out = (uint8_t *)to;
  p->xz.avail_out = size;
  lzma_ret code = lzma_code(&p->xz, p->last ? LZMA_FINISH : LZMA_RUN);
  use(p, p->xz.avail_in);
  *made = size - p->xz.avail_out;
  return code == LZMA_OK               ? STEP_GOES_ON
         : code == LZMA_STREAM_END     ? STEP_ENDED
         : code == LZMA_BUF_ERROR      ? STEP_CUT
         : code == LZMA_MEM_ERROR      ? STEP_NO_MEMORY
         : code == LZMA_MEMLIMIT_ERROR ? STEP_TOO_LARGE
                                       : STEP_DAMAGED;
}

static void end_xz(rf_packed *p) {
  lzma_end(&p->xz);
}

static const packing packings[] = {
    {"gzip", gzip_magic, begin_gzip, next_gzip, end_gzip},
    {"zstd", "\x28\xB5\x2F\xFD", begin_zstd, next_zstd, end_zstd},
    {"zstd", "\x50\x2A\x4D\x18", begin_zstd, next_zstd, end_zstd}, /* pzstd's first, which is skipped */
    {"xz",
     "\xFD"
     "7zXZ",
     begin_xz, next_xz, end_xz},
};

rf_packed *rf_packed_new(int descriptor, const char *data, size_t size) {
  rf_packed *p = calloc(1, sizeof *p);
  char *buffer = p != NULL && descriptor >= 0 ? malloc(INPUT) : NULL;
  if (p == NULL || (descriptor >= 0 && buffer == NULL)) {
    free(p);
    return NULL;
  }
  *p = (rf_packed){.descriptor = descriptor, .buffer = buffer, .data = data, .size = size};
  p->last = descriptor < 0;
  return p;
}

void rf_packed_free(rf_packed *p) {
  if (p == NULL) {
    return;
  }
  if (p->packing != NULL) {
    p->packing->end(p);
  }
  if (p->descriptor >= 0) {
    close(p->descriptor);
  }
  free(p->buffer);
  free(p);
}

/** Looks at the first bytes. False when out of memory. */
static bool begin(rf_packed *p) {
  fill(p, MAGIC);
  p->begun = true;
  for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++) {
    if (has_magic(p, packings[i].magic)) {
      p->packing = packings[i].begin(p) ? &packings[i] : NULL;
      return p->packing != NULL;
    }
  }
  return true;
}

/** Bytes as they are: first those that were looked at. */
static step next_plain(rf_packed *p, char *to, size_t size, size_t *made) {
  size_t count = p->size < size ? p->size : size;
  if (count > 0) {
    memcpy(to, p->data, count);
    use(p, p->size - count);
  } else if (!p->last) {
    ssize_t read_now = read(p->descriptor, to, size);
    bool again = read_now < 0 && errno == EINTR;
    p->failed = read_now < 0 && !again ? errno : 0;
    p->last = read_now <= 0 && !again;
    count = read_now > 0 ? (size_t)read_now : 0;
  }
  *made = count;
  return p->last && p->size == 0 ? STEP_ENDED : STEP_GOES_ON;
}

static roof_status explain(const rf_packed *p, step at, char *why, size_t room) {
  if (p->failed != 0) {
    snprintf(why, room, "%s", strerror(p->failed));
  } else if (at == STEP_CUT) {
    snprintf(why, room, "it ends too early");
  } else if (at == STEP_DAMAGED) {
    snprintf(why, room, "its %s data are damaged", p->packing->name);
  } else if (at == STEP_TOO_LARGE) {
    snprintf(why, room, "it takes too much memory to unpack here: unpack it with `%s` first",
             p->packing->name);
  } else if (at == STEP_NO_MEMORY) {
    snprintf(why, room, "out of memory");
    return ROOF_E_MEMORY;
  } else {
    return ROOF_OK;
  }
  return ROOF_E_INPUT;
}

size_t rf_packed_read(rf_packed *p, char *to, size_t size, roof_status *status, char *why, size_t room) {
  size_t count = 0;
  step at = p->begun || begin(p) ? STEP_GOES_ON : STEP_NO_MEMORY;
  while (count < size && at == STEP_GOES_ON && !p->ended) {
    size_t made = 0;
    if (p->packing != NULL) {
      fill(p, 1);
    }
    at = p->failed != 0       ? STEP_ENDED
         : p->packing != NULL ? p->packing->next(p, to + count, size - count, &made)
                              : next_plain(p, to + count, size - count, &made);
    count += made;
  }
  p->ended = p->ended || at != STEP_GOES_ON;
  p->cut = p->cut || at == STEP_CUT;
  *status = explain(p, at, why, room);
  return count;
}

bool rf_packed_cut(const rf_packed *p) {
  return p->cut;
}

int rf_packed_descriptor(const rf_packed *p) {
  return p->packing == NULL ? p->descriptor : -1;
}
