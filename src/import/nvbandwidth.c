/* nvbandwidth, text and --format json: a matrix of bandwidths in GB/s for each test. One-way copies between host and device and
 * between devices are links of a machine, the best pair of each: NVIDIA/nvbandwidth, output.cpp and json_output.cpp. */
#include <math.h>
#include <string.h>

#include "documents/json.h"
#include "import/_ceilings.h"
#include "import/_json.h"

static const char running[] = "Running ";

static int detect(const char *text, size_t size) {
  (void)size;
  bool json = text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"nvbandwidth\"") != NULL;
  bool printed = strstr(text, "nvbandwidth Version") != NULL ||
                 (strstr(text, running) != NULL && strstr(text, "(row) ") != NULL &&
                  strstr(text, "bandwidth (GB/s)") != NULL);
  return json ? 95 : printed ? 90 : 0;
}

/** Faster than 16 lanes of PCIe 6.0 can be is another link to the host, such as that of a Grace Hopper. */
#define PCIE_FASTEST 126e9

/** Gives the machine the best bandwidth of a test; what is no link in one direction is listed. */
static void add_test(roof_profile *profile, const char *test, double rate) {
  bool host =
      strncmp(test, "host_to_device_memcpy", 21) == 0 || strncmp(test, "device_to_host_memcpy", 21) == 0;
  bool devices = strncmp(test, "device_to_device_memcpy", 23) == 0;
  const char *source = rf_import_textf(profile, "nvbandwidth %.80s, best pair", test);
  if (!(rate > 0 && rate < 1e15)) {
    rf_import_skip(profile, test, "no bandwidth was measured");
  } else if (host || devices) {
    rf_ceilings_link(profile,
                     devices                ? "device to device"
                     : rate <= PCIE_FASTEST ? "PCIe"
                                            : "host to device",
                     rate, NAN, source);
  } else {
    rf_import_skip(profile, test, "not a copy in one direction between two");
  }
}

static roof_status read_json(roof_source *source, roof_profile *profile, roof_error *error) {
  json_t *document = NULL, *test, *row, *cell;
  size_t i, k, c;
  roof_status status = rf_import_document(source, &document, error);
  if (status != ROOF_OK) {
    return status;
  }
  json_array_foreach(json_object_get(json_object_get(document, "nvbandwidth"), "testcases"), i, test) {
    double best = NAN;
    json_array_foreach(json_object_get(test, "bandwidth_matrix"), k, row) {
      json_array_foreach(row, c, cell) {
        best = fmax(best, rf_import_number_of(cell));
      }
    }
    add_test(profile, rf_import_member_text(test, "name"), best * 1e9);
  }
  json_decref(document);
  return ROOF_OK;
}

/** The test whose matrix is being read. */
typedef struct reading {
  roof_profile *profile;
  char test[96], device[96];
  double best;
} reading;

static void end_test(reading *r) {
  if (r->test[0] != '\0') {
    add_test(r->profile, r->test, r->best * 1e9);
  }
  r->test[0] = '\0';
  r->best = NAN;
}

/** A row of a matrix: its number, then a bandwidth for each device, of which one at least has a point. */
static void take_row(reading *r, char *line) {
  char *words[130];
  bool row = strchr(line, '.') != NULL && line[strspn(line, "0123456789. \tN/A\r")] == '\0';
  int count = row ? rf_import_words(line, words, 130) : 0;
  for (int i = 1; i < count; i++) {
    r->best = fmax(r->best, rf_import_number(words[i], NULL));
  }
}

static void take_line(reading *r, char *line) {
  const char *name = strncmp(line, "Device ", 7) == 0 ? strstr(line, ": ") : NULL;
  if (strncmp(line, running, sizeof running - 1) == 0) {
    end_test(r);
    snprintf(r->test, sizeof r->test, "%.*s", (int)strcspn(line + sizeof running - 1, ". \r"),
             line + sizeof running - 1);
  } else if (name != NULL && r->device[0] == '\0') {
    snprintf(r->device, sizeof r->device, "%.*s", (int)strcspn(name + 2, "(\r"), name + 2);
    for (size_t length = strlen(r->device); length > 0 && r->device[length - 1] == ' '; length--) {
      r->device[length - 1] = '\0';
    }
  } else if (r->test[0] != '\0') {
    take_row(r, line);
  }
}

static void read_text(roof_source *source, reading *r) {
  size_t length = 0;
  for (char *line; (line = rf_import_line(source, &length)) != NULL;) {
    take_line(r, line);
  }
  end_test(r);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  size_t size = 0;
  const char *head = rf_import_head(source, &size);
  reading r = {.profile = profile, .best = NAN};
  roof_status status = ROOF_OK;
  if (head[strspn(head, " \t\r\n")] == '{') {
    status = read_json(source, profile, error);
  } else {
    read_text(source, &r);
    status = rf_import_failed(source, error);
  }
  if (status == ROOF_OK && (profile->machine == NULL || profile->machine->link_count == 0)) {
    return rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                           "no copy between a host and a device or between devices");
  }
  if (status == ROOF_OK) {
    rf_ceilings_name(profile, r.device, "nvbandwidth");
    snprintf(profile->machine->device_class, sizeof profile->machine->device_class, "gpu");
  }
  return status;
}

const roof_format rf_format_nvbandwidth = {
    .name = "nvbandwidth",
    .title = "nvbandwidth output, JSON",
    .gives =
        "a machine: its links to the host and between devices; --to FILE.json writes it as a machine file",
    .detect = detect,
    .read = read,
};
