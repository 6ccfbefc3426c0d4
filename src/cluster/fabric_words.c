/* The network in one sentence. */
#include "roofline/fabric.h"
#include "roofline/units.h"

enum { SHORT = 32, NAMED = 3 };

static void add_slow(const roof_fabric *fabric, roof_text *out) {
  int slow = 0;
  for (int i = 0; i < fabric->node_count; i++) {
    slow += fabric->nodes[i].slow;
    if (fabric->nodes[i].slow && slow <= NAMED) {
      roof_text_addf(out, "%s%s", slow == 1 ? "; slower than the others: " : ", ", fabric->nodes[i].name);
    }
  }
  if (slow > NAMED) {
    roof_text_addf(out, " and %d more", slow - NAMED);
  }
}

/** Whether its interval is narrower than itself: else it says nothing. */
static bool is_known(const roof_estimate *estimate) {
  return estimate->value > 0 && !(estimate->high - estimate->low > estimate->value);
}

void roof_fabric_sentence(const roof_fabric *fabric, roof_text *out) {
  const roof_distance_fit *far = roof_fabric_farthest(fabric);
  char latency[SHORT], rate[SHORT];
  if (far == NULL || far->fit.count == 0) {
    roof_text_add(out,
                  fabric->ranks == 1 ? "network: not measured: there is one rank" : "network: not measured");
    return;
  }
  const roof_protocol *small = &far->fit.of[0], *large = &far->fit.of[far->fit.count - 1];
  roof_text_addf(out, "network: a message takes %s",
                 roof_quantity_format(latency, SHORT, small->alpha.value, "s"));
  if (is_known(&large->beta)) {
    roof_text_addf(out, ", a long one goes at %s",
                   roof_quantity_format(rate, SHORT, 1 / large->beta.value, "B/s"));
  }
  roof_text_addf(out, " (%s)",
                 far->distance == ROOF_DISTANCE_NETWORK  ? "between nodes"
                 : far->distance == ROOF_DISTANCE_SWITCH ? "between nodes of one switch"
                                                         : "within a node");
  add_slow(fabric, out);
}
