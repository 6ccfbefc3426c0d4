/* Records found by name, texts kept once, samples chosen evenly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/digest.h"
#include "core/number.h"
#include "import/_demangle.h"
#include "import/_timeline.h"
#include "import/import.h"

/** Texts, and an open-addressing table from a text to its number. */
typedef struct texts {
  char **list;
  size_t count, room;
  uint32_t *slots; /* number + 1; 0: free */
  size_t slot_count;
} texts;

/** The counts that a record points to. */
typedef struct counts {
  roof_count flops[ROOF_DTYPE_COUNT][ROOF_UNIT_COUNT], other_flops[ROOF_DTYPE_COUNT],
      bytes[ROOF_LEVEL_KIND_COUNT];
  const char *why;     /* why they are missing in all records that share them; NULL: one record's own */
  struct counts *next; /* that are shared */
} counts;

struct roof_profile_store {
  texts texts;
  counts *shared;
  uint32_t *record_of; /* by text: number of its record + 1 */
  size_t record_of_room;
  size_t record_room, skip_room, fact_room;
  uint64_t random;
  bool failed;
};

static uint64_t hash_of(const char *text, size_t length) {
  uint64_t hash = rf_digest(text, length);
  return hash ^ hash >> 29;
}

/** Room for `need` elements. What is not used is not touched, and takes no memory where lists are large. */
static bool reserve(void *list, size_t *room, size_t need, size_t size) {
  if (need <= *room) {
    return true;
  }
  size_t more = need + need / 2 + 8;
  char *grown = realloc(*(void **)list, more * size);
  if (grown == NULL) {
    return false;
  }
  *(void **)list = grown;
  *room = more;
  return true;
}

static bool rehash(texts *t) {
  size_t count = t->slot_count == 0 ? 64 : t->slot_count * 2;
  uint32_t *slots = calloc(count, sizeof *slots);
  if (slots == NULL) {
    return false;
  }
  for (size_t i = 0; i < t->count; i++) {
    size_t at = hash_of(t->list[i], strlen(t->list[i])) & (count - 1);
    while (slots[at] != 0) {
      at = (at + 1) & (count - 1);
    }
    slots[at] = (uint32_t)i + 1;
  }
  free(t->slots);
  t->slots = slots;
  t->slot_count = count;
  return true;
}

/** Number of the text, added when it is new; SIZE_MAX when out of memory. */
static size_t number_of(texts *t, const char *text, size_t length) {
  if ((t->count + 1) * 2 > t->slot_count && !rehash(t)) {
    return SIZE_MAX;
  }
  size_t at = hash_of(text, length) & (t->slot_count - 1);
  for (; t->slots[at] != 0; at = (at + 1) & (t->slot_count - 1)) {
    const char *there = t->list[t->slots[at] - 1];
    if (strncmp(there, text, length) == 0 && there[length] == '\0') {
      return t->slots[at] - 1;
    }
  }
  char *copy = reserve(&t->list, &t->room, t->count + 1, sizeof *t->list) ? malloc(length + 1) : NULL;
  if (copy == NULL) {
    return SIZE_MAX;
  }
  memcpy(copy, text, length);
  copy[length] = '\0';
  t->list[t->count] = copy;
  t->slots[at] = (uint32_t)t->count + 1;
  return t->count++;
}

/** As number_of, for bytes that may be no UTF-8 and may hold a NUL, where the text ends. */
static size_t clean_number(roof_profile *profile, const char *text, size_t length) {
  struct roof_profile_store *store = profile->store;
  length = strnlen(text, length);
  roof_text clean = {0};
  for (size_t i = 0, step; i < length; i += step) {
    step = roof_text_shown(text + i);
    bool whole = step > 0 && i + step <= length;
    bool white = text[i] == '\n' || text[i] == '\t' || text[i] == '\r';
    roof_text_add(&clean, whole ? "" : white ? " " : "\xEF\xBF\xBD");
    roof_text_add_bytes(&clean, text + i, whole ? step : 0);
    step = whole ? step : 1;
  }
  size_t number =
      clean.failed ? SIZE_MAX : number_of(&store->texts, clean.data != NULL ? clean.data : "", clean.length);
  roof_text_done(&clean);
  store->failed = store->failed || number == SIZE_MAX;
  return number;
}

