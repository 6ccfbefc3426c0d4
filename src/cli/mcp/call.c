#include "cli/mcp/call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

enum { WORDS = 4096, MOST_OUTPUT = 64 << 20, SECONDS = 120 };

double cli_mcp_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** The child: the same program with another command line, its limits and pipes. */
static void answer(json_t *words, const cli_mcp_limits *limits, const int out[2], const int why[2]) {
  static const char *argv[WORDS + 1];
  const struct rlimit time = {SECONDS, SECONDS};
  size_t i;
  json_t *word;
  json_array_foreach(words, i, word) {
    argv[i] = json_string_value(word);
  }
  int nothing = open("/dev/null", O_RDONLY);
  bool good = nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0 &&
              dup2(why[1], STDERR_FILENO) >= 0;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)signal(SIGPIPE, SIG_DFL);
  (void)setenv("COLUMNS", "200", 0); /* no column of a table is left out */
  (void)setrlimit(RLIMIT_CPU, &time);
  closefrom(STDERR_FILENO + 1);
  if (!good || (!cli_mcp_limits_apply(limits) && cli_mcp_limits_enforced())) {
    _exit(roof_status_exit_code(ROOF_E_INTERNAL));
  }
  exit(cli_main((int)json_array_size(words), argv));
}

static void close_pair(const int pair[2]) {
  for (int i = 0; i < 2; i++) {
    if (pair[i] >= 0) {
      close(pair[i]);
    }
  }
}

static roof_status fork_child(cli_mcp_call *call, json_t *words, const cli_mcp_limits *limits,
                              roof_error *error) {
  int out[2] = {-1, -1}, why[2] = {-1, -1};
  bool made = pipe2(out, O_CLOEXEC) == 0 && pipe2(why, O_CLOEXEC) == 0;
  call->child = made ? fork() : -1;
  if (call->child == 0) {
    answer(words, limits, out, why);
  }
  if (call->child < 0) {
    roof_error_set(error, ROOF_E_INTERNAL, "mcp: %s", strerror(errno));
    close_pair(out);
    close_pair(why);
    return ROOF_E_INTERNAL;
  }
  close(out[1]);
  close(why[1]);
  call->out = out[0];
  call->why = why[0];
  return ROOF_OK;
}

roof_status cli_mcp_call_start(cli_mcp_call *call, json_t *id, cli_mcp_line *line,
                               const cli_mcp_limits *limits, roof_error *error) {
  *call = (cli_mcp_call){.out = -1, .why = -1, .page = line->page, .until = cli_mcp_now() + SECONDS};
  call->outcome.kind = line->kind;
  call->outcome.key = rf_json_dump(line->words, JSON_COMPACT);
  roof_status status =
      call->outcome.key != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "mcp: out of memory");
  if (status == ROOF_OK && json_array_size(line->words) > WORDS) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "words: more than %d", WORDS);
  }
  status = status == ROOF_OK ? fork_child(call, line->words, limits, error) : status;
  json_decref(line->words);
  if (status == ROOF_OK) {
    call->id = json_incref(id);
  } else {
    cli_mcp_outcome_done(&call->outcome);
  }
  return status;
}

/** Reads once; closes the pipe at its end. */
static bool read_pipe(int *pipe, roof_text *text) {
  static char piece[65536];
  ssize_t length = read(*pipe, piece, sizeof piece);
  if (length < 0 && errno == EINTR) {
    return true;
  }
  if (length > 0) {
    roof_text_add_bytes(text, piece, (size_t)length);
    return !text->failed && text->length <= MOST_OUTPUT;
  }
  close(*pipe);
  *pipe = -1;
  return true;
}

static void wait_for(cli_mcp_call *call) {
  int status = 0;
  while (waitpid(call->child, &status, 0) < 0 && errno == EINTR) {
  }
  call->outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (call->outcome.code < 0 && call->outcome.end == NULL) {
    call->outcome.end = strsignal(WTERMSIG(status));
  }
  call->child = 0;
}

void cli_mcp_call_stop(cli_mcp_call *call, const char *end) {
  const int pipes[2] = {call->out, call->why};
  call->outcome.end = end;
  kill(call->child, SIGKILL);
  wait_for(call);
  call->outcome.code = -1;
  close_pair(pipes);
  call->out = call->why = -1;
}

bool cli_mcp_call_read(cli_mcp_call *call, bool out, bool why) {
  bool good = (!out || read_pipe(&call->out, &call->outcome.out)) &&
              (!why || read_pipe(&call->why, &call->outcome.why));
  if (!good) {
    cli_mcp_call_stop(call, "the answer is larger than 64 MiB");
  } else if (call->out < 0 && call->why < 0) {
    wait_for(call);
  }
  return call->child == 0;
}

void cli_mcp_outcome_done(cli_mcp_outcome *o) {
  free(o->key);
  roof_text_done(&o->out);
  roof_text_done(&o->why);
  *o = (cli_mcp_outcome){0};
}

void cli_mcp_call_done(cli_mcp_call *call) {
  cli_mcp_outcome_done(&call->outcome);
  json_decref(call->id);
  *call = (cli_mcp_call){0};
}
