#include "cli/mcp/server.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/lines.h"
#include "cli/mcp/call.h"
#include "cli/mcp/resources.h"
#include "roofline/version.h"

enum { CALLS = 16, MOST_MESSAGE = 4 << 20 };

/** Codes of JSON-RPC 2.0, and of the protocol's for a resource that is not there. */
enum {
  NO_JSON = -32700,
  NO_REQUEST = -32600,
  NO_METHOD = -32601,
  NO_PARAMETERS = -32602,
  NO_RESOURCE = -32002
};

typedef struct server {
  const cli_mcp_limits *limits;
  cli_lines asked;
  roof_text out;
  bool begun; /**< initialize was answered */
  cli_mcp_call calls[CALLS];
  cli_mcp_outcome last; /**< for its other pages */
  int unwritten;        /**< errno of messages that could not be written, 0: none */
} server;

/** Revisions of the protocol, the newest first. */
static const char *const revisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

static const char instructions[] = "What limits a kernel or a model on a machine, how fast it can be, and "
                                   "how far it is from there. `claim` says whether a claimed time or rate is "
                                   "possible; `predict` and `model` say how fast; `import` reads a profile; "
                                   "`advise` says what would help next; `machine` with "
                                   "[\"list\"] names machines, `explain` terms.";

/** Writes a message, taking the reference. */
static void send(server *s, json_t *message) {
  rf_json_add(message, JSON_COMPACT, &s->out);
  roof_text_add(&s->out, "\n");
}

