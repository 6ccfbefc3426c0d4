/** One client: what it wrote and was not answered yet, and what it has not read yet. */
#ifndef CLI_PREDICTOR_CLIENT_H
#define CLI_PREDICTOR_CLIENT_H

#include <stdbool.h>

#include "cli/lines.h"
#include "roofline/predictor.h"

typedef struct cli_client {
  int in, out;
  cli_lines asked;
  roof_text answers;
  size_t sent;   /**< of the answers */
  int unwritten; /**< errno of answers that could not be written, 0: none */
} cli_client;

/** Reads once, what poll said is there, and answers each whole line; at the end also what has no end of line. False: the client is lost. */
bool cli_client_read(cli_client *client, roof_predictor *predictor);
/** Writes what the client takes. False: it is lost. */
bool cli_client_write(cli_client *client);
/** Whether there is nothing more to do for it. */
bool cli_client_is_done(const cli_client *client);
/** Whether it may ask more: who does not read its answers is not read either. */
bool cli_client_may_ask(const cli_client *client);
/** Whether answers wait for it. */
bool cli_client_has_answers(const cli_client *client);
void cli_client_done(cli_client *client);

#endif
