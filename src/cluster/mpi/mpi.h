/** What the command asks of an MPI: a table of functions, which a plugin for each MPI gives, so that neither the library nor the
 *  command links one. A rank is a process of the job; a group is some of its ranks, known by a number, RF_MPI_WORLD all of them.
 *  Data are bytes or floats in memory of the caller; a function that returns bool is false when the MPI refused, for the reason
 *  that `reason` gives. */
#ifndef CLUSTER_MPI_MPI_H
#define CLUSTER_MPI_MPI_H

#include <stdbool.h>
#include <stddef.h>

enum { RF_MPI_TABLE = 1, RF_MPI_WORLD = 0, RF_MPI_ANY = -1 };

/** A message in flight, as the MPI knows it. */
typedef struct rf_mpi_request {
  void *of[2];
} rf_mpi_request;

typedef struct rf_mpi {
  int table;                    /**< RF_MPI_TABLE of the plugin's build */
  bool (*start)(void);          /**< once, before all else */
  void (*finish)(void);         /**< once, by all ranks; nothing may follow */
  void (*abort)(int code);      /**< ends all ranks of the job with this exit status */
  const char *(*library)(void); /**< "Open MPI v4.1.4": the first line of its own name */
  const char *(*reason)(void);  /**< of the last refusal */

  int (*rank)(int group);
  int (*size)(int group);
  int (*split)(int group,
               int color); /**< by all of the group: the number of that of equal colors; -1: refused */
  int (*node)(int group);  /**< by all of the group: those that share this rank's memory; -1: refused */

  bool (*send)(int group, int to, int tag, const void *data, size_t bytes);
  bool (*receive)(int group, int from, int tag, void *data, size_t bytes);
  bool (*start_send)(int group, int to, int tag, const void *data, size_t bytes, rf_mpi_request *request);
  bool (*start_receive)(int group, int from, int tag, void *data, size_t bytes, rf_mpi_request *request);
  bool (*test)(rf_mpi_request *request, bool *done);    /**< *done: it is complete and gone */
  bool (*wait)(rf_mpi_request *requests, size_t count); /**< until all are complete */
  bool (*cancel)(rf_mpi_request *request);              /**< a receive that nobody will answer */
  bool (*probe)(int group, int from, int tag, int *source,
                size_t *bytes); /**< a message waits; *source -1: none */

  bool (*barrier)(int group);
  bool (*broadcast)(int group, int root, void *data, size_t bytes);
  bool (*gather)(int group, int root, const void *in, void *out, size_t bytes); /**< bytes of each rank */
  bool (*all_gather)(int group, const void *in, void *out, size_t bytes);       /**< bytes of each rank */
  bool (*all_to_all)(int group, const void *in, void *out, size_t bytes);       /**< bytes for each rank */
  bool (*all_reduce)(int group, const float *in, float *out, size_t count);     /**< sums */
  bool (*reduce_scatter)(int group, const float *in, float *out,
                         size_t count); /**< sums, count of each rank */
} rf_mpi;

/** The name of the plugin's one symbol, a constant `const rf_mpi`. */
#define RF_MPI_SYMBOL "rf_mpi_plugin"

#endif
