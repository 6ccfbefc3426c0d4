/* A network of network namespaces on which each packet takes a set time, for kernels without sch_netem: `wire MICROSECONDS NAMESPACE...`.
 * Namespace i gets a device `eth0`, to which the caller gives the address A.B.C.i; the rate is tc's part. Runs until it is killed. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { NODES = 32, PACKETS = 8192, PACKET = 9216, DESTINATION = 19 };

typedef struct packet {
  int64_t due; /* ns */
  int to;
  size_t length;
  unsigned char data[PACKET];
} packet;

static packet queue[PACKETS]; /* all take as long, so that the first in is the first out */
static size_t first, last;
static struct pollfd devices[NODES];
static int count;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void must(int result, const char *what) {
  if (result < 0) {
    perror(what);
    exit(1);
  }
}

static int device_in(const char *name) {
  char path[256];
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  snprintf(path, sizeof path, "/var/run/netns/%s", name);
  int space = open(path, O_RDONLY | O_CLOEXEC);
  must(space, path);
  must(setns(space, CLONE_NEWNET), "setns");
  close(space);
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  must(device, "/dev/net/tun");
  strcpy(request.ifr_name, "eth0");
  must(ioctl(device, TUNSETIFF, &request), "TUNSETIFF");
  return device;
}

/** Takes what came in at a device; what has no place in the queue is lost, as on a wire. */
static void take(int from, int64_t delay) {
  for (;;) {
    packet *p = &queue[last % PACKETS];
    ssize_t length = read(devices[from].fd, p->data, sizeof p->data);
    if (length <= DESTINATION) {
      return;
    }
    p->length = (size_t)length;
    p->due = now() + delay;
    p->to = p->data[DESTINATION] - 1;
    last += (p->data[0] >> 4) == 4 && p->to >= 0 && p->to < count && last - first < PACKETS - 1;
  }
}

static void give(void) {
  while (first != last && queue[first % PACKETS].due <= now()) {
    packet *p = &queue[first++ % PACKETS];
    (void)!write(devices[p->to].fd, p->data, p->length);
  }
}

int main(int argc, char **argv) {
  int64_t delay = argc > 2 ? atoll(argv[1]) * 1000 : 0;
  for (int i = 2; i < argc && count < NODES; i++) {
    devices[count++] = (struct pollfd){.fd = device_in(argv[i]), .events = POLLIN};
  }
  sched_setscheduler(0, SCHED_FIFO,
                     &(struct sched_param){.sched_priority = 1}); /* a wire waits for no processor */
  puts("ready");
  fflush(stdout);
  for (;;) {
    int64_t rest = first == last ? INT64_C(1000000000) : queue[first % PACKETS].due - now();
    struct timespec wait = {.tv_sec = rest / 1000000000, .tv_nsec = rest > 0 ? rest % 1000000000 : 0};
    ppoll(devices, (nfds_t)count, &wait, NULL);
    for (int i = 0; i < count; i++) {
      take(i, delay);
    }
    give();
  }
}
