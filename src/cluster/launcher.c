/* Which launcher started this process, by the environment that it gives; and the plugin of its MPI. */
#include "cluster/launcher.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/probe.h"
#include "host/process.h"
#include "roofline/text.h"

/* The first whose signs are there: Slurm's ranks have the variables of PMI too, and those of Open MPI the ones of PMIx. */
static const rf_launcher launchers[] = {
    {"mpirun of Open MPI",
     "openmpi",
     {"OMPI_COMM_WORLD_SIZE"},
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"mpirun of MPICH", "mpich", {"PMI_RANK", "MPI_LOCALNRANKS"}, "PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"},
    {"srun with PMIx",
     "openmpi",
     {"PMIX_RANK", "SLURM_STEP_ID"},
     "SLURM_STEP_NUM_TASKS",
     "PMIX_RANK",
     "SLURM_LOCALID"},
    {"srun with PMI2",
     "mpich",
     {"PMI_RANK", "SLURM_STEP_ID"},
     "SLURM_STEP_NUM_TASKS",
     "PMI_RANK",
     "SLURM_LOCALID"},
    {"a launcher with PMIx", "openmpi", {"PMIX_RANK"}, NULL, "PMIX_RANK", NULL},
    {"a launcher with PMI", "mpich", {"PMI_RANK"}, "PMI_SIZE", "PMI_RANK", NULL},
};

/* A plugin, and what its MPI is on Debian. */
static const struct {
  const char *name, *what, *hint;
} plugins[] = {
    {"openmpi", "MPI (the plugin for Open MPI)",
     "; on Debian: apt install roofline-openmpi (with libopenmpi3)"},
    {"mpich", "MPI (the plugin for MPICH)", "; on Debian: apt install roofline-mpich (with libmpich12)"},
};

enum { PLUGINS = sizeof plugins / sizeof plugins[0] };

static const char *value_of(const char *name) {
  const char *value = name != NULL ? secure_getenv(name) : NULL;
  return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool has_signs(const rf_launcher *launcher) {
  return value_of(launcher->signs[0]) != NULL &&
         (launcher->signs[1] == NULL || value_of(launcher->signs[1]) != NULL);
}

static int count_of(const char *name) {
  const char *value = value_of(name);
  return value != NULL ? (int)strtol(value, NULL, 10) : 0;
}

const rf_launcher *rf_job_under_launcher(int *tasks) {
  const rf_launcher *found = NULL;
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0] && found == NULL; i++) {
    found = has_signs(&launchers[i]) ? &launchers[i] : NULL;
  }
  if (tasks != NULL) {
    *tasks = count_of(found != NULL ? found->size : "SLURM_STEP_NUM_TASKS");
  }
  return found;
}

int rf_launcher_rank(const rf_launcher *launcher) {
  return count_of(launcher->rank);
}

void rf_launcher_node(char name[RF_JOB_NODE_MAX]) {
  const char *slurm = secure_getenv("SLURMD_NODENAME");
  if (slurm != NULL && slurm[0] != '\0') {
    snprintf(name, RF_JOB_NODE_MAX, "%s", slurm);
  } else if (gethostname(name, RF_JOB_NODE_MAX - 1) != 0) {
    snprintf(name, RF_JOB_NODE_MAX, "unknown");
  }
  name[RF_JOB_NODE_MAX - 1] = '\0';
  for (char *at = name; *at != '\0';) {
    size_t length = roof_text_shown(at);
    *at = length > 0 ? *at : '?';
    at += length > 0 ? length : 1;
  }
}

bool rf_launcher_is_first(const rf_launcher *launcher) {
  return count_of(launcher->local) == 0;
}

/* --- which job this is: a value that a launcher gives to all ranks of one job and to no other --- */

/** An address of mpiexec, which MPICH's proxy, a parent of its ranks, has as an argument. False: this process has none. */
static bool find_port(long process, char *port, size_t size) {
  static const char option[] = "--control-port";
  char path[64], words[4096];
  snprintf(path, sizeof path, "/proc/%ld/cmdline", process);
  FILE *file = fopen(path, "re");
  size_t length = file != NULL ? fread(words, 1, sizeof words - 1, file) : 0;
  bool next = false;
  if (file != NULL) {
    fclose(file);
  }
  words[length] = '\0';
  for (size_t at = 0; at < length; at += strlen(words + at) + 1) {
    if (next) {
      snprintf(port, size, "%s", words + at);
      return true;
    }
    next = strcmp(words + at, option) == 0;
  }
  return false;
}

