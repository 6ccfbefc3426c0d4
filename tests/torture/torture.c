/* One command line with its Nth allocation failing, for many N, alone and with all later ones: it must say so in one line and exit 3 or 4, or
 * answer exactly as it does otherwise; each file must be as before, or as the whole command leaves it.
 *   torture SHIM FOLDER TRIES COMMAND ...    FOLDER/before: the files it starts from; TRIES: at most so many N, 0: every one */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 32, PATHS = 4096, NAMES = 256, SHOWN = 5, SECONDS = 30, TRIED_MORE = 4 };

typedef struct bytes {
  char *data;
  size_t length;
} bytes;

/** The files of a folder. */
typedef struct state {
  struct {
    char name[NAMES];
    bytes content;
  } files[FILES];
  int count;
} state;

/** What a run did. */
typedef struct outcome {
  int code;   /**< exit code; -1: died of `signal` */
  int signal; /**< SIGALRM: took too long */
  bytes out, err, count;
  state after;
} outcome;

typedef enum verdict { SAME, ERROR, BEFORE_MAIN, WRONG, CRASH, VERDICTS } verdict;

static const char *shim, *folder;
static char *const *command;
static long before_main; /**< allocations of the constructors of libraries */

static void die(const char *what) {
  fprintf(stderr, "torture: %s: %s\n", what, strerror(errno));
  exit(99);
}

static void append(bytes *b, const char *data, size_t length) {
  b->data = realloc(b->data, b->length + length + 1);
  if (b->data == NULL) {
    die("memory");
  }
  memcpy(b->data + b->length, data, length);
  b->length += length;
  b->data[b->length] = '\0';
}

/** Takes what there is to read; false at the end. */
static bool take(int file, bytes *b) {
  char buffer[65536];
  ssize_t got = read(file, buffer, sizeof buffer);
  append(b, buffer, got > 0 ? (size_t)got : 0);
  return got > 0;
}

static bool equal(bytes a, bytes b) {
  return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

static void read_state(const char *path, state *s) {
  DIR *list = opendir(path);
  char name[PATHS + NAMES + 1];
  s->count = 0;
  for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL && s->count < FILES;) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
      continue;
    }
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    snprintf(s->files[s->count].name, sizeof s->files[0].name, "%s", e->d_name);
    s->files[s->count].content = (bytes){NULL, 0};
    int file = open(name, O_RDONLY | O_NONBLOCK);
    while (take(file, &s->files[s->count].content)) {
    }
    close(file);
    s->count++;
  }
  if (list == NULL) {
    die(path);
  }
  closedir(list);
}

static void free_state(state *s) {
  for (int i = 0; i < s->count; i++) {
    free(s->files[i].content.data);
  }
  s->count = 0;
}

static const bytes *find_file(const state *s, const char *name) {
  for (int i = 0; i < s->count; i++) {
    if (strcmp(s->files[i].name, name) == 0) {
      return &s->files[i].content;
    }
  }
  return NULL;
}

static bool is_as_in(const state *s, int i, const state *other) {
  const bytes *content = find_file(other, s->files[i].name);
  return content != NULL && equal(s->files[i].content, *content);
}

static bool equal_states(const state *a, const state *b) {
  bool same = a->count == b->count;
  for (int i = 0; i < a->count && same; i++) {
    same = is_as_in(a, i, b);
  }
  return same;
}

/** Whether it has the first lines of what the whole command leaves: allowed to commands that write in steps (TORTURE_STEPS). */
static bool is_step_of(const state *s, int i, const state *whole) {
  const bytes *all = find_file(whole, s->files[i].name), *part = &s->files[i].content;
  return getenv("TORTURE_STEPS") != NULL && all != NULL && part->length <= all->length && part->length > 0 &&
         part->data[part->length - 1] == '\n' && memcmp(part->data, all->data, part->length) == 0;
}

/** The first file that is neither as before nor as the whole command leaves it, or is gone; NULL: none. */
static const char *odd_file(const state *after, const state *before, const state *whole) {
  for (int i = 0; i < after->count; i++) {
    if (!is_as_in(after, i, before) && !is_as_in(after, i, whole) && !is_step_of(after, i, whole)) {
      return after->files[i].name;
    }
  }
  for (int i = 0; i < before->count; i++) {
    if (find_file(after, before->files[i].name) == NULL && find_file(whole, before->files[i].name) != NULL) {
      return before->files[i].name;
    }
  }
  return NULL;
}

/** Makes the working folder as it was before, from how a run left it. */
static void restore(const char *path, const state *before, const state *left) {
  char name[PATHS + NAMES + 1];
  for (int i = 0; i < left->count; i++) {
    snprintf(name, sizeof name, "%s/%s", path, left->files[i].name);
    if (!is_as_in(left, i, before) && unlink(name) != 0) {
      die(name);
    }
  }
  for (int i = 0; i < before->count; i++) {
    const bytes *content = &before->files[i].content, *there = find_file(left, before->files[i].name);
    if (there != NULL && equal(*content, *there)) {
      continue;
    }
    snprintf(name, sizeof name, "%s/%s", path, before->files[i].name);
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, content->data, content->length) != (ssize_t)content->length ||
        close(file) != 0) {
      die(name);
    }
  }
}

static void run_child(const char *path, long at, bool on, const int pipes[3]) {
  char number[32];
  snprintf(number, sizeof number, "%ld", at);
  setenv("FAIL_AT", number, 1);
  setenv("LD_PRELOAD", shim, 1);
  setenv("COUNT_FD", "3", 1);
  if (on) {
    setenv("FAIL_ON", "1", 1);
  }
  int nothing = open("/dev/null", O_RDONLY);
  if (chdir(path) != 0 || dup2(nothing, 0) < 0 || dup2(pipes[0], 1) < 0 || dup2(pipes[1], 2) < 0 ||
      dup2(pipes[2], 3) < 0) {
    _exit(98);
  }
  closefrom(4);
  alarm(SECONDS);
  execv(command[0], command);
  _exit(98);
}

