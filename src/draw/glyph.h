/** How wide text is, in a terminal and in a sans-serif font, and text cut to a width. */
#ifndef RF_DRAW_GLYPH_H
#define RF_DRAW_GLYPH_H

#include "roofline/text.h"

enum { RF_REPLACEMENT = 0xFFFD };

/** Reads the character at *cursor and moves past it; invalid bytes read as U+FFFD. 0 at the end. */
unsigned rf_glyph_next(const char **cursor);

/** Terminal cells a character takes: 0 (combining, invisible), 1 or 2 (East Asian wide). */
int rf_glyph_cells(unsigned code);

enum { RF_GLYPH_BYTES = 8 };

/** A character as a terminal may be sent it, in `bytes`, NUL-terminated; returns how many bytes. Control
 *  characters and those that change the direction of writing become U+FFFD, a tab a space, and in ASCII mode
 *  everything else its nearest likeness. */
size_t rf_glyph_plain(char bytes[RF_GLYPH_BYTES], unsigned code, bool ascii);

/** Terminal cells that a text takes. */
int rf_glyph_width(const char *text);

/** Width of `text` in ems of DejaVu Sans, a wide sans-serif font: other fonts need less. */
double rf_glyph_ems(const char *text);

/** Copies as much of `text` as fits in `ems` and `size`, ending in an ellipsis where it is cut. */
void rf_glyph_elide(char *buffer, size_t size, const char *text, double ems);

/** How many bytes of `text` a line of `ems` takes, up to a space where there is one; at least one character. */
size_t rf_glyph_line(const char *text, double ems);

/** Removes an incomplete character at the end of a fixed-size field. */
void rf_glyph_trim(char *field, size_t size);

#endif