static void reply(server *s, json_t *id, json_t *result) {
  send(s, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

static void fail(server *s, json_t *id, int code, const char *message) {
  send(s, json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id",
                    id != NULL ? json_incref(id) : json_null(), "error", "code", code, "message", message));
}

static void initialize(server *s, json_t *id, json_t *params) {
  const char *asked = rf_json_text_of(json_object_get(params, "protocolVersion")), *agreed = revisions[0];
  for (size_t i = 0; i < sizeof revisions / sizeof revisions[0]; i++) {
    agreed = strcmp(asked, revisions[i]) == 0 ? revisions[i] : agreed;
  }
  s->begun = true;
  reply(s, id,
        json_pack("{s:s, s:{s:{}, s:{}}, s:{s:s, s:s, s:s}, s:s}", "protocolVersion", agreed, "capabilities",
                  "tools", "resources", "serverInfo", "name", "roofline", "title", "roofline", "version",
                  ROOF_VERSION_TEXT, "instructions", instructions));
}

static void ping(server *s, json_t *id, json_t *params) {
  (void)params;
  reply(s, id, json_object());
}

static void list_tools(server *s, json_t *id, json_t *params) {
  (void)params;
  reply(s, id, cli_mcp_tools_list(s->limits));
}

static void list_templates(server *s, json_t *id, json_t *params) {
  (void)params;
  reply(s, id, cli_mcp_resources_templates());
}

static void list_resources(server *s, json_t *id, json_t *params) {
  roof_error why = {0};
  json_t *result = NULL;
  const char *cursor = json_string_value(json_object_get(params, "cursor"));
  if (cli_mcp_resources_list(cursor, &result, &why) == ROOF_OK) {
    reply(s, id, result);
  } else {
    fail(s, id, NO_PARAMETERS, why.message);
  }
}

static void read_resource(server *s, json_t *id, json_t *params) {
  roof_error why = {0};
  json_t *result = NULL;
  const char *uri = json_string_value(json_object_get(params, "uri"));
  if (uri == NULL) {
    fail(s, id, NO_PARAMETERS, "uri: missing");
  } else if (cli_mcp_resources_read(uri, &result, &why) == ROOF_OK) {
    reply(s, id, result);
  } else {
    fail(s, id, NO_RESOURCE, why.message);
  }
}

static cli_mcp_call *free_call(server *s) {
  for (int i = 0; i < CALLS; i++) {
    if (s->calls[i].id == NULL) {
      return &s->calls[i];
    }
  }
  return NULL;
}

/** Another page of the last answer is read from it. */
static bool is_last(const server *s, const cli_mcp_line *line) {
  char *key = s->last.key != NULL && line->page > 1 ? rf_json_dump(line->words, JSON_COMPACT) : NULL;
  bool same = key != NULL && strcmp(key, s->last.key) == 0;
  free(key);
  return same;
}

static roof_status start_call(server *s, json_t *id, cli_mcp_line *line, roof_error *why) {
  cli_mcp_call *call = free_call(s);
  bool last = is_last(s, line);
  if (!last && call != NULL) {
    return cli_mcp_call_start(call, id, line, s->limits, why);
  }
  if (last) {
    reply(s, id, cli_mcp_result(&s->last, line->page));
  }
  json_decref(line->words);
  return last ? ROOF_OK
              : roof_error_set(why, ROOF_E_UNSUPPORTED, "%d answers are in the making: ask again later",
                               CALLS);
}

static void call_tool(server *s, json_t *id, json_t *params) {
  const char *name = json_string_value(json_object_get(params, "name"));
  cli_mcp_line line;
  roof_error why = {0};
  if (cli_mcp_tools_find(name != NULL ? name : "", &why) != ROOF_OK) {
    fail(s, id, NO_PARAMETERS, why.message);
    return;
  }
  roof_status status = cli_mcp_tools_line(s->limits, name, json_object_get(params, "arguments"), &line, &why);
  if (status == ROOF_OK) {
    status = start_call(s, id, &line, &why);
  } else {
    json_decref(line.words);
  }
  if (status != ROOF_OK) {
    reply(s, id, cli_mcp_refusal(why.message));
  }
}

/** What was cancelled gets no reply. */
static void cancel(server *s, json_t *params) {
  json_t *id = json_object_get(params, "requestId");
  for (int i = 0; i < CALLS; i++) {
    if (s->calls[i].id != NULL && json_equal(s->calls[i].id, id)) {
      cli_mcp_call_stop(&s->calls[i], "cancelled");
      cli_mcp_call_done(&s->calls[i]);
    }
  }
}

static const struct {
  const char *name;
  void (*answer)(server *s, json_t *id, json_t *params);
  bool first; /**< may come before initialize */
} methods[] = {{"initialize", initialize, true},          {"ping", ping, true},
               {"tools/list", list_tools, false},         {"tools/call", call_tool, false},
               {"resources/list", list_resources, false}, {"resources/templates/list", list_templates, false},
               {"resources/read", read_resource, false}};

static void take_request(server *s, const char *method, json_t *id, json_t *params) {
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    if (strcmp(methods[i].name, method) == 0) {
      if (s->begun || methods[i].first) {
        methods[i].answer(s, id, params);
      } else {
        fail(s, id, NO_REQUEST, "initialize comes first");
      }
      return;
    }
  }
  char why[96];
  snprintf(why, sizeof why, "no such method: %.60s", method);
  fail(s, id, NO_METHOD, why);
}

static void take_message(server *s, json_t *message) {
  json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
  const char *method = json_string_value(json_object_get(message, "method"));
  bool named = json_is_string(id) || json_is_integer(id);
  bool plain =
      json_is_object(message) && strcmp(rf_json_text_of(json_object_get(message, "jsonrpc")), "2.0") == 0;
  if (plain && method == NULL && named) {
    return; /* a reply, to nothing that was asked */
  }
  if (!plain || method == NULL || (id != NULL && !named) || (params != NULL && !json_is_object(params))) {
    fail(s, named ? id : NULL, NO_REQUEST, "not a request of JSON-RPC 2.0");
  } else if (id != NULL) {
    take_request(s, method, id, params);
  } else if (strcmp(method, "notifications/cancelled") == 0) {
    cancel(s, params);
  }
}

static bool take_line(void *user, const char *line, size_t length) {
  server *s = user;
  json_error_t why;
  json_t *message = line != NULL ? rf_json_load(line, length, JSON_REJECT_DUPLICATES, &why) : NULL;
  if (line == NULL) {
    fail(s, NULL, NO_REQUEST, "a message of over 4 MiB");
  } else if (message == NULL) {
    fail(s, NULL, NO_JSON, "not JSON");
  } else {
    take_message(s, message);
  }
  json_decref(message);
  return !s->out.failed;
}