static void run(const char *path, long at, bool on, outcome *o) {
  int pipes[3][2];
  struct pollfd waits[3];
  bytes *into[3] = {&o->out, &o->err, &o->count};
  *o = (outcome){.code = -1};
  for (int i = 0; i < 3; i++) {
    if (pipe2(pipes[i], O_CLOEXEC) != 0) {
      die("pipe");
    }
    waits[i] = (struct pollfd){.fd = pipes[i][0], .events = POLLIN};
  }
  pid_t child = fork();
  if (child == 0) {
    run_child(path, at, on, (int[]){pipes[0][1], pipes[1][1], pipes[2][1]});
  }
  for (int i = 0; i < 3; i++) {
    close(pipes[i][1]);
    append(into[i], "", 0);
  }
  for (int open_pipes = 3; open_pipes > 0 && poll(waits, 3, -1) > 0;) {
    for (int i = 0; i < 3; i++) {
      if (waits[i].revents != 0 && !take(waits[i].fd, into[i])) {
        close(waits[i].fd);
        waits[i].fd = -1;
        open_pipes--;
      }
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  o->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  o->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  read_state(path, &o->after);
}

static void free_outcome(outcome *o) {
  free(o->out.data);
  free(o->err.data);
  free(o->count.data);
  free_state(&o->after);
}

/** Whether a line of it begins as errors do. */
static bool has_error_line(const char *text) {
  const char *at = strstr(text, "roofline: ");
  while (at != NULL && at != text && at[-1] != '\n') {
    at = strstr(at + 1, "roofline: ");
  }
  return at != NULL && at[strlen("roofline: ")] != '\n';
}

static verdict judge(const outcome *o, const outcome *whole, const state *before, long at, const char **why) {
  const char *odd = odd_file(&o->after, before, &whole->after);
  bool unchanged = equal_states(&o->after, before), silent = o->out.length == 0;
  if (at <= before_main && o->code != 0 && o->signal != SIGALRM && silent && unchanged) {
    return BEFORE_MAIN;
  }
  if (strstr(o->err.data, "free()") != NULL || strstr(o->err.data, "malloc()") != NULL ||
      strstr(o->err.data, "corrupted") != NULL) {
    *why = "memory misused";
    return CRASH;
  }
  if (o->code < 0) {
    *why = o->signal == SIGALRM ? "hangs" : "dies";
    return CRASH;
  }
  if (o->code == whole->code && equal(o->out, whole->out) && equal_states(&o->after, &whole->after)) {
    return SAME;
  }
  bool part = o->out.length <= whole->out.length && memcmp(o->out.data, whole->out.data, o->out.length) == 0;
  *why = odd != NULL                    ? odd
         : o->code == whole->code       ? "other answer"
         : o->code != 3 && o->code != 4 ? "exit code"
         : !has_error_line(o->err.data) ? "no error"
         : !part                        ? "other text before the error"
                                        : "";
  return **why == '\0' ? ERROR : WRONG;
}

static void show(const outcome *o, long at, bool on, const char *why) {
  printf("  N=%ld%s: %s: exit %d, signal %d, %zu bytes of answer: %.*s\n", at, on ? " and on" : "", why,
         o->code, o->signal, o->out.length, (int)strcspn(o->err.data, "\n"), o->err.data);
}

int main(int argc, char **argv) {
  if (argc < 5) {
    return 99;
  }
  shim = argv[1], folder = argv[2], command = argv + 4;
  long tries = atol(argv[3]), total = 0, tally[VERDICTS] = {0}, tried = 0, shown = 0;
  char from[PATHS], path[PATHS];
  static state before;
  static outcome whole, again, one;
  snprintf(from, sizeof from, "%s/before", folder);
  snprintf(path, sizeof path, "%s/work", folder);
  mkdir(path, 0700);
  read_state(from, &before);
  restore(path, &before, &(state){.count = 0});
  run(path, 0, false, &whole);
  restore(path, &before, &whole.after);
  run(path, 0, false, &again);
  restore(path, &before, &again.after);
  if (sscanf(whole.count.data, "%ld %ld", &before_main, &total) != 2 || total == 0 || whole.code == 3 ||
      whole.code == 4 || !equal(whole.out, again.out) || !equal_states(&whole.after, &again.after)) {
    fprintf(stderr, "torture: the command fails as it is, or does not answer alike twice: exit %d: %s%s\n",
            whole.code, whole.err.data, whole.out.data);
    return 99;
  }
  for (int on = 0; on < 2; on++) {
    long most = on ? (tries + TRIED_MORE - 1) / TRIED_MORE : tries,
         stride = most > 0 && total > most ? (total + most - 1) / most : 1;
    for (long at = 1 + (stride - 1) / 2; at <= total; at += stride, tried++) {
      const char *why = "";
      run(path, at, on != 0, &one);
      verdict v = judge(&one, &whole, &before, at, &why);
      tally[v]++;
      if (v >= WRONG && (shown++ < SHOWN || getenv("TORTURE_ALL") != NULL)) {
        show(&one, at, on != 0, why);
      }
      restore(path, &before, &one.after);
      free_outcome(&one);
    }
  }
  printf("%ld allocations (%ld before main), %ld tried: %ld clear errors, %ld same answers, %ld deaths "
         "before main, %ld wrong answers, %ld crashes\n",
         total, before_main, tried, tally[ERROR], tally[SAME], tally[BEFORE_MAIN], tally[WRONG],
         tally[CRASH]);
  return tally[WRONG] + tally[CRASH] > 0;
}
