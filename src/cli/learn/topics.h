/** What `explain` can explain. */
#ifndef CLI_LEARN_TOPICS_H
#define CLI_LEARN_TOPICS_H

#include "cli/cli.h"

/** The numbers a topic is worked on: one operation on one machine. */
typedef struct cli_lesson {
  const roof_target *target;
  const roof_op *op;
  const double *typed;  /**< NaN where one follows another */
  const double *values; /**< completed */
  roof_prediction prediction;
} cli_lesson;

enum { TOPIC_WORDS_MAX = 4 };

typedef struct cli_topic {
  const char *name;
  const char *summary;
  const char *text;
  void (*worked)(roof_text *out, const cli_lesson *lesson); /**< NULL: nothing to compute */
  const char *example[TOPIC_WORDS_MAX]; /**< operation and shape it is worked on by itself */
} cli_topic;

/** Ends with a row without a name. */
extern const cli_topic cli_topics[];

#endif
