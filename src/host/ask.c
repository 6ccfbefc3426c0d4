#include "host/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/clock.h"

enum { ANSWER_MAX = 1 << 20, PRINTING_MILLISECONDS = 20, ENDING_MILLISECONDS = 2 };

/** Files of a program in progress: its input, then both ends of what it prints. */
enum { INPUT, OUT, OUT_END, ERR, ERR_END, FILES };

typedef struct talk {
  int files[FILES]; /**< -1: closed */
  pid_t process;
  int status; /**< of its end */
} talk;

static void close_file(int *file) {
  if (*file >= 0) {
    close(*file);
  }
  *file = -1;
}

/** A file with its input, which a program may also open by its name. */
static int open_input(const rf_question *q) {
  if (q->input == NULL) {
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  int file = memfd_create("input", MFD_CLOEXEC);
  if (file >= 0 &&
      (write(file, q->input, q->length) != (ssize_t)q->length || lseek(file, 0, SEEK_SET) != 0)) {
    close_file(&file);
  }
  return file;
}

static roof_status fail(const rf_question *q, int code, roof_error *error) {
  return roof_error_set(error, code == ENOMEM ? ROOF_E_MEMORY : ROOF_E_UNSUPPORTED, "%s: %s", q->words[0],
                        strerror(code));
}

static roof_status open_files(const rf_question *q, talk *t, roof_error *error) {
  t->files[INPUT] = open_input(q);
  bool good =
      t->files[INPUT] >= 0 && pipe2(&t->files[OUT], O_CLOEXEC) == 0 && pipe2(&t->files[ERR], O_CLOEXEC) == 0;
  return good ? ROOF_OK : fail(q, errno, error);
}

/** The question's environment, then this process's, of which a name that is there already counts no more; NULL: memory
 *  ran out. */
static char **make_environment(const rf_question *q) {
  size_t own = 0, count = 0;
  while (q->environment != NULL && q->environment[own] != NULL) {
    own++;
  }
  while (environ[count] != NULL) {
    count++;
  }
  char **all = malloc((own + count + 1) * sizeof *all);
  for (size_t i = 0; i < own && all != NULL; i++) {
    all[i] = (char *)(uintptr_t)q->environment[i];
  }
  for (size_t i = 0; i <= count && all != NULL; i++) {
    all[own + i] = environ[i];
  }
  return all;
}

/** 0, or the code of what failed. */
static int spawn(const rf_question *q, talk *t, char **environment) {
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) {
    return code;
  }
  code = posix_spawn_file_actions_adddup2(&actions, t->files[INPUT], STDIN_FILENO);
  code = code == 0 ? posix_spawn_file_actions_adddup2(&actions, t->files[OUT_END], STDOUT_FILENO) : code;
  code = code == 0 ? posix_spawn_file_actions_adddup2(&actions, t->files[ERR_END], STDERR_FILENO) : code;
  if (code == 0) {
    code = posix_spawnp(&t->process, q->words[0], &actions, NULL, (char *const *)(uintptr_t)q->words,
                        environment);
  }
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

/** Starts the program; *began is false where it cannot be executed, which then is the answer. */
static roof_status start(const rf_question *q, talk *t, rf_answer *a, bool *began, roof_error *error) {
  char **environment = make_environment(q);
  int code = environment != NULL ? spawn(q, t, environment) : ENOMEM;
  free(environment);
  close_file(&t->files[INPUT]);
  close_file(&t->files[OUT_END]);
  close_file(&t->files[ERR_END]);
  *began = code == 0;
  if (code == ENOMEM || code == EAGAIN || code == EMFILE || code == ENFILE) {
    return fail(q, code, error);
  }
  if (code != 0) {
    a->code = RF_ANSWER_NONE;
    roof_text_addf(&a->err, "cannot be executed: %s", strerror(code));
  }
  return a->err.failed ? fail(q, ENOMEM, error) : ROOF_OK;
}

/** Takes what there is to read for a while; false: there was nothing. */
static bool take(talk *t, rf_answer *a, int milliseconds) {
  struct pollfd polled[] = {{.fd = t->files[OUT], .events = POLLIN}, {.fd = t->files[ERR], .events = POLLIN}};
  bool any = poll(polled, 2, milliseconds) > 0;
  for (int i = 0; i < 2 && any; i++) {
    char block[16384];
    ssize_t got = polled[i].revents != 0 ? read(polled[i].fd, block, sizeof block) : -1;
    if (got > 0) {
      roof_text_add_bytes(i == 0 ? &a->out : &a->err, block, (size_t)got);
    } else if (polled[i].revents != 0) {
      close_file(&t->files[i == 0 ? OUT : ERR]);
    }
  }
  return any;
}

static bool is_too_much(const rf_answer *a) {
  return a->out.failed || a->err.failed || a->out.length + a->err.length > ANSWER_MAX;
}

/** Listens until it has ended; false where it does not, or prints too much. */
static bool listen_to(const rf_question *q, talk *t, rf_answer *a) {
  double end = rf_clock_seconds() + q->patience;
  pid_t ended = 0;
  while (ended == 0 && !is_too_much(a) && rf_clock_seconds() < end) {
    bool printing = t->files[OUT] >= 0 || t->files[ERR] >= 0;
    if (!take(t, a, printing ? PRINTING_MILLISECONDS : ENDING_MILLISECONDS)) {
      ended = waitpid(t->process, &t->status, WNOHANG);
    }
  }
  while (ended != 0 && !is_too_much(a) && take(t, a, 0)) {
  }
  if (ended == 0) {
    kill(t->process, SIGKILL);
    waitpid(t->process, &t->status, 0);
  }
  return ended != 0;
}

/** How it ended. */
static roof_status judge(const rf_question *q, const talk *t, bool ended, rf_answer *a, roof_error *error) {
  const char *name = q->words[0];
  if (a->out.failed || a->err.failed) {
    return fail(q, ENOMEM, error);
  }
  if (is_too_much(a)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: prints more than 1 MiB", name);
  }
  if (!ended) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: has not ended after %.0f s", name, q->patience);
  }
  if (!WIFEXITED(t->status)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: ended by signal %d", name, WTERMSIG(t->status));
  }
  a->code = WEXITSTATUS(t->status);
  return ROOF_OK;
}