/** The parent of a process, 0 where it is not known. */
static long parent_of(long process) {
  char path[64], line[64];
  snprintf(path, sizeof path, "/proc/%ld/status", process);
  return rf_probe_key("", path, "PPid", line, sizeof line) ? strtol(line, NULL, 10) : 0;
}

static const char *port_of_proxy(char *port, size_t size) {
  enum { GENERATIONS = 32 };
  long process = getppid();
  for (int i = 0; i < GENERATIONS && process > 1; i++) {
    if (find_port(process, port, size)) {
      return port;
    }
    process = parent_of(process);
  }
  return NULL;
}

bool rf_launcher_job(char *name, size_t size) {
  char port[256];
  const char *key = value_of("OMPI_MCA_orte_precondition_transports"), *step = value_of("SLURM_STEP_ID");
  const char *job = value_of("SLURM_JOB_ID");
  bool slurm = job != NULL && step != NULL;
  key = key != NULL ? key : port_of_proxy(port, sizeof port);
  key = key != NULL || slurm ? key : value_of("PMIX_NAMESPACE");
  if (key == NULL && !slurm) {
    return false;
  }
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  const char *const parts[] = {key != NULL ? key : job, key != NULL ? "" : ".", key != NULL ? "" : step};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    for (const char *at = parts[i]; *at != '\0'; at++) {
      hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    }
  }
  snprintf(name, size, "%016llx", (unsigned long long)hash);
  return true;
}

roof_status rf_launcher_none(roof_error *error) {
  int tasks = 0;
  rf_job_under_launcher(&tasks);
  if (tasks > 1) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "cluster: srun started %d tasks that cannot reach each other: `srun --mpi=pmix` or "
                          "`--mpi=pmi2` (`srun --mpi=list` says which it has)",
                          tasks);
  }
  return roof_error_set(
      error, ROOF_E_UNSUPPORTED,
      "cluster: no launcher started this: `mpirun -n RANKS roofline ...` or `srun --mpi=pmix "
      "roofline ...`, one rank or more per node");
}

/** The row of the plugin asked for by ROOFLINE_MPI, or else of the launcher's. */
static roof_status choose(const rf_launcher *launcher, int *row, roof_error *error) {
  const char *asked = value_of("ROOFLINE_MPI"), *name = asked != NULL ? asked : launcher->plugin;
  const char *names[PLUGINS + 1] = {NULL};
  for (int i = 0; i < PLUGINS; i++) {
    names[i] = plugins[i].name;
    if (strcmp(name, names[i]) == 0) {
      *row = i;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "ROOFLINE_MPI", name, names, NULL);
}

roof_status rf_launcher_load(const rf_launcher *launcher, const rf_mpi **mpi, roof_error *error) {
  static rf_loaded loaded; /* an MPI that has run cannot be unloaded */
  static const rf_mpi *table;
  char node[RF_JOB_NODE_MAX], folder[PATH_MAX], file[64], built[PATH_MAX + 80], installed[PATH_MAX + 80];
  int row = 0;
  roof_status status = choose(launcher, &row, error);
  if (status != ROOF_OK) {
    return status;
  }
  bool is_named = value_of("ROOFLINE_MPI_PLUGINS") != NULL;
  rf_process_folder(folder, sizeof folder);
  snprintf(file, sizeof file, "roofline_mpi_%s.so", plugins[row].name);
  snprintf(built, sizeof built, "%s/mpi/%s", folder, file);
  snprintf(installed, sizeof installed, "%s/%s/%s", folder, RF_MPI_INSTALLED, file);
  const rf_symbol symbol = {RF_MPI_SYMBOL, &table};
  const rf_library library = {.what = plugins[row].what,
                              .hint = plugins[row].hint,
                              .folder = is_named ? "ROOFLINE_MPI_PLUGINS" : NULL,
                              .sonames = {is_named ? file : installed, is_named ? NULL : built},
                              .symbols = &symbol,
                              .count = 1};
  rf_launcher_node(node);
  if (!rf_library_load(&library, &loaded)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "cluster: %s: %s", node, loaded.reason);
  }
  if (table->table != RF_MPI_TABLE) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "cluster: %s: %s is of another version of roofline",
                          node, file);
  }
  *mpi = table;
  return ROOF_OK;
}
