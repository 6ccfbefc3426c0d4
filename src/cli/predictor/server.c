#include "cli/predictor/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/predictor/client.h"

enum { CLIENTS = 256, BACKLOG = 64 };

typedef struct server {
  roof_predictor *predictor;
  int listener; /**< -1: none */
  cli_client clients[CLIENTS];
  int count;
  int unwritten; /**< errno of answers that standard output did not take, 0: none */
} server;

static volatile sig_atomic_t stopped;

static void stop(int number) {
  (void)number;
  stopped = 1;
}

/** Ctrl-C and its like end the wait alone, so that what was asked before is answered. */
static void watch_signals(sigset_t *waiting) {
  const struct sigaction ending = {.sa_handler = stop}, ignored = {.sa_handler = SIG_IGN};
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  sigset_t held;
  sigemptyset(&held);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    sigaddset(&held, numbers[i]);
    sigaction(numbers[i], &ending, NULL);
  }
  sigaction(SIGPIPE, &ignored, NULL);
  sigprocmask(SIG_BLOCK, &held, waiting);
}

static void add_client(server *s, int in, int out) {
  s->clients[s->count++] = (cli_client){.in = in, .out = out};
}

static void accept_client(server *s) {
  int number = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (number >= 0) {
    add_client(s, number, number);
  }
}

static void drop_client(server *s, int index) {
  s->unwritten = s->clients[index].out == STDOUT_FILENO ? s->clients[index].unwritten : s->unwritten;
  cli_client_done(&s->clients[index]);
  s->clients[index] = s->clients[--s->count];
}

/** What to wait for: two places a client, then the listener's. Returns how many places. */
static int fill(const server *s, struct pollfd *places) {
  for (int i = 0; i < s->count; i++) {
    const cli_client *c = &s->clients[i];
    places[2 * i] = (struct pollfd){.fd = cli_client_may_ask(c) ? c->in : -1, .events = POLLIN};
    places[2 * i + 1] = (struct pollfd){.fd = cli_client_has_answers(c) ? c->out : -1, .events = POLLOUT};
  }
  bool room = s->listener >= 0 && s->count < CLIENTS;
  places[2 * s->count] = (struct pollfd){.fd = room ? s->listener : -1, .events = POLLIN};
  return 2 * s->count + 1;
}

/** Reads and answers one client; false: it is to be dropped. */
static bool attend(server *s, int index, bool asks) {
  cli_client *c = &s->clients[index];
  bool good = !asks || cli_client_read(c, s->predictor);
  return good && cli_client_write(c) && !cli_client_is_done(c);
}

static roof_status serve(server *s, roof_error *error) {
  struct pollfd places[2 * CLIENTS + 1];
  sigset_t waiting;
  watch_signals(&waiting);
  while (!stopped && (s->count > 0 || s->listener >= 0)) {
    int count = fill(s, places);
    if (ppoll(places, (nfds_t)count, NULL, &waiting) < 0 && errno != EINTR) {
      return roof_error_set(error, ROOF_E_INTERNAL, "predictor: %s", strerror(errno));
    }
    bool arrives = places[count - 1].revents != 0;
    for (int i = s->count - 1; i >= 0 && !stopped;
         i--) { /* the last takes the place of one that is dropped */
      bool asks = places[2 * i].revents != 0;
      if ((asks || places[2 * i + 1].revents != 0) && !attend(s, i, asks)) {
        drop_client(s, i);
      }
    }
    if (arrives && !stopped) {
      accept_client(s);
    }
  }
  while (s->count > 0) {
    drop_client(s, 0);
  }
  return ROOF_OK;
}

static server *server_new(roof_predictor *predictor, roof_error *error) {
  server *s = calloc(1, sizeof *s);
  if (s == NULL) {
    roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory");
    return NULL;
  }
  s->predictor = predictor;
  s->listener = -1;
  return s;
}

roof_status cli_serve_input(roof_predictor *predictor, roof_error *error) {
  server *s = server_new(predictor, error);
  if (s == NULL) {
    return ROOF_E_MEMORY;
  }
  add_client(s, STDIN_FILENO, STDOUT_FILENO);
  roof_status status = serve(s, error);
  status = status == ROOF_OK ? cli_output_status(s->unwritten, error) : status;
  free(s);
  return status;
}

static roof_status fail_socket(const char *path, int why, roof_error *error) {
  return roof_error_set(error, ROOF_E_OUTPUT, "--socket %s: %s", path, strerror(why));
}

/** Removes a socket that nobody listens on any more. */
static roof_status remove_stale(const struct sockaddr_un *address, roof_error *error) {
  struct stat info;
  if (lstat(address->sun_path, &info) != 0) {
    return ROOF_OK;
  }
  if (!S_ISSOCK(info.st_mode)) {
    return roof_error_set(error, ROOF_E_OUTPUT, "--socket %s: exists and is no socket", address->sun_path);
  }
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool used = probe >= 0 && connect(probe, (const struct sockaddr *)address, sizeof *address) == 0;
  int why = errno;
  if (probe >= 0) {
    close(probe);
  }
  if (used || probe < 0 || why != ECONNREFUSED) {
    return used ? roof_error_set(error, ROOF_E_OUTPUT, "--socket %s: another service listens there",
                                 address->sun_path)
                : fail_socket(address->sun_path, why, error);
  }
  return unlink(address->sun_path) == 0 ? ROOF_OK : fail_socket(address->sun_path, errno, error);
}

/** Listens at a path that this user alone can connect to. */
static roof_status listen_at(const char *path, int *listener, roof_error *error) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path[0] == '\0' || strlen(path) >= sizeof address.sun_path) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--socket %s: a path has 1 to %zu bytes", path,
                          sizeof address.sun_path - 1);
  }
  strcpy(address.sun_path, path);
  roof_status status = remove_stale(&address, error);
  if (status != ROOF_OK) {
    return status;
  }
  int number = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  mode_t before = umask(0177);
  bool bound = number >= 0 && bind(number, (const struct sockaddr *)&address, sizeof address) == 0;
  int why = errno;
  umask(before);
  if (bound && listen(number, BACKLOG) == 0) {
    *listener = number;
    return ROOF_OK;
  }
  why = bound ? errno : why;
  if (bound) {
    unlink(path);
  }
  if (number >= 0) {
    close(number);
  }
  return fail_socket(path, why, error);
}

/** Whether the socket at `path` is still this one: another service may have taken its place. */
static bool is_own(const char *path, const struct stat *own) {
  struct stat now;
  return lstat(path, &now) == 0 && now.st_dev == own->st_dev && now.st_ino == own->st_ino;
}

roof_status cli_serve_socket(roof_predictor *predictor, const char *path, void (*ready)(const char *path),
                             roof_error *error) {
  struct stat own = {0};
  server *s = server_new(predictor, error);
  if (s == NULL) {
    return ROOF_E_MEMORY;
  }
  roof_status status = listen_at(path, &s->listener, error);
  if (status == ROOF_OK) {
    bool known = lstat(path, &own) == 0;
    ready(path);
    status = serve(s, error);
    close(s->listener);
    if (known && is_own(path, &own)) {
      unlink(path);
    }
  }
  free(s);
  return status;
}