const char *roof_profile_text(roof_profile *profile, const char *text) {
  size_t number = clean_number(profile, text, strlen(text));
  return number == SIZE_MAX ? "" : profile->store->texts.list[number];
}

const char *rf_import_textf(roof_profile *profile, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(text, sizeof text, format, arguments);
  va_end(arguments);
  return roof_profile_text(profile, text);
}

static void count_init(roof_count *count) {
  *count = (roof_count){.value = NAN, .source = ""};
}

static counts *counts_of(const roof_record *record) {
  return (counts *)(void *)record->flops;
}

roof_status roof_profile_init(roof_profile *profile, roof_error *error) {
  struct roof_profile_store *store = calloc(1, sizeof *store);
  if (store == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "profile: out of memory");
  }
  store->random = 0x9E3779B97F4A7C15u;
  *profile = (roof_profile){.device = "", .taken = NAN, .store = store};
  return ROOF_OK;
}

void roof_profile_done(roof_profile *profile) {
  for (size_t i = 0; i < profile->count; i++) {
    counts *own = counts_of(&profile->records[i]);
    free(own->why == NULL ? own : NULL);
    free(profile->records[i].samples);
    free(profile->records[i].counters);
    free(profile->records[i].rules);
    free(profile->records[i].lines);
    free(profile->records[i].ran);
    free(profile->records[i].run);
  }
  free(profile->records);
  free(profile->skips);
  free(profile->facts);
  free(profile->intervals);
  roof_machine_free(profile->machine);
  rf_import_timeline_free(profile->timeline);
  for (counts *c = profile->store != NULL ? profile->store->shared : NULL, *next; c != NULL; c = next) {
    next = c->next;
    free(c);
  }
  if (profile->store != NULL) {
    for (size_t i = 0; i < profile->store->texts.count; i++) {
      free(profile->store->texts.list[i]);
    }
    free(profile->store->texts.list);
    free(profile->store->texts.slots);
    free(profile->store->record_of);
    free(profile->store);
  }
  *profile = (roof_profile){.device = "", .taken = NAN};
}

static void record_init(roof_record *record, const char *name) {
  *record = (roof_record){.name = name,
                          .link = "",
                          .write_share = NAN,
                          .update_share = NAN,
                          .own_seconds = NAN,
                          .given = {.ceiling_seconds = NAN}};
  count_init(&record->other_bytes);
  count_init(&record->link_bytes);
  count_init(&record->items);
}

/** Counts that are missing, those of fp32 and of the memory for a reason. */
static counts *counts_new(const char *why) {
  counts *c = malloc(sizeof *c);
  if (c == NULL) {
    return NULL;
  }
  c->why = why;
  c->next = NULL;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      count_init(&c->flops[d][u]);
    }
    count_init(&c->other_flops[d]);
  }
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    count_init(&c->bytes[l]);
  }
  if (why != NULL) {
    c->flops[ROOF_FP32][ROOF_VECTOR].source = c->bytes[ROOF_MEMORY].source = why;
  }
  return c;
}

static void point_to(roof_record *record, counts *c) {
  record->flops = c->flops;
  record->other_flops = c->other_flops;
  record->bytes = c->bytes;
}

bool rf_import_own_counts(roof_profile *profile, roof_record *record) {
  counts *has = counts_of(record), *own = has->why == NULL ? has : malloc(sizeof *own);
  if (own == NULL) {
    profile->store->failed = true;
    return false;
  }
  if (own != has) {
    *own = *has;
    own->why = NULL;
    point_to(record, own);
  }
  return true;
}

/** The counts that all records share which have none for that reason. NULL when out of memory. */
static counts *shared_counts(roof_profile *profile, const char *why) {
  struct roof_profile_store *store = profile->store;
  for (counts *c = store->shared; c != NULL; c = c->next) {
    if (c->why == why) {
      return c;
    }
  }
  counts *fresh = counts_new(why);
  store->failed = store->failed || fresh == NULL;
  if (fresh != NULL) {
    fresh->next = store->shared;
    store->shared = fresh;
  }
  return fresh;
}

