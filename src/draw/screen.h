/** Text as a terminal shows it: made safe, wrapped at its width, coloured, in ASCII where it knows no more. */
#ifndef RF_DRAW_SCREEN_H
#define RF_DRAW_SCREEN_H

#include "roofline/text.h"

typedef struct rf_screen {
  int width; /**< in cells; 0: lines are left as they are */
  bool ascii, color;
  bool commands; /**< GitHub's log: no line may be one of its commands, `::error::` and the like */
} rf_screen;

/* Marks that a text carries until it is shown. Each line ends what it began. */
#define RF_MARK_BOLD "\016b"
#define RF_MARK_GREEN "\016g"
#define RF_MARK_YELLOW "\016y"
#define RF_MARK_RED "\016r"
#define RF_MARK_DIM "\016d"
#define RF_MARK_END "\017"

/** The mark of what begins with the word of a verdict ("bug", "normal, ..."); "" of any other text. */
const char *rf_screen_verdict(const char *text);

/** Appends `text`, of any number of lines, as `screen` shows it. The further lines of one that is too long begin
 *  under its value ("  label   value") or in the last column of a row, else 2 cells further in than it does; those of a
 *  command end in `\`. Words are not broken. */
void rf_screen_add(roof_text *out, const rf_screen *screen, const char *text);

/** Appends `length` bytes of text made safe (rf_glyph_plain), marks and ends of lines too. */
void rf_screen_add_plain(roof_text *out, const char *text, size_t length, bool ascii);

/** Where the line that `text` begins with is to be broken so that it takes at most `cells`: the bytes before the
 *  space; all of it where it fits, its first word where that is too long. */
size_t rf_screen_break(const char *text, int cells);

/** Appends at most `cells` of `text`, an ellipsis in its middle where it is cut. */
void rf_screen_add_cut(roof_text *out, const char *text, int cells, bool ascii);

#endif