roof_status rf_ask(const rf_question *question, rf_answer *answer, roof_error *error) {
  const struct sigaction usual = {.sa_handler = SIG_DFL};
  struct sigaction before; /* one that ignores or awaits children would lose how this one ended */
  talk t = {.files = {-1, -1, -1, -1, -1}, .status = -1};
  rf_answer a = {0};
  sigaction(SIGCHLD, &usual, &before);
  roof_status status = open_files(question, &t, error);
  bool began = false;
  status = status == ROOF_OK ? start(question, &t, &a, &began, error) : status;
  if (began) {
    bool ended = listen_to(question, &t, &a);
    status = judge(question, &t, ended, &a, error);
  }
  for (int i = 0; i < FILES; i++) {
    close_file(&t.files[i]);
  }
  sigaction(SIGCHLD, &before, NULL);
  if (status == ROOF_OK) {
    *answer = a;
  } else {
    rf_answer_done(&a);
  }
  return status;
}

const char *rf_answer_why(const rf_answer *answer, char *line, size_t size) {
  const char *begin = answer->err.length > 0 ? answer->err.data : "";
  const char *end = begin + strlen(begin);
  size_t length = 0;
  while (end > begin && end[-1] == '\n') {
    end--;
  }
  const char *newline = memrchr(begin, '\n', (size_t)(end - begin));
  begin = newline != NULL ? newline + 1 : begin;
  begin += strspn(begin, " \t");
  for (; begin < end && length + 1 < size; begin++) {
    line[length++] = *begin >= ' ' && *begin <= '~' ? *begin : '?';
  }
  line[length] = '\0';
  return line;
}

void rf_answer_done(rf_answer *answer) {
  roof_text_done(&answer->out);
  roof_text_done(&answer->err);
}
