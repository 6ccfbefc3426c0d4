#include "host/threads.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Whether the state of the thread, the word behind its name in parentheses, is R (proc(5)). */
static bool is_awake(const char *thread) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
  FILE *file = fopen(path, "re");
  size_t got =
      file != NULL ? fread(line, 1, sizeof line - 1, file) : 0; // nothing where it has ended meanwhile
  line[got] = '\0';
  if (file != NULL) {
    fclose(file);
  }
  const char *end = strrchr(line, ')');
  return end != NULL && strncmp(end, ") R", 3) == 0;
}

int rf_threads_awake(void) {
  DIR *folder = opendir("/proc/self/task");
  int count = 0;
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    count += entry->d_name[0] != '.' && atoi(entry->d_name) != gettid() && is_awake(entry->d_name);
  }
  if (folder != NULL) {
    closedir(folder);
  }
  return count;
}
