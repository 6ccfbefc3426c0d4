#include "cluster/gather_clock.h"

#include <endian.h>
#include <errno.h>
#include <ifaddrs.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "host/clock.h"

enum { WORD = 16, HEXADECIMAL = 2 * WORD + 1, ADDRESSES = 32, ADDRESS_TEXT = 64 };

static const char place[] = "clock";     /* of the first rank, in the folder */
static const double answer_patience = 2; /* s: who has not answered by then does not hear */

/** A question, and with the time the answer; numbers in network order. */
typedef struct packet {
  unsigned char word[WORD];
  uint64_t number;
  uint64_t nanoseconds;
} packet;

struct rf_clock_server {
  pthread_t thread;
  int socket, end; /* an eventfd that ends it */
  unsigned char word[WORD];
};

/** A socket for both versions of IP where there is version 6; -1: none. */
static int open_socket(int *family) {
  int off = 0, made = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  *family = made >= 0 ? AF_INET6 : AF_INET;
  if (made >= 0) {
    setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    return made;
  }
  return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/* The first rank */

static void *serve(void *user) {
  const rf_clock_server *s = user;
  struct pollfd waits[2] = {{.fd = s->socket, .events = POLLIN}, {.fd = s->end, .events = POLLIN}};
  while (poll(waits, 2, -1) >= 0 || errno == EINTR) {
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    packet p;
    if (waits[1].revents != 0) {
      return NULL;
    }
    ssize_t got = recvfrom(s->socket, &p, sizeof p, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
    if (got == (ssize_t)sizeof p && memcmp(p.word, s->word, WORD) == 0) {
      p.nanoseconds = htobe64((uint64_t)llround(1e9 * rf_clock_seconds()));
      (void)!sendto(s->socket, &p, sizeof p, 0, (struct sockaddr *)&from, size);
    }
  }
  return NULL;
}

/** Binds to a port of all addresses; 0: it could not. */
static int bind_any(int file, int family) {
  struct sockaddr_in6 six = {.sin6_family = AF_INET6};
  struct sockaddr_in four = {.sin_family = AF_INET};
  bool is_six = family == AF_INET6;
  struct sockaddr *any = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
  socklen_t size = is_six ? sizeof six : sizeof four;
  if (bind(file, any, size) != 0 || getsockname(file, any, &size) != 0) {
    return 0;
  }
  return ntohs(is_six ? six.sin6_port : four.sin_port);
}

/** The addresses of this node, a line each; those of one link are no use without its name. */
static void add_addresses(roof_text *out) {
  struct ifaddrs *all = NULL;
  if (getifaddrs(&all) != 0) {
    return;
  }
  for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
    char text[ADDRESS_TEXT];
    int family = a->ifa_addr != NULL && (a->ifa_flags & IFF_UP) != 0 ? a->ifa_addr->sa_family : AF_UNSPEC;
    socklen_t size = family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    if ((family == AF_INET || family == AF_INET6) &&
        getnameinfo(a->ifa_addr, size, text, sizeof text, NULL, 0, NI_NUMERICHOST) == 0 &&
        strchr(text, '%') == NULL) {
      roof_text_addf(out, "%s\n", text);
    }
  }
  freeifaddrs(all);
}

/** Says in the folder where it is asked: port, word and addresses. */
static roof_status announce(const rf_gather *gather, const rf_clock_server *s, int port, roof_error *error) {
  roof_text text = {0};
  roof_text_addf(&text, "%d\n", port);
  for (int i = 0; i < WORD; i++) {
    roof_text_addf(&text, "%02x", s->word[i]);
  }
  roof_text_add(&text, "\n");
  add_addresses(&text);
  roof_status status = text.failed ? roof_error_set(error, ROOF_E_MEMORY, "clock: out of memory")
                                   : rf_gather_attach(gather, place, &text, error);
  roof_text_done(&text);
  return status;
}

/** Its thread hears no signal: they are for whoever waits for the program. */
static int start_thread(rf_clock_server *s) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int code = pthread_create(&s->thread, NULL, serve, s);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
}

static void close_all(rf_clock_server *s) {
  if (s->socket >= 0) {
    close(s->socket);
  }
  if (s->end >= 0) {
    close(s->end);
  }
  free(s);
}

roof_status rf_clock_server_start(const rf_gather *gather, rf_clock_server **server, roof_error *error) {
  int family = AF_UNSPEC;
  rf_clock_server *s = calloc(1, sizeof *s);
  if (s == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "clock: out of memory");
  }
  s->socket = open_socket(&family);
  s->end = eventfd(0, EFD_CLOEXEC);
  int port =
      s->socket >= 0 && s->end >= 0 && getrandom(s->word, WORD, 0) == WORD ? bind_any(s->socket, family) : 0;
  roof_status status = port > 0 ? announce(gather, s, port, error)
                                : roof_error_set(error, ROOF_E_UNSUPPORTED,
                                                 "clock: no socket for datagrams: %s", strerror(errno));
  if (status == ROOF_OK && start_thread(s) != 0) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "clock: no thread");
  }
  if (status == ROOF_OK) {
    *server = s;
  } else {
    close_all(s);
  }
  return status;
}

void rf_clock_server_stop(rf_clock_server *s) {
  const uint64_t one = 1;
  if (s == NULL) {
    return;
  }
  (void)!write(s->end, &one, sizeof one);
  pthread_join(s->thread, NULL);
  close_all(s);
}

