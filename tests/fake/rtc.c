/* hiprtc: what it is given is compiled by the host's compiler (module.sh), and what was compiled once is kept in the build's folder
 * as long as nothing of it changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake.h"
#include "programs.h"

/* hiprtcResult */
enum { RTC_SUCCESS = 0, RTC_MEMORY = 1, RTC_INVALID_INPUT = 3, RTC_INVALID_OPTION = 5, RTC_COMPILATION = 6 };

enum { PATH = 1024, HEADERS = 4, LOG = 1 << 16 };

typedef struct program {
  char *text, *name;
  char *headers[HEADERS], *names[HEADERS];
  int count;
  char log[LOG];
  const struct compiled *code;
} program;

/** What a module is loaded from. */
typedef struct compiled {
  char mark[16];
  fake_program as;
  char library[PATH];
  struct compiled *next;
} compiled;

static const char mark[16] = "emulated code";
static compiled *all;

const fake_program *fake_compiled(const void *image) {
  const compiled *given = image;
  for (const compiled *c = all; c != NULL; c = c->next) {
    if (memcmp(given->mark, mark, sizeof mark) == 0 && strcmp(given->library, c->library) == 0) {
      return &c->as;
    }
  }
  return NULL;
}

ENTRY(const char *, hiprtcGetErrorString, int code) {
  return code == RTC_COMPILATION ? "HIPRTC_ERROR_COMPILATION" : "HIPRTC_ERROR_OTHER";
}

ENTRY(int, hiprtcCreateProgram, program **out, const char *text, const char *name, int count,
      const char *const *headers, const char *const *names) {
  void *made = NULL;
  int code = fake_failing("hiprtcCreateProgram");
  if (code != 0 || text == NULL || count > HEADERS || fake_give(&made, sizeof **out) != 0) {
    return code != 0 ? code : RTC_INVALID_INPUT;
  }
  program *p = made;
  p->text = strdup(text);
  p->name = strdup(name);
  p->count = count;
  for (int i = 0; i < count; i++) {
    p->headers[i] = strdup(headers[i]);
    p->names[i] = strdup(names[i]);
  }
  *out = p;
  return RTC_SUCCESS;
}

ENTRY(int, hiprtcDestroyProgram, program **at) {
  program *p = *at;
  for (int i = 0; i < p->count; i++) {
    free(p->headers[i]);
    free(p->names[i]);
  }
  free(p->text);
  free(p->name);
  fake_take(p);
  *at = NULL;
  return RTC_SUCCESS;
}

static uint64_t mix(uint64_t hash, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    hash = (hash ^ ((const unsigned char *)from)[i]) * 1099511628211u;
  }
  return hash;
}

/** Of all that the result depends on: texts, options, and the emulation's own files as they are now. */
static uint64_t hash_of(const program *p, const char *options) {
  static const char *const files[] = {"module.sh", "module.h", "words.h", "entry.h", "../unit/emulate.h"};
  uint64_t hash = mix(14695981039346656037u, p->text, strlen(p->text));
  hash = mix(hash, options, strlen(options));
  for (int i = 0; i < p->count; i++) {
    hash = mix(hash, p->headers[i], strlen(p->headers[i]));
  }
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[PATH];
    struct stat now;
    snprintf(path, sizeof path, "%s/%s", FAKE_SOURCE, files[i]);
    if (stat(path, &now) == 0) {
      hash = mix(hash, &now.st_mtim, sizeof now.st_mtim);
    }
  }
  return hash;
}

static bool write_file(const char *folder, const char *name, const char *text) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  bool good = file != NULL && fputs(text, file) >= 0;
  return file != NULL && fclose(file) == 0 && good;
}

static void read_log(program *p, const char *folder) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/log", folder);
  FILE *file = fopen(path, "r");
  if (file != NULL) {
    p->log[fread(p->log, 1, LOG - 1, file)] = '\0';
    fclose(file);
  }
}