/** The number of a text that stands for a name and its part; no name has the byte between them. */
static size_t part_number(roof_profile *profile, const char *part, size_t name) {
  roof_text key = {0};
  roof_text_addf(&key, "%s\x1f%s", profile->store->texts.list[name], part);
  size_t number = key.failed ? SIZE_MAX : number_of(&profile->store->texts, key.data, key.length);
  roof_text_done(&key);
  return number;
}

/** Adds a record, with counts that are its own where no reason is given why it has none. */
static bool add_record(roof_profile *profile, const char *name, const char *part, const char *why) {
  struct roof_profile_store *store = profile->store;
  counts *c = why == NULL ? counts_new(NULL) : shared_counts(profile, why);
  if (c == NULL ||
      !reserve(&profile->records, &store->record_room, profile->count + 1, sizeof *profile->records)) {
    free(why == NULL ? c : NULL);
    store->failed = true;
    return false;
  }
  roof_record *record = &profile->records[profile->count++];
  record_init(record, name);
  point_to(record, c);
  record->part = part != NULL ? roof_profile_text(profile, part) : NULL;
  return true;
}

/** The number of a kernel's name: as C++ writes it where the file has it as a linker does. */
static size_t name_number(roof_profile *profile, const char *name, size_t length) {
  bool starved = false;
  char *plain = rf_demangled(name, length, &starved);
  profile->store->failed = profile->store->failed || starved;
  size_t number = clean_number(profile, plain != NULL ? plain : name, plain != NULL ? strlen(plain) : length);
  free(plain);
  return number;
}

roof_record *rf_import_uncounted(roof_profile *profile, const char *part, const char *name, size_t length,
                                 const char *why) {
  struct roof_profile_store *store = profile->store;
  size_t named = name_number(profile, name, length);
  size_t number = named == SIZE_MAX || part == NULL ? named : part_number(profile, part, named);
  size_t room = store->record_of_room;
  if (number == SIZE_MAX ||
      !reserve(&store->record_of, &store->record_of_room, number + 1, sizeof *store->record_of)) {
    store->failed = true;
    return NULL;
  }
  memset(store->record_of + room, 0, (store->record_of_room - room) * sizeof *store->record_of);
  if (store->record_of[number] == 0) {
    if (!add_record(profile, store->texts.list[named], part, why)) {
      return NULL;
    }
    store->record_of[number] = (uint32_t)profile->count;
  }
  roof_record *record = &profile->records[store->record_of[number] - 1];
  bool same = why != NULL && counts_of(record)->why == why;
  return same || rf_import_own_counts(profile, record) ? record : NULL;
}

roof_record *rf_import_part(roof_profile *profile, const char *part, const char *name, size_t length) {
  return rf_import_uncounted(profile, part, name, length, NULL);
}

roof_record *rf_import_record(roof_profile *profile, const char *name, size_t length) {
  return rf_import_part(profile, NULL, name, length);
}

static uint64_t next_random(struct roof_profile_store *store) {
  store->random ^= store->random << 13;
  store->random ^= store->random >> 7;
  store->random ^= store->random << 17;
  return store->random;
}

/** Keeps the sample; after the first ROOF_IMPORT_SAMPLES it may replace one of them, so that every sample of
 * the file has the same chance to be kept (algorithm R). */
void rf_import_sample(roof_profile *profile, roof_record *record, double seconds) {
  struct roof_profile_store *store = profile->store;
  uint64_t nth = record->sampled++;
  if (nth >= ROOF_IMPORT_SAMPLES) {
    uint64_t place = next_random(store) % (nth + 1);
    if (place < ROOF_IMPORT_SAMPLES) {
      record->samples[place] = seconds;
    }
    return;
  }
  bool full = (nth & (nth - 1)) == 0; /* room for 1, 2, 4, 8, ... samples */
  if (full) {
    double *more = realloc(record->samples, (nth == 0 ? 1 : nth * 2) * sizeof *more);
    if (more == NULL) {
      store->failed = true;
      record->sampled--;
      return;
    }
    record->samples = more;
  }
  record->samples[record->sample_count++] = seconds;
}

