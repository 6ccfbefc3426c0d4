#include "cli/predictor/client.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 65536, MOST_ANSWERS = 1 << 20 };

static bool answer_line(cli_client *c, roof_predictor *predictor, const char *line, size_t length) {
  if (length > 0 && line[length - 1] == '\r') {
    length--;
  }
  return length == 0 || roof_predictor_answer(predictor, line, length, &c->answers, NULL) == ROOF_OK;
}

/** Answers whole lines; what is left of the last one moves to the front. */
static bool answer_lines(cli_client *c, roof_predictor *predictor) {
  size_t from = 0;
  bool good = true;
  for (char *end; good && c->asked.length > from &&
                  (end = memchr(c->asked.data + from, '\n', c->asked.length - from)) != NULL;) {
    size_t length = (size_t)(end - c->asked.data) - from;
    good = c->skips || answer_line(c, predictor, c->asked.data + from, length);
    c->skips = false;
    from += length + 1;
  }
  c->asked.length -= from;
  if (from > 0) {
    memmove(c->asked.data, c->asked.data + from, c->asked.length);
  }
  return good;
}

/** A line that grew too long is answered once, and then read over. */
static bool drop_long(cli_client *c) {
  if (c->asked.length <= ROOF_PREDICTOR_LINE_MAX) {
    return true;
  }
  bool good = c->skips || roof_predictor_refuse_long(&c->answers, NULL) == ROOF_OK;
  c->skips = true;
  c->asked.length = 0;
  return good;
}

bool cli_client_read(cli_client *c, roof_predictor *predictor) {
  static char piece[PIECE];
  ssize_t length = read(c->in, piece, sizeof piece);
  if (length < 0) {
    return errno == EINTR || errno == EAGAIN;
  }
  c->ended = length == 0;
  roof_text_add_bytes(&c->asked, piece, (size_t)length);
  bool good = !c->asked.failed && answer_lines(c, predictor) && drop_long(c);
  if (good && c->ended && c->asked.length > 0 && !c->skips) {
    good = answer_line(c, predictor, c->asked.data, c->asked.length);
  }
  return good;
}

bool cli_client_write(cli_client *c) {
  while (c->sent < c->answers.length) {
    ssize_t length = write(c->out, c->answers.data + c->sent, c->answers.length - c->sent);
    if (length < 0) {
      return errno == EINTR || errno == EAGAIN;
    }
    c->sent += (size_t)length;
  }
  c->answers.length = c->sent = 0;
  return true;
}

bool cli_client_has_answers(const cli_client *c) {
  return c->sent < c->answers.length;
}

bool cli_client_is_done(const cli_client *c) {
  return c->ended && !cli_client_has_answers(c);
}

bool cli_client_may_ask(const cli_client *c) {
  return !c->ended && c->answers.length - c->sent < MOST_ANSWERS;
}

void cli_client_done(cli_client *c) {
  if (c->in > STDERR_FILENO) {
    close(c->in);
  }
  roof_text_done(&c->asked);
  roof_text_done(&c->answers);
}
