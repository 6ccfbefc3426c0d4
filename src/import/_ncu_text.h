/** Lines of what `ncu` prints for people: a line that names a launch, then a table for each section. */
#ifndef IMPORT_NCU_TEXT_H
#define IMPORT_NCU_TEXT_H

#include "import/import.h"

/** `kernel(int) (2, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0`. */
typedef struct ncu_heading {
  const char *kernel; /**< in the line */
  size_t length;
  const char *capability; /**< "9.0" and what follows, "" where the line has none */
  const char *calls;      /**< "3" and what follows: the launches of a summary; "" of one launch */
} ncu_heading;

/** False where the line is none. */
bool rf_ncu_heading(const char *line, ncu_heading *heading);

enum { NCU_TEXT_COLUMNS = 5 };

/** Where the reader is in a table, whose dashes say where its columns are. Start from zeros. */
typedef struct ncu_text {
  size_t start[NCU_TEXT_COLUMNS], end[NCU_TEXT_COLUMNS];
  int columns, value; /* the column of the values; 0: of a table that is none of metrics */
  bool inside, heading;
} ncu_text;

/** The columns of a row of a table. Texts are in `line`, which is changed. False for any other line. */
bool rf_ncu_text_row(ncu_text *table, char *line, const char **name, const char **unit, const char **value);

/** A rule as it is printed below a section: its type, what it would bring, its text over several lines. It has no name:
 *  the section's, with a number from the second one on. Start from zeros. */
typedef struct ncu_rule {
  char section[96];
  int number;        /**< of rules of this section */
  const char *type;  /**< as of roof_rule; NULL: no rule is being read */
  const char *scope; /**< as of roof_rule */
  char percent[32];  /**< "45.2"; "": it does not say */
  char text[1024];   /**< what is longer is cut */
} ncu_rule;

/** What a line is to the rules. */
typedef enum ncu_rule_line { NCU_RULE_OTHER, NCU_RULE_BEGINS, NCU_RULE_GOES_ON } ncu_rule_line;

/** What `line` is; a rule that was being read ends where it does not go on. */
ncu_rule_line rf_ncu_rule_is(const ncu_rule *said, const char *line);

/** Takes a line that is part of a rule, or the name of a section. */
void rf_ncu_rule_take(ncu_rule *said, const char *line);

#endif