/** Compiles in a folder of its own, and puts the result in its place at once: others may do the same. */
static int build(program *p, const char *options, const char *library) {
  static const char work[] = FAKE_MODULES "/XXXXXX";
  char folder[sizeof work], command[4 * PATH];
  memcpy(folder, work, sizeof work);
  if (mkdtemp(folder) == NULL || !write_file(folder, "text.hip", p->text)) {
    return RTC_MEMORY;
  }
  for (int i = 0; i < p->count; i++) {
    write_file(folder, p->names[i], p->headers[i]);
  }
  snprintf(command, sizeof command,
           "sh '%s/module.sh' '%s/module.so' '%s/text.hip' '' " FAKE_COMPILER
           " %s 2>'%s/log' && mv '%s/module.so' '%s'",
           FAKE_SOURCE, folder, folder, options, folder, folder, library);
  int code = system(command) == 0 ? RTC_SUCCESS : RTC_COMPILATION;
  read_log(p, folder);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command) == 0 ? code : RTC_MEMORY;
}

/** "-DTYPE_FP32 -DDOT4_SIGNED": what is not the architecture, which must be named. */
static int read_options(int count, const char *const *options, char text[PATH]) {
  bool target = false;
  text[0] = '\0';
  for (int i = 0; i < count; i++) {
    bool is_target = strncmp(options[i], "--offload-arch=gfx", 18) == 0;
    if (!is_target && strncmp(options[i], "-D", 2) != 0) {
      return RTC_INVALID_OPTION;
    }
    size_t used = strlen(text);
    snprintf(text + used, PATH - used, "%s ", is_target ? "" : options[i]);
    target |= is_target;
  }
  return target ? RTC_SUCCESS : RTC_INVALID_OPTION;
}

/** The ceilings' programs are known by their names. */
static int keep(program *p, const char *library) {
  bool arithmetic = strcmp(p->name, "arithmetic") == 0;
  compiled *c = calloc(1, sizeof *c);
  if (c == NULL) {
    return RTC_MEMORY;
  }
  memcpy(c->mark, mark, sizeof mark);
  snprintf(c->library, sizeof c->library, "%s", library);
  c->as = (fake_program){c->library, c->library, arithmetic || strcmp(p->name, "memory") == 0, arithmetic};
  c->next = all;
  all = c;
  p->code = c;
  return RTC_SUCCESS;
}

ENTRY(int, hiprtcCompileProgram, program *p, int count, const char *const *options) {
  char text[PATH], library[PATH];
  int code = fake_failing("hiprtcCompileProgram");
  code = code == 0 ? read_options(count, options, text) : code;
  if (code != 0) {
    return code;
  }
  snprintf(library, sizeof library, FAKE_MODULES "/%016llx.so", (unsigned long long)hash_of(p, text));
  code = access(library, R_OK) == 0 ? RTC_SUCCESS : build(p, text, library);
  return code == RTC_SUCCESS ? keep(p, library) : code;
}

ENTRY(int, hiprtcGetProgramLogSize, const program *p, size_t *bytes) {
  *bytes = strlen(p->log) + 1;
  return RTC_SUCCESS;
}

ENTRY(int, hiprtcGetProgramLog, const program *p, char *log) {
  strcpy(log, p->log);
  return RTC_SUCCESS;
}

ENTRY(int, hiprtcGetCodeSize, const program *p, size_t *bytes) {
  int code = fake_failing("hiprtcGetCodeSize");
  *bytes = sizeof *p->code;
  return code;
}

ENTRY(int, hiprtcGetCode, const program *p, char *code) {
  memcpy(code, p->code, sizeof *p->code);
  return RTC_SUCCESS;
}

/** Lists end with the library. */
__attribute__((destructor)) static void forget(void) {
  while (all != NULL) {
    compiled *next = all->next;
    free(all);
    all = next;
  }
}
