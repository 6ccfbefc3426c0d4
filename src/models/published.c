/* What trained models are known to have reached: what a planned step is compared with. */
#include "roofline/plan.h"

#include <string.h>

static const roof_published_mfu list[] = {
    {"Llama 3 405B", "h100", 8192, 0.43, "Grattafiori et al. 2024, The Llama 3 Herd of Models, table 4"},
    {"Llama 3 405B", "h100", 16384, 0.41, "Grattafiori et al. 2024, The Llama 3 Herd of Models, table 4"},
    {"Llama 3 405B, 128k tokens", "h100", 16384, 0.38,
     "Grattafiori et al. 2024, The Llama 3 Herd of Models, table 4"},
    {"a model of 530B", "a100", 2240, 0.542,
     "Korthikanti et al. 2022, Reducing Activation Recomputation in Large Transformer Models, abstract"}};

const roof_published_mfu *roof_published_mfu_at(int index) {
  return index >= 0 && index < (int)(sizeof list / sizeof list[0]) ? &list[index] : NULL;
}

void roof_published_mfu_describe(roof_text *out, const roof_machine *machine) {
  int shown = 0;
  const roof_published_mfu *p;
  for (int i = 0; (p = roof_published_mfu_at(i)) != NULL; i++) {
    if (strstr(machine->name, p->device) != NULL) {
      roof_text_addf(out, "  published   MFU %.4g %% of %s on %.0f: %s\n", 100 * p->mfu, p->model, p->devices,
                     p->source);
      shown++;
    }
  }
  if (shown == 0) {
    roof_text_add(out, "  published   no MFU on such devices is known here\n");
  }
}