void rf_import_calls(roof_record *record, uint64_t calls, uint64_t picoseconds) {
  record->calls += calls;
  bool over = __builtin_add_overflow(record->picoseconds, picoseconds, &record->picoseconds);
  record->picoseconds = over ? UINT64_MAX : record->picoseconds;
  record->timed = true;
}

void rf_import_give(roof_record *record, const roof_given *given, double calls, bool first) {
  roof_given *all = &record->given;
  *all = first ? (roof_given){.achieved = false, .launched = true} : *all;
  all->ceiling_seconds += calls * given->ceiling_seconds;
  all->limit_seconds += calls * given->limit_seconds;
  all->fastest_seconds += calls * given->fastest_seconds;
  all->slowest_seconds += calls * given->slowest_seconds;
  all->achieved |= given->achieved;
  all->launched &= given->launched;
}

void roof_profile_drop_ceilings(roof_profile *profile) {
  for (size_t i = 0; i < profile->count; i++) {
    profile->records[i].given.ceiling_seconds = NAN;
  }
}

void rf_import_call(roof_profile *profile, roof_record *record, uint64_t picoseconds) {
  rf_import_calls(record, 1, picoseconds);
  rf_import_sample(profile, record, (double)picoseconds * 1e-12);
}

bool rf_import_picoseconds(double seconds, uint64_t *picoseconds) {
  if (!(seconds >= 0) || seconds > 1e6) {
    return false;
  }
  *picoseconds = (uint64_t)llround(seconds * 1e12);
  return true;
}

void rf_import_add(roof_count *count, double value, const char *source, roof_quality quality) {
  if (!(value >= 0 && value < INFINITY)) {
    rf_import_missing(count, isnan(value) ? source : "its counters contradict each other");
    return;
  }
  bool first = isnan(count->value);
  count->value = first ? value : count->value + value;
  count->quality = first || quality > count->quality ? quality : count->quality;
  count->source = source;
}

void rf_import_missing(roof_count *count, const char *why) {
  if (isnan(count->value)) {
    count->source = why;
  }
}

void rf_import_counter(roof_profile *profile, roof_record *record, const char *name, double value,
                       double seconds) {
  if (isnan(value)) {
    return;
  }
  for (size_t i = 0; i < record->counter_count; i++) {
    roof_counter *c = &record->counters[i];
    if (strcmp(c->name, name) == 0) {
      double weight = c->weight + seconds;
      c->value = weight > 0 ? (c->value * c->weight + value * seconds) / weight : value;
      c->weight = weight;
      return;
    }
  }
  roof_counter *more = realloc(record->counters, (record->counter_count + 1) * sizeof *more);
  if (more == NULL) {
    profile->store->failed = true;
    return;
  }
  more[record->counter_count++] = (roof_counter){name, value, seconds};
  record->counters = more;
}

void rf_import_rule(roof_profile *profile, roof_record *record, const roof_rule *said) {
  roof_rule rule = *said;
  rule.name = roof_profile_text(profile, said->name);
  rule.text = roof_profile_text(profile, said->text);
  for (size_t i = 0; i < record->rule_count; i++) {
    if (record->rules[i].name == rule.name) {
      record->rules[i] = rule.speedup > record->rules[i].speedup ? rule : record->rules[i];
      return;
    }
  }
  roof_rule *more = realloc(record->rules, (record->rule_count + 1) * sizeof *more);
  if (more == NULL) {
    profile->store->failed = true;
    return;
  }
  more[record->rule_count++] = rule;
  record->rules = more;
}

void rf_import_starved(roof_profile *profile) {
  profile->store->failed = true;
}

void rf_import_keep_ran(roof_profile *profile, roof_record *record, const roof_ran *ran) {
  roof_ran *kept = malloc(sizeof *kept);
  if (kept == NULL) {
    profile->store->failed = true;
    return;
  }
  *kept = *ran;
  kept->device = roof_profile_text(profile, ran->device);
  kept->how = roof_profile_text(profile, ran->how);
  free(record->ran);
  record->ran = kept;
}

