/** One answer in the making: the command in a child of this process, which may end or crash as it likes. */
#ifndef CLI_MCP_CALL_H
#define CLI_MCP_CALL_H

#include <sys/types.h>

#include "cli/mcp/tools.h"
#include "roofline/text.h"

/** What a command printed, and how it ended. */
typedef struct cli_mcp_outcome {
  char *key; /**< its command line as JSON; NULL: none */
  cli_mcp_kind kind;
  roof_text out, why;
  int code;        /**< exit code; -1: it did not end by itself */
  const char *end; /**< why it did not, static */
} cli_mcp_outcome;

typedef struct cli_mcp_call {
  json_t *id; /**< of the request; NULL: free */
  pid_t child;
  int out, why; /**< pipes to read; -1: at their end */
  double until; /**< s of the steady clock */
  int page;
  cli_mcp_outcome outcome;
} cli_mcp_call;

/** Seconds of the steady clock. */
double cli_mcp_now(void);

/** Starts a command line. Takes the words over, on failure too. */
roof_status cli_mcp_call_start(cli_mcp_call *call, json_t *id, cli_mcp_line *line,
                               const cli_mcp_limits *limits, roof_error *error);
/** Reads what is there. True: it has ended, and `outcome` is complete. */
bool cli_mcp_call_read(cli_mcp_call *call, bool out, bool why);
/** Ends it for a reason, if it runs still, and waits for it. */
void cli_mcp_call_stop(cli_mcp_call *call, const char *end);
/** Frees what a call that ended holds. */
void cli_mcp_call_done(cli_mcp_call *call);
void cli_mcp_outcome_done(cli_mcp_outcome *outcome);

/** The result of tools/call: a page of what was printed. */
json_t *cli_mcp_result(const cli_mcp_outcome *outcome, int page);
/** The same of what was refused before anything ran. */
json_t *cli_mcp_refusal(const char *message);

#endif
