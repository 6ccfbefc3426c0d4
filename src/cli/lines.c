#include "cli/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "host/file.h"

enum { PIECE = 65536 };

/** Without the end of a line of Windows, and the mark that its shells begin UTF-8 with. */
static bool hand_on(const char *line, size_t length, cli_line *take, void *user) {
  size_t mark = rf_file_mark(line, length);
  line += mark;
  length -= mark;
  length -= length > 0 && line[length - 1] == '\r';
  return length == 0 || take(user, line, length);
}

/** Hands whole lines on; what is left of the last one moves to the front. */
static bool take_lines(cli_lines *l, cli_line *take, void *user) {
  size_t from = 0;
  bool good = true;
  for (char *end; good && l->text.length > from &&
                  (end = memchr(l->text.data + from, '\n', l->text.length - from)) != NULL;) {
    size_t length = (size_t)(end - l->text.data) - from;
    bool fits = length <= l->most;
    good = l->skips || (fits ? hand_on(l->text.data + from, length, take, user) : take(user, NULL, 0));
    l->skips = false;
    from += length + 1;
  }
  l->text.length -= from;
  if (from > 0) {
    memmove(l->text.data, l->text.data + from, l->text.length);
  }
  return good;
}

static bool drop_long(cli_lines *l, cli_line *take, void *user) {
  if (l->text.length <= l->most) {
    return true;
  }
  bool good = l->skips || take(user, NULL, 0);
  l->skips = true;
  l->text.length = 0;
  return good;
}

bool cli_lines_read(cli_lines *l, int file, cli_line *take, void *user) {
  static char piece[PIECE];
  ssize_t length = read(file, piece, sizeof piece);
  if (length < 0) {
    return errno == EINTR || errno == EAGAIN;
  }
  l->ended = length == 0;
  roof_text_add_bytes(&l->text, piece, (size_t)length);
  bool good = !l->text.failed && take_lines(l, take, user) && drop_long(l, take, user);
  if (good && l->ended && l->text.length > 0 && !l->skips) {
    good = hand_on(l->text.data, l->text.length, take, user);
  }
  return good;
}
