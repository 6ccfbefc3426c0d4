/* Places the kernels of a profiler's file under a machine's ceilings: ./place ncu.csv h100 */
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

int main(int argc, char **argv) {
  roof_profile profile;
  roof_machine *machine = NULL;
  roof_ceilings *ceilings = malloc(sizeof *ceilings);
  roof_ranking ranking;
  must(ceilings != NULL ? ROOF_OK : roof_error_set(&error, ROOF_E_MEMORY, "out of memory"));
  must(roof_profile_init(&profile, &error));
  must(roof_import(argc > 1 ? argv[1] : "ncu.csv", NULL, &profile, &error));
  must(roof_catalog_load(argc > 2 ? argv[2] : "h100", &machine, &error));
  must(roof_ceilings_init(ceilings, machine, 0, NULL,
                          &error)); /* 0: all cores; NULL: datasheet figures first */
  must(roof_profile_rank(&profile, ceilings, NULL, &ranking, &error));
  for (size_t i = 0; i < ranking.count; i++) {
    const roof_placed *at = &ranking.rows[i].at;
    if (at->verdict != NULL) {
      printf("%.40s: %.1f %% of %s, %s\n", ranking.rows[i].record->name, 100 * at->share, at->binding,
             roof_place_state_name(at->state));
    } else {
      printf("%.40s: unknown, %s\n", ranking.rows[i].record->name, at->why);
    }
  }
  free(ranking.rows); /* they point into the profile, the ceilings into the machine */
  free(ceilings);
  roof_profile_done(&profile);
  roof_machine_free(machine);
  return 0;
}
