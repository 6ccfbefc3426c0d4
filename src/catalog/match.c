/* "NVIDIA A100 80GB PCIe" is the catalogue's nvidia-a100-pcie-80gb: compared word by word. */
#include <stdio.h>
#include <string.h>

#include "catalog/match.h"
#include "roofline/catalog.h"

static bool has(const rf_words *w, const char *word) {
  for (int i = 0; i < w->count; i++) {
    if (strcmp(w->list[i], word) == 0) {
      return true;
    }
  }
  return false;
}

/** True when `word` is one of the aliases, which stand between blanks. */
static bool is_alias(const char *aliases, const char *word) {
  size_t length = strlen(word);
  for (const char *at = aliases; (at = strstr(at, word)) != NULL; at += length) {
    if ((at == aliases || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

/** True for a word that many models have: it distinguishes none of them. */
static bool is_brand(const char *word) {
  static const char *const brands[] = {"amd",   "nvidia", "intel", "apple", "radeon", "instinct", "geforce",
                                       "tesla", "quadro", "rtx",   "gtx",   "arc",    "graphics", "gpu"};
  for (size_t i = 0; i < sizeof brands / sizeof brands[0]; i++) {
    if (strcmp(word, brands[i]) == 0) {
      return true;
    }
  }
  return false;
}

/** How well a catalogue entry fits: words in common count for it, words of its name that the device lacks a
 * little against it, and a little for the one whose name is the bare word. The device's first word (a100,
 * mi300x) must be there, and a word that is no brand. */
static int score(const rf_words *device, const char *name, const char *aliases) {
  rf_words ours = {0};
  rf_catalog_words(name, &ours);
  rf_words all = ours;
  rf_catalog_words(aliases, &all);
  int common = 0, distinct = 0, missing = 0;
  for (int i = 0; i < device->count; i++) {
    bool here = has(&all, device->list[i]);
    common += here;
    distinct += here && !is_brand(device->list[i]);
  }
  for (int i = 0; i < ours.count; i++) {
    missing += !has(device, ours.list[i]);
  }
  int points = 8 * common - 2 * missing + is_alias(aliases, device->list[0]);
  return distinct > 0 && has(&all, device->list[0]) ? points : 0;
}

/** True for a word that makes another model of the same number. */
static bool is_variant(const char *word) {
  static const char *const variants[] = {"ti", "super", "laptop", "mobile", "max"};
  for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
    if (strcmp(word, variants[i]) == 0) {
      return true;
    }
  }
  return false;
}

/** True for a word that makes another card: an RTX 4070 Ti is no RTX 4070 Ti SUPER. */
static bool is_card(const char *word) {
  return strcmp(word, "ti") == 0 || strcmp(word, "super") == 0;
}

/** True where the device says a size of memory and the entry has sizes, but none that the device says. */
static bool is_other_size(const rf_words *device, const char *name, const char *aliases) {
  bool other = false;
  for (int i = 0; i < device->count; i++) {
    if (rf_catalog_is_size(device->list[i])) {
      if (!rf_catalog_other_size(name, aliases, device->list[i])) {
        return false;
      }
      other = true;
    }
  }
  return other;
}

/** True when every word of the device with a digit in it (the model's number) is the entry's too: an A100 80GB is
 * no A10, and an RTX 3090 Ti no RTX 3090. A device without a number is one whose name has all words
 * of the entry's: "AMD Radeon Graphics" may be any. */
static bool same_model(const rf_words *device, const char *name, const char *aliases) {
  rf_words ours = {0};
  rf_catalog_words(name, &ours);
  rf_words all = ours;
  rf_catalog_words(aliases, &all);
  bool numbered = false, whole = true;
  for (int i = 0; i < ours.count; i++) {
    whole &= has(device, ours.list[i]);
    if (is_card(ours.list[i]) && !has(device, ours.list[i])) {
      return false;
    }
  }
  for (int i = 0; i < device->count; i++) {
    const char *word = device->list[i];
    bool size = rf_catalog_is_size(word);
    bool model = strpbrk(word, "0123456789") != NULL || is_variant(word);
    if (model && !size && !has(&all, word)) {
      return false;
    }
    numbered |= model && !size;
  }
  return (numbered || whole) && !is_other_size(device, name, aliases);
}

/** The entry that shares most words with the device. */
static roof_status load_nearest(const char *device, roof_machine **machine, roof_error *error) {
  rf_words wanted = {0};
  rf_catalog_words(device, &wanted);
  roof_catalog_list list;
  roof_status status = roof_catalog_list_all(&list, error);
  if (status != ROOF_OK) {
    return status;
  }
  const char *best = NULL;
  int most = 0;
  for (size_t i = 0; i < list.count && wanted.count > 0; i++) {
    const roof_catalog_entry *e = &list.entries[i];
    int points = same_model(&wanted, e->name, e->aliases) ? score(&wanted, e->name, e->aliases) : 0;
    if (points > most) {
      most = points;
      best = e->name;
    }
  }
  status = best != NULL
               ? roof_catalog_load(best, machine, error)
               : roof_error_set(error, ROOF_E_NAME,
                                "device `%s`: not in the catalogue; name one with --machine", device);
  roof_catalog_list_done(&list);
  return status;
}

roof_status roof_catalog_match(const char *device, roof_machine **machine, roof_error *error) {
  roof_error why = {0};
  roof_status status = roof_catalog_load_device(device, machine, &why);
  return status == ROOF_OK         ? ROOF_OK
         : status == ROOF_E_MEMORY ? roof_error_set(error, status, "%s", why.message)
                                   : load_nearest(device, machine, error);
}

roof_status roof_catalog_match_or_copy(const char *device, const roof_machine *reported,
                                       roof_machine **machine, roof_error *error) {
  roof_machine *found = NULL;
  roof_status status = device[0] != '\0' ? roof_catalog_match(device, &found, NULL) : ROOF_E_NAME;
  if (status != ROOF_OK && status != ROOF_E_MEMORY) {
    found = reported != NULL ? roof_machine_copy(reported) : NULL;
  }
  if (status == ROOF_E_MEMORY || (found == NULL && reported != NULL)) {
    return roof_error_set(error, ROOF_E_MEMORY, "device `%s`: out of memory", device);
  }
  if (found != NULL && found->name[0] == '\0') {
    snprintf(found->name, sizeof found->name, "%s", "reported-device");
  }
  *machine = found;
  return ROOF_OK;
}
