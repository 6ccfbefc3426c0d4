/** The launcher that started this process and the plugin of its MPI (src/cluster/job.h). */
#ifndef CLUSTER_LAUNCHER_H
#define CLUSTER_LAUNCHER_H

#include "cluster/job.h"

/** This process's rank, as the launcher's environment has it; 0 where it does not say. */
int rf_launcher_rank(const rf_launcher *launcher);

/** Whether it is the first of its node, or the launcher does not say. */
bool rf_launcher_is_first(const rf_launcher *launcher);

/** The name of this node: Slurm's or the host's, what cannot be shown as `?`. */
void rf_launcher_node(char name[RF_JOB_NODE_MAX]);

/** A name that only this job has, the same in all its ranks: letters and digits, made of what the launcher gives them.
 *  Units: none. Ownership: fills `name`. Errors: false where the launcher gives nothing of that kind. */
bool rf_launcher_job(char *name, size_t size);

/** What to type where there is no launcher: ROOF_E_UNSUPPORTED. */
roof_status rf_launcher_none(roof_error *error);

/** Loads the plugin of the launcher's MPI, or of the one that ROOFLINE_MPI names, from ROOFLINE_MPI_PLUGINS, the installation or
 *  the build folder.
 *  Units: none. Ownership: *mpi is static. Errors: ROOF_E_UNSUPPORTED with what to install, ROOF_E_NAME. */
roof_status rf_launcher_load(const rf_launcher *launcher, const rf_mpi **mpi, roof_error *error);

#endif
