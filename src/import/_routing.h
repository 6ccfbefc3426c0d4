/** How tokens are shared out among experts in published timings. */
#ifndef IMPORT_ROUTING_H
#define IMPORT_ROUTING_H

/** What one device of several gets. */
typedef struct rf_routing {
  double imbalance; /**< its rows over its even share */
  double touched;   /**< its experts that get a row; 0: as even picks at random do */
} rf_routing;

/** Of the busiest of `ep` devices, where each of `tokens` picks `top_k` of `experts`: "balanced" (in turn), or
 * "power_law_A" (the experts' shares are drawn from a density x^-A). */
rf_routing rf_routing_of(const char *distribution, double tokens, double top_k, double experts, double ep);

#endif
