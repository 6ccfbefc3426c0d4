#include "cli/predictor/client.h"

#include <errno.h>
#include <unistd.h>

enum { MOST_ANSWERS = 1 << 20 };

/** A client, and who answers it. */
typedef struct asking {
  cli_client *client;
  roof_predictor *predictor;
} asking;

static bool answer(void *user, const char *line, size_t length) {
  const asking *a = user;
  roof_text *out = &a->client->answers;
  return (line != NULL ? roof_predictor_answer(a->predictor, line, length, out, NULL)
                       : roof_predictor_refuse_long(out, NULL)) == ROOF_OK;
}

bool cli_client_read(cli_client *c, roof_predictor *predictor) {
  asking a = {c, predictor};
  c->asked.most = ROOF_PREDICTOR_LINE_MAX;
  return cli_lines_read(&c->asked, c->in, answer, &a);
}

bool cli_client_write(cli_client *c) {
  while (c->sent < c->answers.length) {
    ssize_t length = write(c->out, c->answers.data + c->sent, c->answers.length - c->sent);
    if (length < 0) {
      bool later = errno == EINTR || errno == EAGAIN;
      c->unwritten = later ? 0 : errno;
      return later;
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
  return c->asked.ended && !cli_client_has_answers(c);
}

bool cli_client_may_ask(const cli_client *c) {
  return !c->asked.ended && c->answers.length - c->sent < MOST_ANSWERS;
}

void cli_client_done(cli_client *c) {
  if (c->in > STDERR_FILENO) {
    close(c->in);
  }
  roof_text_done(&c->asked.text);
  roof_text_done(&c->answers);
}