void rf_import_skip(roof_profile *profile, const char *what, const char *why) {
  rf_import_skips(profile, what, why, 1);
}

void rf_import_cut(roof_profile *profile, const char *why) {
  profile->truncated = true;
  rf_import_skip(profile, "the end of the file", why);
}

void rf_import_skips(roof_profile *profile, const char *what, const char *why, uint64_t times) {
  const char *kept = roof_profile_text(profile, what), *reason = roof_profile_text(profile, why);
  for (size_t i = 0; i < profile->skip_count; i++) {
    if (profile->skips[i].what == kept && profile->skips[i].why == reason) {
      profile->skips[i].times += times;
      return;
    }
  }
  if (!reserve(&profile->skips, &profile->store->skip_room, profile->skip_count + 1,
               sizeof *profile->skips)) {
    profile->store->failed = true;
    return;
  }
  profile->skips[profile->skip_count++] = (roof_skip){kept, reason, times};
}

void rf_import_fact(roof_profile *profile, const char *name, double value, const char *text) {
  roof_fact fact = {roof_profile_text(profile, name), value,
                    text != NULL ? roof_profile_text(profile, text) : NULL};
  for (size_t i = 0; i < profile->fact_count; i++) {
    if (profile->facts[i].name == fact.name) {
      profile->facts[i] = fact;
      return;
    }
  }
  if (!reserve(&profile->facts, &profile->store->fact_room, profile->fact_count + 1,
               sizeof *profile->facts)) {
    profile->store->failed = true;
    return;
  }
  profile->facts[profile->fact_count++] = fact;
}

void rf_import_device(roof_profile *profile, const char *name) {
  const char *kept = roof_profile_text(profile, name);
  if (profile->device[0] == '\0') {
    profile->device = kept;
  } else if (profile->device != kept && kept[0] != '\0') {
    rf_import_fact(profile, IMPORT_ANOTHER_DEVICE, NAN, kept);
  }
}

void rf_import_copy_machine(roof_profile *profile, const roof_machine *machine) {
  profile->machine = roof_machine_copy(machine);
  profile->store->failed = profile->store->failed || profile->machine == NULL;
}

roof_machine *rf_import_machine(roof_profile *profile) {
  if (profile->machine == NULL) {
    profile->machine = roof_machine_new();
    if (profile->machine == NULL) {
      profile->store->failed = true;
      return NULL;
    }
    profile->machine->kind = ROOF_MEASURED;
  }
  return profile->machine;
}

roof_status rf_import_settled(const roof_profile *profile, roof_error *error) {
  return profile->store->failed ? roof_error_set(error, ROOF_E_MEMORY, "profile: out of memory") : ROOF_OK;
}

/** Adds a known value to *sum; whether it is the largest so far. */
static bool add_known(double value, double *sum, double *largest) {
  if (isnan(value)) {
    return false;
  }
  bool most = value > *largest;
  *sum = isnan(*sum) ? value : *sum + value;
  *largest = most ? value : *largest;
  return most;
}

double roof_record_flops(const roof_record *record, roof_dtype *most, roof_unit *unit) {
  double sum = NAN, largest = -1;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    bool larger = add_known(record->other_flops[d].value, &sum, &largest);
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      if (add_known(record->flops[d][u].value, &sum, &largest)) {
        larger = true;
        if (unit != NULL) {
          *unit = (roof_unit)u;
        }
      }
    }
    if (larger && most != NULL) {
      *most = (roof_dtype)d;
    }
  }
  return sum;
}

double roof_record_bytes(const roof_record *record, roof_level_kind *level) {
  for (int l = ROOF_LEVEL_KIND_COUNT - 1; l >= 0; l--) {
    if (!isnan(record->bytes[l].value)) {
      if (level != NULL) {
        *level = (roof_level_kind)l;
      }
      return record->bytes[l].value;
    }
  }
  return record->other_bytes.value;
}

double roof_record_counter(const roof_record *record, const char *name) {
  for (size_t i = 0; i < record->counter_count; i++) {
    if (strcmp(record->counters[i].name, name) == 0) {
      return record->counters[i].value;
    }
  }
  return NAN;
}
