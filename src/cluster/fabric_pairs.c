#include "cluster/fabric_pairs.h"

#include <string.h>

static const char digits[] = "0123456789";

/** Length up to the last number of a name that has two; 0: the name says nothing of a switch. */
static size_t rack_length(const char *name) {
  size_t length = strlen(name);
  while (length > 0 && strchr(digits, name[length - 1]) == NULL) {
    length--;
  }
  while (length > 0 && strchr(digits, name[length - 1]) != NULL) {
    length--;
  }
  return strcspn(name, digits) < length ? length : 0;
}

static size_t switch_length(const char *path) {
  const char *last = strrchr(path, '.');
  return last == NULL ? 0 : (size_t)(last - path);
}

static bool is_below_one(const char *a, size_t length_a, const char *b, size_t length_b) {
  return length_a > 0 && length_a == length_b && strncmp(a, b, length_a) == 0;
}

roof_distance rf_distance_of(const rf_rank_place *a, const rf_rank_place *b) {
  if (strcmp(a->node, b->node) == 0) {
    return a->core >= 0 && a->core == b->core         ? ROOF_DISTANCE_CORE
           : a->socket >= 0 && a->socket == b->socket ? ROOF_DISTANCE_SOCKET
                                                      : ROOF_DISTANCE_NODE;
  }
  bool near = a->path[0] != '\0' && b->path[0] != '\0'
                  ? is_below_one(a->path, switch_length(a->path), b->path, switch_length(b->path))
                  : is_below_one(a->node, rack_length(a->node), b->node, rack_length(b->node));
  return near ? ROOF_DISTANCE_SWITCH : ROOF_DISTANCE_NETWORK;
}

bool rf_distance_pair(const rf_rank_place *places, int ranks, roof_distance distance, int pair[2]) {
  enum { LOOKED_THROUGH = 64 };
  for (int a = 0; a < ranks && a < LOOKED_THROUGH; a++) {
    for (int b = a + 1; b < ranks; b++) {
      if (rf_distance_of(&places[a], &places[b]) == distance) {
        pair[0] = a, pair[1] = b;
        return true;
      }
    }
  }
  return false;
}

int rf_pairs_rounds(int ranks) {
  return ranks < 2 ? 0 : ranks - 1 + ranks % 2;
}

/** With an odd number one more seat is empty: who meets it sits out. The last seat stays, the others turn. */
int rf_pairs_partner(int ranks, int round, int rank) {
  int seats = ranks + ranks % 2, turning = seats - 1;
  int partner = rank == turning ? round
                : rank == round ? turning
                                : ((2 * round - rank) % turning + turning) % turning;
  return partner < ranks ? partner : -1;
}

int rf_pairs_across(int ranks, int rank) {
  int half = ranks / 2;
  return rank < half ? rank + half : rank < 2 * half ? rank - half : -1;
}
