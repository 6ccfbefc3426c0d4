/* Memory of the emulated device: the host's, between fences. What was never written is NaN; a step beyond
 * either end of an allocation is a fault, at the latest when the launch is over. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fake.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZER
#endif
#endif
#if defined(SANITIZER)
#include <sanitizer/asan_interface.h>
int fake_cuda_sanitized = 1;
#else
int fake_cuda_sanitized;
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

enum { PAGE = 4096, ALIGNED = 256, NEVER_WRITTEN = 0xFF };

/** An allocation: [fence page][room that no one asked for][content][fence of less than ALIGNED][fence page]
 */
typedef struct block {
  unsigned char *mapped, *content;
  size_t mapped_bytes, bytes;
  int device;
  unsigned char fence; /* another for each, or a copy of one fence to another would not be seen */
  struct block *next;
} block;

static block *blocks;

int fake_give(void **handle, size_t bytes) {
  *handle = calloc(1, bytes > 0 ? bytes : 1);
  fake_cuda_live += *handle != NULL;
  return *handle != NULL ? 0 : OUT_OF_MEMORY;
}

int fake_take(void *handle) {
  free(handle);
  fake_cuda_live--;
  return 0;
}

static size_t used_by(int device) {
  size_t used = 0;
  for (const block *b = blocks; b != NULL; b = b->next) {
    used += b->device == device ? b->bytes : 0;
  }
  return used;
}

static size_t fence_bytes(const block *b) {
  return (size_t)(b->mapped + b->mapped_bytes - PAGE - (b->content + b->bytes));
}

/** The content ends at the fence, as near as its alignment lets it. */
static bool map(block *b) {
  size_t whole = (b->bytes + ALIGNED - 1) / ALIGNED * ALIGNED, pages = (whole + PAGE - 1) / PAGE * PAGE;
  b->mapped_bytes = pages + 2 * PAGE;
  b->mapped = mmap(NULL, b->mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (b->mapped == MAP_FAILED) {
    return false;
  }
  madvise(b->mapped, b->mapped_bytes, MADV_HUGEPAGE); /* large ones are filled sooner */
  mprotect(b->mapped, PAGE, PROT_NONE);
  mprotect(b->mapped + PAGE + pages, PAGE, PROT_NONE);
  b->content = b->mapped + PAGE + pages - whole;
  memset(b->content, NEVER_WRITTEN, b->bytes);
  memset(b->content + b->bytes, b->fence, fence_bytes(b));
  ASAN_POISON_MEMORY_REGION(b->content + b->bytes, fence_bytes(b));
  ASAN_POISON_MEMORY_REGION(b->mapped + PAGE, (size_t)(b->content - b->mapped - PAGE));
  return true;
}

ENTRY(int, cuMemAlloc_v2, pointer *memory, size_t bytes) {
  ENTER(cuMemAlloc_v2);
  int device = fake_context()->device;
  if (bytes == 0) {
    return INVALID_VALUE;
  }
  if (used_by(device) + bytes > (size_t)fake_number("memory=", 512) << 20) {
    return OUT_OF_MEMORY;
  }
  block *b = calloc(1, sizeof *b);
  if (b == NULL) {
    return OUT_OF_MEMORY;
  }
  b->bytes = bytes;
  b->device = device;
  b->fence = (unsigned char)(blocks != NULL ? blocks->fence + 1 : 0);
  if (!map(b)) {
    free(b);
    return OUT_OF_MEMORY;
  }
  b->next = blocks;
  blocks = b;
  *memory = (pointer)(uintptr_t)b->content;
  fake_cuda_live++;
  fake_changed();
  return 0;
}

/** Where there is a sanitizer it watches over the fence. */
static bool fence_stands(const block *b) {
  size_t intact = fake_cuda_sanitized ? fence_bytes(b) : 0;
  while (intact < fence_bytes(b) && b->content[b->bytes + intact] == b->fence) {
    intact++;
  }
  return intact == fence_bytes(b);
}

bool fake_fences_stand(void) {
  for (const block *b = blocks; b != NULL; b = b->next) {
    if (!fence_stands(b)) {
      return false;
    }
  }
  return true;
}

/** Memory is given back in a faulty context, too, though the call says what the fault was. */
ENTRY(int, cuMemFree_v2, pointer memory) {
  int code = fake_enter("cuMemFree_v2");
  fake_changed();
  for (block **at = &blocks; *at != NULL; at = &(*at)->next) {
    block *b = *at;
    if (b->content == (unsigned char *)(uintptr_t)memory) {
      *at = b->next;
      ASAN_UNPOISON_MEMORY_REGION(b->mapped, b->mapped_bytes);
      munmap(b->mapped, b->mapped_bytes);
      free(b);
      fake_cuda_live--;
      return code;
    }
  }
  return INVALID_VALUE;
}

bool fake_inside(pointer at, size_t bytes) {
  for (const block *b = blocks; b != NULL; b = b->next) {
    pointer begin = (pointer)(uintptr_t)b->content;
    if (at >= begin && at + bytes <= begin + b->bytes) {
      return true;
    }
  }
  return false;
}

ENTRY(int, cuMemHostAlloc, void **memory, size_t bytes, unsigned flags) {
  ENTER(cuMemHostAlloc);
  return flags > 7 || bytes == 0 ? INVALID_VALUE : fake_give(memory, bytes);
}

ENTRY(int, cuMemFreeHost, void *memory) {
  int code = fake_enter("cuMemFreeHost");
  fake_take(memory);
  return code;
}

/** What the device does with a range: nothing where it is not its own. */
static int copy(void *to, const void *from, pointer mine, size_t bytes) {
  if (!fake_inside(mine, bytes)) {
    return INVALID_VALUE;
  }
  memcpy(to, from, bytes);
  return 0;
}

/** Of the emulated bus: bytes per second, and seconds before the first of them. */
static const double bus = 50e9, peer_bus = 200e9, ahead = 2e-6;

ENTRY(int, cuMemcpyHtoDAsync_v2, pointer to, const void *from, size_t bytes, stream *in) {
  ENTER(cuMemcpyHtoDAsync_v2);
  fake_changed();
  fake_work(in, ahead + (double)bytes / bus);
  return copy((void *)(uintptr_t)to, from, to, bytes);
}

ENTRY(int, cuMemcpyDtoHAsync_v2, void *to, pointer from, size_t bytes, stream *in) {
  ENTER(cuMemcpyDtoHAsync_v2);
  fake_work(in, ahead + (double)bytes / bus);
  return copy(to, (const void *)(uintptr_t)from, from, bytes);
}

ENTRY(int, cuMemcpyPeerAsync, pointer to, context *to_context, pointer from, context *from_context,
      size_t bytes, stream *in) {
  ENTER(cuMemcpyPeerAsync);
  if (to_context->retained == 0 || from_context->retained == 0 || !fake_inside(from, bytes)) {
    return INVALID_VALUE;
  }
  fake_changed();
  fake_work(in, ahead + (double)bytes / (fake_context()->peers[to_context->device] ? peer_bus : bus / 2));
  return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, to, bytes);
}
