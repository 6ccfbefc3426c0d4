/* What may be on the disk after a crash at any moment of a command, tried state by state, as ALICE and SQLite's tests do.
 *
 *   crash-replay BEFORE AFTER LOG LEDGER [MOST [PAGE]]
 *
 * BEFORE and AFTER are copies of the folder, LOG is what the shim wrote down of the command in between, which was
 * acknowledged. A crash comes after any number of operations. What was synced is there. Of writes that were not, any pages
 * are there and others read as zeros, or the file ends anywhere in them; a new name, a new length or a removal is there or
 * not. In each state the ledger is continued: that must succeed, all of it must verify, and begin with each entry that
 * was acknowledged. Other files must be as before or as after, and as after once the command was acknowledged. At most
 * about MOST states, evenly among all; with PAGE, of pages of so many bytes and ends at any byte. Prints "N states tried, M lost"; fails where M is not 0. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/entry.h"
#include "roofline/ledger.h"

enum { FILES = 16, OPERATIONS = 256, NAME = 256, PAGES = 10, CUTS = 8, SHOWN = 5 };

typedef struct content {
  char *data;
  size_t length;
} content;

typedef struct named {
  char name[NAME];
  content of;
} named;

typedef struct folder {
  named files[FILES];
  size_t count;
} folder;

typedef enum verb { OPEN, CREATE, WRITE, TRUNCATE, SYNC, FOLDER, RENAME, UNLINK } verb;
static const char *const verbs[] = {"open", "create", "write",  "truncate",
                                    "sync", "folder", "rename", "unlink"};

/** A line of the log. */
typedef struct operation {
  verb verb;
  unsigned long long inode;
  size_t at; /**< of a write; the length of a truncation */
  content data;
  char name[NAME], other[NAME];
} operation;

static struct {
  operation list[OPERATIONS];
  size_t count;
} log_of;

static folder before, after;
static const char *ledger_name;
static content acknowledged_before, acknowledged_after;
static char place[64];
static size_t page = 4096;
static bool everywhere;                     /* the file may end at any byte */
static size_t tried, lost, counted, stride; /* one state in so many is tried; 0: they are counted only */

static void die(const char *what) {
  fprintf(stderr, "crash-replay: %s\n", what);
  exit(2);
}

static void *room(size_t size) {
  void *data = calloc(1, size + 1);
  if (data == NULL) {
    die("out of memory");
  }
  return data;
}

static content read_content(const char *path) {
  struct stat info;
  FILE *file = fopen(path, "rb");
  if (file == NULL || fstat(fileno(file), &info) != 0) {
    die(path);
  }
  content c = {room((size_t)info.st_size), (size_t)info.st_size};
  if (fread(c.data, 1, c.length, file) != c.length) {
    die(path);
  }
  fclose(file);
  return c;
}

static folder read_folder(const char *path) {
  folder f = {.count = 0};
  char name[2 * 4096];
  DIR *all = opendir(path);
  for (struct dirent *e = all != NULL ? readdir(all) : NULL; e != NULL; e = readdir(all)) {
    if (e->d_name[0] != '.' && f.count < FILES) {
      snprintf(name, sizeof name, "%s/%s", path, e->d_name);
      snprintf(f.files[f.count].name, NAME, "%s", e->d_name);
      f.files[f.count++].of = read_content(name);
    }
  }
  closedir(all);
  return f;
}

static named *find(folder *f, const char *name) {
  for (size_t i = 0; i < f->count; i++) {
    if (strcmp(f->files[i].name, name) == 0) {
      return &f->files[i];
    }
  }
  return NULL;
}

/* The log */

static content unhex(const char *hex) {
  size_t length = strspn(hex, "0123456789abcdef") / 2;
  content c = {room(length), length};
  for (size_t i = 0; i < length; i++) {
    char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
    c.data[i] = (char)strtoul(pair, NULL, 16);
  }
  return c;
}

static void read_operation(const char *line, operation *o) {
  char word[16] = "";
  int used = 0;
  sscanf(line, "%15s %n", word, &used);
  const char *rest = line + used;
  while (o->verb <= UNLINK && strcmp(word, verbs[o->verb]) != 0) {
    o->verb++;
  }
  if (o->verb > UNLINK) {
    die(line);
  }
  if (o->verb == RENAME || o->verb == UNLINK) {
    sscanf(rest, "%255s %255s", o->name, o->other);
    return;
  }
  used = 0;
  sscanf(rest, "%llu %n", &o->inode, &used);
  rest += used;
  if (o->verb == OPEN || o->verb == CREATE) {
    sscanf(rest, "%255s", o->name);
  } else if (o->verb == WRITE || o->verb == TRUNCATE) {
    char *end;
    o->at = strtoull(rest, &end, 10);
    o->data = unhex(end + (*end == ' '));
  }
}

