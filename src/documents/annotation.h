/** Annotations of GitHub: a line of a job's log that it shows next to a file. */
#ifndef DOCUMENTS_ANNOTATION_H
#define DOCUMENTS_ANNOTATION_H

#include "roofline/text.h"

typedef struct rf_annotation {
  const char *level; /**< "error", "notice" */
  const char *file;  /**< NULL: of none */
  int line, column;  /**< from 1; 0: not known */
  const char *title, *message;
} rf_annotation;

/** Appends it as one line, whatever its texts hold. */
void rf_annotation_add(const rf_annotation *annotation, roof_text *out);

#endif
