#include "host/here.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "host/probe.h"
#include "roofline/time.h"
#include "roofline/version.h"

/** Appends a word as a shell takes it. */
static void add_word(roof_text *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
    roof_text_add(out, word);
    return;
  }
  roof_text_add(out, "'");
  for (; *word != '\0'; word++) {
    if (*word == '\'') {
      roof_text_add(out, "'\\''");
    } else {
      roof_text_add_bytes(out, word, 1);
    }
  }
  roof_text_add(out, "'");
}

void rf_here_command(roof_text *out) {
  FILE *file = fopen("/proc/self/cmdline", "re");
  char piece[4096];
  roof_text words = {0};
  for (size_t read = 1; file != NULL && read > 0;) {
    read = fread(piece, 1, sizeof piece, file);
    roof_text_add_bytes(&words, piece, read);
  }
  out->failed |= words.failed || (file == NULL && errno == ENOMEM);
  if (file != NULL) {
    (void)fclose(file);
  }
  const char *word = words.data, *end = word != NULL ? word + words.length : NULL;
  for (bool first = true; word != NULL && word < end; word += strlen(word) + 1, first = false) {
    const char *folder = first ? strrchr(word, '/') : NULL;
    roof_text_add(out, first ? "" : " ");
    add_word(out, folder != NULL ? folder + 1 : word);
  }
  roof_text_done(&words);
}

void rf_here_describe(roof_text *out, const char *commit) {
  char now[ROOF_TIME_MAX], processor[256];
  struct utsname system;
  roof_text_addf(out, "Written by roofline %s at %s%s%s.\n", ROOF_VERSION_TEXT,
                 roof_time_write(roof_time_now(), now), commit[0] != '\0' ? ", commit " : "", commit);
  if (uname(&system) != 0) {
    return;
  }
  roof_text_addf(out, "On %s, %s %s %s", system.nodename, system.sysname, system.release, system.machine);
  if (rf_probe_key("", "/proc/cpuinfo", "model name", processor, sizeof processor)) {
    roof_text_addf(out, ", %s", processor);
  } else {
    out->failed |= errno == ENOMEM;
  }
  roof_text_add(out, ".\n");
}