static void read_log(const char *path) {
  content text = read_content(path);
  for (char *line = text.data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    if (log_of.count == OPERATIONS) {
      die("too many operations");
    }
    read_operation(line, &log_of.list[log_of.count++]);
  }
  free(text.data);
}

/* One file as it may be */

/** What a crash kept of what was not synced. */
typedef struct kept {
  unsigned pages; /**< a bit for each page of the writes that reached the disk */
  size_t steps;   /**< writes and truncations whose length did, in order */
  size_t cut;     /**< of the last write's bytes those that did, the file ends there */
  unsigned names; /**< a bit for each change of a name that did */
} kept;

static void resize(content *c, size_t length) {
  c->data = realloc(c->data, length + 1);
  if (c->data == NULL) {
    die("out of memory");
  }
  memset(c->data + (length < c->length ? length : c->length), 0,
         length < c->length ? 1 : length - c->length + 1);
  c->length = length;
}

/** Applies a write of which only some pages reached the disk. */
static void write_pages(content *c, const operation *o, size_t bytes, unsigned pages, size_t *index) {
  size_t end = o->at + bytes;
  if (end > c->length) {
    resize(c, end);
  }
  for (size_t at = o->at; at < o->at + o->data.length; (*index)++) {
    size_t next = (at / page + 1) * page;
    size_t stop = next < end ? next : end;
    if (at < end && (*index >= PAGES || (pages >> *index & 1) != 0)) {
      memcpy(c->data + at, o->data.data + (at - o->at), stop - at);
    }
    at = next;
  }
}

static size_t cut_step(const operation *o) {
  return everywhere || o->data.length < CUTS ? 1 : o->data.length / CUTS;
}

static size_t pages_of(const operation *o) {
  return o->data.length == 0 ? 0 : (o->at + o->data.length - 1) / page - o->at / page + 1;
}

/** The file's content after the first `crash` operations. */
static content content_of(unsigned long long inode, const content *start, size_t crash, const kept *k) {
  content c = {room(start != NULL ? start->length : 0), start != NULL ? start->length : 0};
  size_t synced = 0, step = 0, index = 0;
  if (start != NULL) {
    memcpy(c.data, start->data, start->length);
  }
  for (size_t i = 0; i < crash; i++) {
    synced = log_of.list[i].verb == SYNC && log_of.list[i].inode == inode ? i : synced;
  }
  for (size_t i = 0; i < crash; i++) {
    const operation *o = &log_of.list[i];
    bool sure = i < synced;
    if (o->inode != inode || (o->verb != WRITE && o->verb != TRUNCATE)) {
      continue;
    }
    step += !sure;
    if (!sure && step > k->steps) {
      break;
    }
    if (o->verb == TRUNCATE) {
      resize(&c, o->at);
    } else if (sure) {
      size_t none = PAGES;
      write_pages(&c, o, o->data.length, 0, &none);
    } else {
      write_pages(&c, o, step == k->steps && k->cut < o->data.length ? k->cut : o->data.length, k->pages,
                  &index);
    }
  }
  return c;
}

/* The folder as it may be */

/** A name and the file that it stands for, by its inode in the log; 0: one that the command does not touch. */
typedef struct entry {
  char name[NAME];
  unsigned long long inode;
} entry;

typedef struct names {
  entry list[FILES];
  size_t count;
} names;

static entry *named_entry(names *n, const char *name) {
  for (size_t i = 0; i < n->count; i++) {
    if (strcmp(n->list[i].name, name) == 0) {
      return &n->list[i];
    }
  }
  return NULL;
}

static void set_name(names *n, const char *name, unsigned long long inode) {
  entry *e = named_entry(n, name);
  if (e == NULL && n->count < FILES) {
    e = &n->list[n->count++];
    snprintf(e->name, NAME, "%s", name);
  }
  if (e != NULL) {
    e->inode = inode;
  }
}

static void remove_name(names *n, const char *name) {
  entry *e = named_entry(n, name);
  if (e != NULL) {
    *e = n->list[--n->count];
  }
}

