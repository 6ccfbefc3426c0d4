/* Several files as one profile. */
#include <math.h>
#include <sys/stat.h>

#include "import/import.h"
#include "roofline/timeline.h"

/** When the file was written, NaN for one that has no date. */
static double file_date(const char *path) {
  struct stat info;
  bool dated = stat(path, &info) == 0 && S_ISREG(info.st_mode);
  return dated ? (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec : NAN;
}

/** The rank that a file says it is of, else its place among the files. */
static int rank_of(const roof_profile *one, size_t index) {
  bool known = one->timeline != NULL && one->timeline->trace_count > 0 && one->timeline->traces[0].rank >= 0;
  return known ? one->timeline->traces[0].rank : (int)index;
}

/** Gives all records of a file their rank; devices and streams of several files are those of their ranks. */
static void name_rank(roof_profile *one, size_t index, size_t count) {
  bool within = count > 1 && (one->by == ROOF_BY_DEVICE || one->by == ROOF_BY_STREAM);
  bool several = one->timeline != NULL && one->timeline->trace_count > 1; /* its reader has named them */
  int rank = rank_of(one, index);
  for (size_t i = 0; i < one->count && !several && (within || one->by == ROOF_BY_RANK); i++) {
    const char *part = one->records[i].part;
    one->records[i].part = within && part != NULL ? rf_import_textf(one, "rank %d, %s", rank, part)
                           : within               ? part
                                                  : rf_import_textf(one, "rank %d", rank);
  }
}

/** Where a file stands among those that are read together. */
typedef struct place {
  size_t index, count;
} place;

/** The first file's profile becomes that of all: it is large, and a copy of it would be as large. */
static roof_status add_profile(roof_profile *one, const import_groups *groups, roof_profile *profile,
                               roof_error *error) {
  bool first = profile->format == NULL && profile->count == 0 && profile->machine == NULL;
  if (!first || groups->count > 0 || groups->base) {
    return roof_profile_join(profile, one, groups->base, error);
  }
  roof_profile empty = *profile;
  *profile = *one;
  profile->dated_by_file = empty.dated_by_file;
  *one = empty;
  return ROOF_OK;
}

static roof_status add_file(const char *path, place at, const roof_import_options *options,
                            import_groups *groups, roof_profile *profile, roof_error *error) {
  roof_profile one = {0};
  roof_status status = roof_profile_init(&one, error);
  if (status == ROOF_OK) {
    status = roof_import(path, options, &one, error);
  }
  if (status == ROOF_OK && isnan(one.taken)) {
    one.taken = file_date(path);
    profile->dated_by_file = true;
  }
  if (status == ROOF_OK) {
    name_rank(&one, at.index, at.count);
    rf_import_groups_apply(groups, &one);
    status = add_profile(&one, groups, profile, error);
  }
  roof_profile_done(&one);
  return status;
}

roof_status roof_import_files(const char *const *paths, size_t count, const roof_import_options *options,
                              roof_profile *profile, roof_error *error) {
  import_groups groups = {0};
  if (count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "import: name a file");
  }
  roof_status status = options != NULL ? rf_import_groups_read(options->groups, &groups, error) : ROOF_OK;
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    status = add_file(paths[i], (place){i, count}, options, &groups, profile, error);
  }
  if (status == ROOF_OK) {
    status = rf_import_groups_check(&groups, error);
  }
  rf_import_groups_done(&groups);
  return status;
}
