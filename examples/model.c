/* Time to first token and time per token of a model on a machine: ./model qwen3-4b h100 */
#include <stdio.h>
#include <stdlib.h>

#include <roofline/roofline.h>

static roof_error error;

static void must(roof_status status) {
  if (status != ROOF_OK) {
    fprintf(stderr, "%s: %s\n", roof_status_text(status), error.message);
    exit(roof_status_exit_code(status));
  }
}

/** What is large is allocated: a thread's stack may be small. */
static void *allocate(size_t size) {
  void *data = malloc(size);
  must(data != NULL ? ROOF_OK : roof_error_set(&error, ROOF_E_MEMORY, "out of memory"));
  return data;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "llama-3.1-8b", *on = argc > 2 ? argv[2] : "h100";
  roof_model *model = allocate(sizeof *model);
  roof_model_target *target = allocate(sizeof *target);
  roof_model_answer *answer = allocate(sizeof *answer);
  roof_machine *machine = NULL;
  must(roof_model_load(name, model, &error));
  must(roof_catalog_load(on, &machine, &error));
  roof_model_settings settings = roof_model_settings_default(model);
  settings.batch = 8;
  settings.prompt = 1024;
  settings.generate = 256;
  must(roof_model_target_init(target, model, machine, &settings, &error));
  roof_model_answer_of(target, answer);
  printf("%s on %s, %g prompts of %g tokens: TTFT %.1f ms, TPOT %.2f ms, %.0f tokens/s\n", name, on,
         settings.batch, settings.prompt, 1e3 * answer->ttft_seconds, 1e3 * answer->tpot_seconds,
         answer->batch_tokens_per_second);
  free(answer);
  free(target);
  free(model);
  roof_machine_free(machine);
  return 0;
}