/** Names at the crash: those synced, and of the others those kept. `changes` gets how many there are of these. */
static names names_at(size_t crash, unsigned bits, size_t *changes) {
  names n = {.count = 0};
  size_t synced = 0;
  *changes = 0;
  for (size_t i = 0; i < before.count; i++) {
    set_name(&n, before.files[i].name, 0);
  }
  for (size_t i = 0; i < crash; i++) {
    synced = log_of.list[i].verb == FOLDER ? i + 1 : synced;
  }
  for (size_t i = 0; i < crash; i++) {
    const operation *o = &log_of.list[i];
    bool change = o->verb == CREATE || o->verb == RENAME || o->verb == UNLINK;
    if (change && i >= synced && (bits >> (*changes)++ & 1) == 0) {
      continue;
    }
    entry *from = o->verb == RENAME ? named_entry(&n, o->name) : NULL;
    if (o->verb == OPEN || o->verb == CREATE) {
      set_name(&n, o->name, o->inode);
    } else if (from != NULL) {
      unsigned long long inode = from->inode;
      remove_name(&n, o->name);
      set_name(&n, o->other, inode);
    } else if (o->verb == UNLINK) {
      remove_name(&n, o->name);
    }
  }
  return n;
}

/** What the file held before the command. */
static const content *start_of(unsigned long long inode) {
  for (size_t i = 0; i < log_of.count; i++) {
    const operation *o = &log_of.list[i];
    if (o->verb == OPEN && o->inode == inode) {
      named *file = find(&before, o->name);
      return file != NULL ? &file->of : NULL;
    }
  }
  return NULL;
}

static folder state_at(size_t crash, const kept *k) {
  folder state = {.count = 0};
  size_t changes;
  names n = names_at(crash, k->names, &changes);
  for (size_t i = 0; i < n.count; i++) {
    named *file = &state.files[state.count++], *old = find(&before, n.list[i].name);
    const content *start = n.list[i].inode != 0 ? start_of(n.list[i].inode) : old != NULL ? &old->of : NULL;
    snprintf(file->name, NAME, "%s", n.list[i].name);
    file->of = content_of(n.list[i].inode, start, n.list[i].inode != 0 ? crash : 0, k);
  }
  return state;
}

/* What must be true of it */