/** Writes what waits; false: nobody reads any more. */
static bool flush(server *s) {
  size_t sent = 0;
  while (sent < s->out.length) {
    ssize_t length = write(STDOUT_FILENO, s->out.data + sent, s->out.length - sent);
    if (length < 0 && errno != EINTR) {
      s->unwritten = errno;
      return false;
    }
    sent += length > 0 ? (size_t)length : 0;
  }
  s->out.length = 0;
  return !s->out.failed;
}

/** A call that ended is answered, and kept for its other pages. */
static void finish(server *s, cli_mcp_call *call) {
  reply(s, call->id, cli_mcp_result(&call->outcome, call->page));
  cli_mcp_outcome_done(&s->last);
  s->last = call->outcome;
  call->outcome = (cli_mcp_outcome){0};
  cli_mcp_call_done(call);
}

/** Fills in what to wait for; returns for how many ms, -1: for ever. */
static int fill(const server *s, struct pollfd places[1 + 2 * CALLS]) {
  double until = INFINITY;
  places[0] = (struct pollfd){.fd = s->asked.ended ? -1 : STDIN_FILENO, .events = POLLIN};
  for (int i = 0; i < CALLS; i++) {
    const cli_mcp_call *c = &s->calls[i];
    places[1 + 2 * i] = (struct pollfd){.fd = c->id != NULL ? c->out : -1, .events = POLLIN};
    places[2 + 2 * i] = (struct pollfd){.fd = c->id != NULL ? c->why : -1, .events = POLLIN};
    until = c->id != NULL ? fmin(until, c->until) : until;
  }
  return isinf(until) ? -1 : (int)fmax(0, 1e3 * (until - cli_mcp_now())) + 1;
}

static void attend_calls(server *s, const struct pollfd places[1 + 2 * CALLS]) {
  double now = cli_mcp_now();
  for (int i = 0; i < CALLS; i++) {
    cli_mcp_call *c = &s->calls[i];
    bool out = places[1 + 2 * i].revents != 0, why = places[2 + 2 * i].revents != 0;
    if (c->id == NULL) {
      continue;
    }
    if ((out || why) && cli_mcp_call_read(c, out, why)) {
      finish(s, c);
    } else if (now > c->until) {
      cli_mcp_call_stop(c, "it took too long");
      finish(s, c);
    }
  }
}

static bool is_idle(const server *s) {
  for (int i = 0; i < CALLS; i++) {
    if (s->calls[i].id != NULL) {
      return false;
    }
  }
  return s->asked.ended;
}

static void end(server *s) {
  for (int i = 0; i < CALLS; i++) {
    if (s->calls[i].id != NULL) {
      cli_mcp_call_stop(&s->calls[i], "the server ended");
      cli_mcp_call_done(&s->calls[i]);
    }
  }
  cli_mcp_outcome_done(&s->last);
  roof_text_done(&s->asked.text);
  roof_text_done(&s->out);
}

roof_status cli_mcp_serve(const cli_mcp_limits *limits, roof_error *error) {
  static server s;
  struct pollfd places[1 + 2 * CALLS];
  s = (server){.limits = limits, .asked = {.most = MOST_MESSAGE}};
  bool good = signal(SIGPIPE, SIG_IGN) != SIG_ERR;
  while (good && !is_idle(&s)) {
    int wait = fill(&s, places);
    if (poll(places, 1 + 2 * CALLS, wait) < 0 && errno != EINTR) {
      break;
    }
    attend_calls(&s, places); /* before new ones take their places */
    good = places[0].revents == 0 || cli_lines_read(&s.asked, STDIN_FILENO, take_line, &s);
    good = flush(&s) && good;
  }
  bool failed = s.out.failed;
  end(&s);
  return failed ? roof_error_set(error, ROOF_E_MEMORY, "mcp: out of memory")
                : cli_output_status(s.unwritten, error);
}