/* The others */

/** Where the first rank is asked. */
typedef struct asked {
  int socket, family;
  unsigned char word[WORD];
  struct sockaddr_storage addresses[ADDRESSES];
  socklen_t sizes[ADDRESSES];
  int count;
  uint64_t number; /* of the last question */
} asked;

static void add_address(asked *a, const char *text, const char *port) {
  const struct addrinfo hints = {.ai_family = a->family,
                                 .ai_socktype = SOCK_DGRAM,
                                 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV |
                                             (a->family == AF_INET6 ? AI_V4MAPPED : 0)};
  struct addrinfo *found = NULL;
  if (a->count < ADDRESSES && getaddrinfo(text, port, &hints, &found) == 0) {
    memcpy(&a->addresses[a->count], found->ai_addr, found->ai_addrlen);
    a->sizes[a->count++] = found->ai_addrlen;
    freeaddrinfo(found);
  }
}

/** Reads what rf_clock_server_start has written. */
static bool read_place(char *text, asked *a) {
  char *rest = NULL, *port = strtok_r(text, "\n", &rest), *word = strtok_r(NULL, "\n", &rest);
  if (port == NULL || word == NULL || strlen(word) != HEXADECIMAL - 1) {
    return false;
  }
  for (int i = 0; i < WORD; i++) {
    unsigned byte = 0;
    if (sscanf(word + 2 * i, "%2x", &byte) != 1) {
      return false;
    }
    a->word[i] = (unsigned char)byte;
  }
  for (char *line = strtok_r(NULL, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    add_address(a, line, port);
  }
  return a->count > 0;
}

static bool send_to(asked *a, int address) {
  packet p = {.number = htobe64(++a->number)};
  memcpy(p.word, a->word, WORD);
  return sendto(a->socket, &p, sizeof p, 0, (struct sockaddr *)&a->addresses[address], a->sizes[address]) ==
         (ssize_t)sizeof p;
}

/** The answer to one of the questions from `first` on, which is waited for until `end`; its number, 0: none came. */
static uint64_t hear(const asked *a, uint64_t first, double end, double *remote) {
  for (double now = rf_clock_seconds(); now < end; now = rf_clock_seconds()) {
    struct pollfd waits = {.fd = a->socket, .events = POLLIN};
    packet p;
    if (poll(&waits, 1, (int)ceil(1e3 * (end - now))) > 0 &&
        recv(a->socket, &p, sizeof p, MSG_DONTWAIT) == (ssize_t)sizeof p &&
        memcmp(p.word, a->word, WORD) == 0 && be64toh(p.number) >= first && be64toh(p.number) <= a->number) {
      *remote = 1e-9 * (double)(int64_t)be64toh(p.nanoseconds);
      return be64toh(p.number);
    }
  }
  return 0;
}

/** The address that answers first when all are asked at once; -1: none does. */
static int find_address(asked *a, double end) {
  static const double beat = 0.1; /* s */
  double remote;
  while (rf_clock_seconds() < end) {
    uint64_t first = a->number + 1;
    for (int i = 0; i < a->count; i++) {
      (void)send_to(a, i); /* an address of another network cannot be sent to */
    }
    uint64_t heard = hear(a, first, rf_clock_seconds() + beat, &remote);
    if (heard > 0) {
      return (int)(heard - first);
    }
  }
  return -1;
}

static void exchange(asked *a, int address, rf_clock_readings *readings) {
  static const double most = 0.1; /* s: what takes longer says nothing */
  for (int i = 0; i < RF_CLOCK_ASKED && readings->count < RF_CLOCK_READINGS; i++) {
    double remote = 0, start = rf_clock_seconds();
    bool heard = send_to(a, address) && hear(a, a->number, start + most, &remote) > 0;
    double end = rf_clock_seconds();
    if (heard) {
      readings->list[readings->count++] = (rf_clock_reading){(start + end) / 2, remote, end - start};
    }
  }
}

static roof_status ask_there(asked *a, char *text, double end, rf_clock_readings *readings,
                             roof_error *error) {
  size_t before = readings->count;
  int address = -1;
  end = fmin(end, rf_clock_seconds() + answer_patience);
  a->socket = open_socket(&a->family);
  if (a->socket < 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "no socket for datagrams: %s", strerror(errno));
  }
  if (read_place(text, a)) {
    address = find_address(a, end);
  }
  if (address >= 0) {
    exchange(a, address, readings);
  }
  close(a->socket);
  return readings->count > before
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "rank 0 does not answer to datagrams (UDP) at its addresses");
}

roof_status rf_clock_ask(const rf_gather *gather, double patience, rf_clock_readings *readings,
                         roof_error *error) {
  const struct timespec beat = {.tv_nsec = 2000000};
  double end = rf_clock_seconds() + patience;
  roof_text text = {0};
  while (rf_gather_attached(gather, 0, place, &text, NULL) != ROOF_OK && rf_clock_seconds() < end) {
    nanosleep(&beat, NULL);
  }
  asked a = {.socket = -1};
  roof_status status = text.length > 0
                           ? ask_there(&a, text.data, end, readings, error)
                           : roof_error_set(error, ROOF_E_UNSUPPORTED, "rank 0 has no clock to ask");
  roof_text_done(&text);
  return status;
}
