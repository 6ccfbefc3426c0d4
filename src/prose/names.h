/** What a text names: machines of the catalogue, built-in models, number formats. */
#ifndef PROSE_NAMES_H
#define PROSE_NAMES_H

#include "prose/page.h"
#include "roofline/catalog.h"

typedef enum rf_naming { RF_NAMES_MACHINE, RF_NAMES_MODEL, RF_NAMES_FORMAT } rf_naming;

/** A name, by the letters and digits that it is written with. */
typedef struct rf_name {
  char key[ROOF_NAME_MAX];
  const char *name;
  rf_naming naming;
} rf_name;

typedef struct rf_names {
  roof_catalog_list catalog;
  rf_name *list; /**< by key */
  size_t count, capacity;
} rf_names;

/** Where something is named. */
typedef struct rf_mention {
  rf_prose_span span;
  const rf_name *name;
  double devices; /**< how many of a machine: "8x H100"; 0: the text does not say */
  bool plural;    /**< "H100s" */
} rf_mention;

enum { RF_MENTIONS = 32 };

/** All names that can be read. Release with rf_names_done.
 *  Errors: ROOF_E_MEMORY. */
roof_status rf_names_init(rf_names *names, roof_error *error);
void rf_names_done(rf_names *names);

/** What `span` names, in its order; returns how many. */
int rf_names_find(const rf_names *names, const rf_prose_page *page, rf_prose_span span,
                  rf_mention mentions[RF_MENTIONS]);

/** Whether one of `words`, single blanks between them, stands in `span` as a whole word, letters of either case; a word
 *  that ends in `*` is the beginning of one. */
bool rf_names_has(const rf_prose_page *page, rf_prose_span span, const char *words);

/** The number of devices written before or after a machine's name: "8x", "eight", "a single"; 0: none. */
double rf_names_devices(const rf_prose_page *page, rf_prose_span span, rf_prose_span name);

#endif