static bool equal(const content *a, const content *b) {
  return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

static const char *judge_files(folder *state, bool acknowledged) {
  for (size_t i = 0; i < after.count; i++) {
    const named *new = &after.files[i];
    named *now = find(state, new->name), *old = find(&before, new->name);
    bool same = now != NULL && equal(&now->of, &new->of);
    bool as_before = old != NULL && now != NULL && equal(&now->of, &old->of);
    if (strcmp(new->name, ledger_name) != 0 && !same && (acknowledged || (old != NULL && !as_before))) {
      return "a file is neither as before nor as after";
    }
  }
  return NULL;
}

static bool begins_with(const content *whole, const content *start) {
  return whole->length >= start->length && memcmp(whole->data, start->data, start->length) == 0;
}

/** Continues the ledger of the state; what is there then must be acknowledged entries, those of the command or none of
 * them, and the new one. */
static const char *judge_ledger(const char *path, bool acknowledged) {
  static char why[600];
  roof_error error = {0};
  roof_ledger_summary summary;
  roof_sealing next = {.label = "after the crash",
                       .regime = "memory",
                       .binding = "HBM",
                       .lower_seconds = 1,
                       .upper_seconds = 2,
                       .expected_seconds = 1.5};
  if (roof_ledger_seal(path, &next, 1, NULL, &error) != ROOF_OK ||
      roof_ledger_verify(path, NULL, &summary, &error) != ROOF_OK) {
    snprintf(why, sizeof why, "%d: %s", error.line, error.message);
    return why;
  }
  content now = read_content(path);
  char *last = memrchr(now.data, '\n', now.length - 1);
  content entries = {now.data, last != NULL ? (size_t)(last + 1 - now.data) : 0};
  bool whole =
      equal(&entries, &acknowledged_after) || (!acknowledged && equal(&entries, &acknowledged_before));
  bool has = begins_with(&entries, acknowledged ? &acknowledged_after : &acknowledged_before);
  free(now.data);
  return !has ? "an acknowledged entry is gone" : !whole ? "a part of an append is there" : NULL;
}

static void clear_place(void) {
  char path[512];
  DIR *all = opendir(place);
  for (struct dirent *e = all != NULL ? readdir(all) : NULL; e != NULL; e = readdir(all)) {
    snprintf(path, sizeof path, "%s/%s", place, e->d_name);
    unlink(path);
  }
  closedir(all);
}

static void lay_out(const folder *state) {
  char path[512];
  clear_place();
  for (size_t i = 0; i < state->count; i++) {
    snprintf(path, sizeof path, "%s/%s", place, state->files[i].name);
    FILE *file = fopen(path, "wb");
    if (file == NULL ||
        fwrite(state->files[i].of.data, 1, state->files[i].of.length, file) != state->files[i].of.length ||
        fclose(file) != 0) {
      die(path);
    }
  }
}

static void remove_state(folder *state) {
  for (size_t i = 0; i < state->count; i++) {
    free(state->files[i].of.data);
  }
}

static void try_state(size_t crash, const kept *k) {
  char path[512];
  bool acknowledged = crash == log_of.count;
  bool chosen = stride > 0 && counted % stride == 0;
  counted++;
  if (!chosen && (stride == 0 || !acknowledged || k->pages > 0)) {
    return;
  }
  folder state = state_at(crash, k);
  lay_out(&state);
  snprintf(path, sizeof path, "%s/%s", place, ledger_name);
  const char *why = judge_files(&state, acknowledged);
  why = why != NULL ? why : judge_ledger(path, acknowledged);
  tried++;
  if (why != NULL) {
    lost++;
  }
  if (why != NULL && lost <= SHOWN) {
    printf("lost: after %zu of %zu operations, pages %x, steps %zu, %zu bytes of the last, names %x: %s\n",
           crash, log_of.count, k->pages, k->steps, k->cut, k->names, why);
  }
  remove_state(&state);
}

/* All states */

/** What was not synced at a crash: writes and truncations of the file that has most, and pages of these. */
typedef struct open_work {
  size_t steps, pages, names;
  const operation *last; /**< write */
} open_work;

static open_work work_at(size_t crash) {
  open_work work = {.steps = 0};
  (void)names_at(crash, 0, &work.names);
  for (size_t i = 0; i < crash; i++) {
    const operation *o = &log_of.list[i];
    bool open = o->verb == WRITE || o->verb == TRUNCATE;
    for (size_t j = i + 1; j < crash && open; j++) {
      open = log_of.list[j].verb != SYNC || log_of.list[j].inode != o->inode;
    }
    if (open) {
      work.steps++;
      work.pages += pages_of(o);
      work.last = o->verb == WRITE ? o : work.last;
    }
  }
  return work;
}

/** How many places the file may end at in its last write: its end, each page, and every `cut_step` bytes. */
static size_t cuts_of(const operation *o) {
  return o == NULL ? 1 : 1 + pages_of(o) + o->data.length / cut_step(o);
}

/** The bytes of the last write up to such a place. */
static size_t cut_at(const operation *o, size_t index) {
  if (index == 0) {
    return SIZE_MAX;
  }
  return index <= pages_of(o) ? (o->at / page + index) * page - o->at
                              : (index - pages_of(o)) * cut_step(o) - 1;
}

static void try_crash(size_t crash) {
  open_work work = work_at(crash);
  size_t cuts = cuts_of(work.last);
  unsigned pages = 1U << (work.pages < PAGES ? work.pages : PAGES);
  for (unsigned mask = 0; mask < 1U << work.names; mask++) {
    for (size_t steps = 0; steps <= work.steps; steps++) {
      for (size_t cut = 0; cut < (steps > 0 ? cuts : 1); cut++) {
        for (unsigned bits = 0; bits < (steps > 0 ? pages : 1); bits++) {
          const kept k = {.pages = bits, .steps = steps, .cut = cut_at(work.last, cut), .names = mask};
          try_state(crash, &k);
        }
      }
    }
  }
}

static void try_all(void) {
  for (size_t crash = 0; crash <= log_of.count; crash++) {
    try_crash(crash);
  }
}

/** The entries of a ledger without a torn end. */
static content entries_of(folder *f) {
  named *file = find(f, ledger_name);
  roof_ledger_entries entries = {0};
  ledger_end end = {.length = 0};
  if (file != NULL &&
      rf_ledger_read_end(file->of.data, file->of.length, ledger_name, &entries, &end, NULL) != ROOF_OK) {
    die("the ledger does not hold");
  }
  free(entries.entries);
  return (content){file != NULL ? file->of.data : "", end.length};
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: crash-replay BEFORE AFTER LOG LEDGER [MOST [PAGE]]\n");
    return 2;
  }
  ledger_name = argv[4];
  before = read_folder(argv[1]);
  after = read_folder(argv[2]);
  read_log(argv[3]);
  acknowledged_before = entries_of(&before);
  acknowledged_after = entries_of(&after);
  snprintf(place, sizeof place, "%s/crash.%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
           (long)getpid());
  page = argc > 6 ? strtoull(argv[6], NULL, 10) : page;
  everywhere = argc > 6;
  if (mkdir(place, 0700) != 0) {
    die(place);
  }
  try_all(); /* counts them */
  size_t most = argc > 5 ? strtoull(argv[5], NULL, 10) : counted, all = counted;
  stride = most > 0 && all > most ? ((all + most - 1) / most) | 1 : 1; /* odd: not the same pages each time */
  counted = tried = lost = 0;
  try_all();
  printf("%zu states tried of %zu, %zu lost\n", tried, all, lost);
  clear_place();
  return rmdir(place) != 0 || lost > 0 || tried == 0;
}
