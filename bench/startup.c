/* Time of a program from start to end, alternating with /bin/true, the least a process costs here.
 * usage: bench-startup COUNT OUTPUT PROGRAM ARGUMENT... */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "roofline/stats.h"

extern char **environ;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Seconds one run takes, its output written to `output`; a run that fails ends this program. */
static double run(const char *output, char *const *arguments) {
  posix_spawn_file_actions_t actions;
  pid_t child = 0;
  int status = 0;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  double start = now();
  bool failed = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ) != 0 ||
                waitpid(child, &status, 0) != child || status != 0;
  double elapsed = now() - start;
  posix_spawn_file_actions_destroy(&actions);
  if (failed) {
    fprintf(stderr, "bench-startup: %s: failed\n", arguments[0]);
    exit(3);
  }
  return elapsed;
}

int main(int argc, char **argv) {
  char *nothing[] = {"/bin/true", NULL};
  size_t count = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
  double *samples = calloc(2 * count + 1, sizeof *samples), *least = samples != NULL ? samples + count : NULL;
  if (count == 0 || samples == NULL) {
    fputs("usage: bench-startup COUNT OUTPUT PROGRAM ARGUMENT...\n", stderr);
    free(samples);
    return 2;
  }
  for (size_t i = 0; i < count; i++) {
    samples[i] = run(argv[2], argv + 3);
    least[i] = run("/dev/null", nothing);
  }
  roof_stats program, process;
  roof_status status = roof_stats_of(samples, count, &program, NULL);
  status = status == ROOF_OK ? roof_stats_of(least, count, &process, NULL) : status;
  if (status == ROOF_OK) {
    printf("median_seconds %.6g\nspread %.3f\ntrue_seconds %.6g\n", program.median, program.spread,
           process.median);
  }
  free(samples);
  return roof_status_exit_code(status);
}
