/** What answers may touch: files below some folders, to be read, and written only where that was allowed. */
#ifndef CLI_MCP_CONFINE_H
#define CLI_MCP_CONFINE_H

#include <stdbool.h>

#include "roofline/status.h"

enum { CLI_MCP_ROOTS = 16 };

typedef struct cli_mcp_limits {
  char *roots[CLI_MCP_ROOTS]; /**< real paths */
  int count;
  bool may_write;
} cli_mcp_limits;

/** Adds a folder by its real path. */
roof_status cli_mcp_limits_add(cli_mcp_limits *limits, const char *folder, roof_error *error);
void cli_mcp_limits_done(cli_mcp_limits *limits);

/** Refuses a word of a command line that names a file outside the roots, by itself, after a `=` or between commas; links and `..` are followed. */
roof_status cli_mcp_limits_check(const cli_mcp_limits *limits, const char *word, roof_error *error);

/** Takes from this process for good what the limits do not give, what libraries need excepted. False: the kernel cannot (Landlock, Linux 5.13). */
bool cli_mcp_limits_apply(const cli_mcp_limits *limits);
/** Whether the kernel can. */
bool cli_mcp_limits_enforced(void);

#endif
