/** The rules by which a figure becomes a cause. */
#ifndef ADVISE_RULES_H
#define ADVISE_RULES_H

#include "roofline/advise.h"

/** Kinds of devices as bits. */
enum { RF_ON_CPU = 1, RF_ON_GPU = 2, RF_ON_OTHER = 4, RF_ON_ANY = RF_ON_CPU | RF_ON_GPU | RF_ON_OTHER };

/** Regimes as bits; the one beyond them: compute-bound on the matrix unit. */
enum { RF_IN_MATRIX = 1 << ROOF_REGIME_COUNT, RF_IN_ALL = RF_IN_MATRIX - 1 };

/** One reason for a gap. The clue counts past `threshold` and is beyond doubt at `full` (lower than the
 * threshold: less is worse). `weight` ranks reasons of equal evidence: what costs more, or is more common. */
typedef struct rf_rule {
  const char *name;
  int devices;
  int regimes;
  roof_clue clue;
  double threshold;
  double full;
  double weight;
  const char *sentence; /**< {} is the clue's value */
  const char *measurement;
  const char *action;
  const char *source;
  const char *metric; /**< NVIDIA's name for the measurement, NULL: it has none of its own */
} rf_rule;

/** A device with work in fewer of its cycles, or idle for more of the elapsed time, waits for the host. */
#define RF_STARVED_ACTIVE 0.50
#define RF_STARVED_IDLE 0.10

enum { RF_RULES_MAX = 64 };

extern const rf_rule rf_rules[];
extern const size_t rf_rule_count;

/** Whether the figure is known, and a sign of causes on such a device, but not where this work is bound. */
bool rf_clue_is_unused(const roof_evidence *evidence, roof_clue clue);

/** The bit of a machine's class; RF_ON_ANY where it is not known. */
int rf_device_of(const roof_machine *machine);

#endif
