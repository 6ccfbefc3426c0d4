/* The table of one MPI: compiled once with the header of each MPI that is there, never a part of the library. */
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "cluster/mpi/mpi.h"

enum { GROUPS = 64 };

static MPI_Comm groups[GROUPS];
static int group_count;
static char refusal[MPI_MAX_ERROR_STRING], name[MPI_MAX_LIBRARY_VERSION_STRING];

_Static_assert(sizeof(MPI_Request) <= sizeof(rf_mpi_request), "a request has room for the MPI's own");

static bool is_done(int code) {
  int length = 0;
  if (code != MPI_SUCCESS) {
    MPI_Error_string(code, refusal, &length);
  }
  return code == MPI_SUCCESS;
}

static MPI_Request get(const rf_mpi_request *request) {
  MPI_Request of;
  memcpy(&of, request, sizeof of);
  return of;
}

static void put(rf_mpi_request *request, MPI_Request of) {
  memcpy(request, &of, sizeof of);
}

/** Messages of 2 GiB and more would need another call: larger ones are refused. */
static bool is_small(size_t count) {
  if (count > (size_t)INT32_MAX) {
    strcpy(refusal, "a message of 2 GiB or more");
    return false;
  }
  return true;
}

static int add(MPI_Comm comm) {
  if (group_count == GROUPS) {
    strcpy(refusal, "too many groups of ranks");
    MPI_Comm_free(&comm);
    return -1;
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  groups[group_count] = comm;
  return group_count++;
}

static bool start(void) {
  int given = 0, length = 0;
  if (!is_done(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given))) {
    return false;
  }
  MPI_Get_library_version(name, &length);
  name[strcspn(name, ",\n")] = '\0';
  char *tab = strstr(name, " Version:\t"); /* of MPICH */
  if (tab != NULL) {
    memmove(tab + 1, tab + sizeof " Version:", strlen(tab + sizeof " Version:") + 1);
  }
  group_count = 0;
  return add(MPI_COMM_WORLD) == RF_MPI_WORLD;
}

static void finish(void) {
  for (int i = 1; i < group_count; i++) {
    MPI_Comm_free(&groups[i]);
  }
  MPI_Finalize();
}

static void abort_all(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

static const char *library(void) {
  return name;
}

static const char *reason(void) {
  return refusal;
}

static int rank_of(int group) {
  int rank = 0;
  MPI_Comm_rank(groups[group], &rank);
  return rank;
}

static int size_of(int group) {
  int size = 0;
  MPI_Comm_size(groups[group], &size);
  return size;
}

static int split(int group, int color) {
  MPI_Comm comm;
  return is_done(MPI_Comm_split(groups[group], color, rank_of(group), &comm)) ? add(comm) : -1;
}

static int node(int group) {
  MPI_Comm comm;
  int code = MPI_Comm_split_type(groups[group], MPI_COMM_TYPE_SHARED, rank_of(group), MPI_INFO_NULL, &comm);
  return is_done(code) ? add(comm) : -1;
}

static bool send(int group, int to, int tag, const void *data, size_t bytes) {
  return is_small(bytes) && is_done(MPI_Send(data, (int)bytes, MPI_BYTE, to, tag, groups[group]));
}

static int any(int from) {
  return from == RF_MPI_ANY ? MPI_ANY_SOURCE : from;
}

static bool receive(int group, int from, int tag, void *data, size_t bytes) {
  return is_small(bytes) &&
         is_done(MPI_Recv(data, (int)bytes, MPI_BYTE, any(from), tag, groups[group], MPI_STATUS_IGNORE));
}

static bool start_send(int group, int to, int tag, const void *data, size_t bytes, rf_mpi_request *request) {
  MPI_Request of = MPI_REQUEST_NULL;
  bool done = is_small(bytes) && is_done(MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, groups[group], &of));
  put(request, of);
  return done;
}

static bool start_receive(int group, int from, int tag, void *data, size_t bytes, rf_mpi_request *request) {
  MPI_Request of = MPI_REQUEST_NULL;
  bool done =
      is_small(bytes) && is_done(MPI_Irecv(data, (int)bytes, MPI_BYTE, any(from), tag, groups[group], &of));
  put(request, of);
  return done;
}

static bool test(rf_mpi_request *request, bool *done) {
  MPI_Request of = get(request);
  int flag = 0;
  bool fine = is_done(MPI_Test(&of, &flag, MPI_STATUS_IGNORE));
  put(request, of);
  *done = flag != 0;
  return fine;
}

static bool wait(rf_mpi_request *requests, size_t count) {
  bool fine = true;
  for (size_t i = 0; i < count; i++) {
    MPI_Request of = get(&requests[i]);
    fine = is_done(MPI_Wait(&of, MPI_STATUS_IGNORE)) && fine;
    put(&requests[i], of);
  }
  return fine;
}

static bool cancel(rf_mpi_request *request) {
  MPI_Request of = get(request);
  bool fine = is_done(MPI_Cancel(&of)) && is_done(MPI_Request_free(&of));
  put(request, of);
  return fine;
}

static bool probe(int group, int from, int tag, int *source, size_t *bytes) {
  int flag = 0, count = 0;
  MPI_Status status;
  bool fine = is_done(MPI_Iprobe(any(from), tag, groups[group], &flag, &status));
  if (fine && flag != 0) {
    MPI_Get_count(&status, MPI_BYTE, &count);
  }
  *source = fine && flag != 0 ? status.MPI_SOURCE : -1;
  *bytes = (size_t)count;
  return fine;
}

static bool barrier(int group) {
  return is_done(MPI_Barrier(groups[group]));
}

static bool broadcast(int group, int root, void *data, size_t bytes) {
  return is_small(bytes) && is_done(MPI_Bcast(data, (int)bytes, MPI_BYTE, root, groups[group]));
}

static bool gather(int group, int root, const void *in, void *out, size_t bytes) {
  return is_small(bytes) &&
         is_done(MPI_Gather(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, root, groups[group]));
}

static bool all_gather(int group, const void *in, void *out, size_t bytes) {
  return is_small(bytes) &&
         is_done(MPI_Allgather(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, groups[group]));
}

static bool all_to_all(int group, const void *in, void *out, size_t bytes) {
  return is_small(bytes) &&
         is_done(MPI_Alltoall(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, groups[group]));
}

static bool all_reduce(int group, const float *in, float *out, size_t count) {
  return is_small(count) && is_done(MPI_Allreduce(in, out, (int)count, MPI_FLOAT, MPI_SUM, groups[group]));
}

static bool reduce_scatter(int group, const float *in, float *out, size_t count) {
  return is_small(count) &&
         is_done(MPI_Reduce_scatter_block(in, out, (int)count, MPI_FLOAT, MPI_SUM, groups[group]));
}

__attribute__((visibility("default"))) extern const rf_mpi rf_mpi_plugin;
const rf_mpi rf_mpi_plugin = {
    .table = RF_MPI_TABLE,
    .start = start,
    .finish = finish,
    .abort = abort_all,
    .library = library,
    .reason = reason,
    .rank = rank_of,
    .size = size_of,
    .split = split,
    .node = node,
    .send = send,
    .receive = receive,
    .start_send = start_send,
    .start_receive = start_receive,
    .test = test,
    .wait = wait,
    .cancel = cancel,
    .probe = probe,
    .barrier = barrier,
    .broadcast = broadcast,
    .gather = gather,
    .all_gather = all_gather,
    .all_to_all = all_to_all,
    .all_reduce = all_reduce,
    .reduce_scatter = reduce_scatter,
};
