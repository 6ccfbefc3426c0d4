/* Finds a model: a config.json, the folder that holds one, or one of data/models by its short name. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalog/builtin.h"
#include "core/letters.h"
#include "host/file.h"
#include "roofline/weights.h"
#include "weights/config.h"
#include "weights/gguf.h"
#include "weights/safetensors.h"

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool has_ending(const char *name, const char *ending) {
  size_t length = strlen(name), size = strlen(ending);
  return length > size && strcmp(name + length - size, ending) == 0;
}

static bool is_path(const char *name) {
  return strchr(name, '/') != NULL || rf_file_is_input(name) || has_ending(name, ".json") ||
         has_ending(name, ".gguf") || has_ending(name, ".safetensors");
}

roof_model_entry roof_model_entry_at(size_t index) {
  bool known = index < rf_builtin_model_count;
  const rf_builtin *b = &rf_builtin_models[known ? index : rf_builtin_model_count];
  return (roof_model_entry){b->name, b->aliases};
}

/** True when `name` is one of `words`, which single spaces separate; case ignored. */
static bool is_word_of(const char *name, const char *words) {
  size_t length = strlen(name);
  for (const char *at = words; *at != '\0';) {
    size_t span = strcspn(at, " ");
    if (span == length && rf_letters_compare_some(at, name, length) == 0) {
      return true;
    }
    at += span + (at[span] == ' ');
  }
  return false;
}

/** Goes past the words of a model's name that say how it was trained or published, not what it is. */
static const char *next_word(const char *name, size_t *length) {
  static const char *const left_out[] = {"meta", "instruct", "chat", "it",     "hf",   "pt",
                                         "v0.1", "v0.2",     "v0.3", "v1",     "2407", "2501",
                                         "2507", "thinking", "bf16", "dynamic"};
  for (bool again = true; again;) {
    name += strspn(name, "-_");
    *length = strcspn(name, "-_");
    again = false;
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
      again = again ||
              (strlen(left_out[i]) == *length && rf_letters_compare_some(left_out[i], name, *length) == 0);
    }
    name += again ? *length : 0;
  }
  return name;
}

/** True when both are one model: `Meta-Llama-3.1-70B-Instruct` is llama-3.1-70b. */
static bool same_model(const char *a, const char *b) {
  for (;;) {
    size_t length_a, length_b;
    a = next_word(a, &length_a);
    b = next_word(b, &length_b);
    if (length_a != length_b || rf_letters_compare_some(a, b, length_a) != 0) {
      return false;
    }
    if (length_a == 0) {
      return true;
    }
    a += length_a;
    b += length_b;
  }
}

static const rf_builtin *find(const char *name) {
  const rf_builtin *like = NULL;
  for (unsigned i = 0; i < rf_builtin_model_count; i++) {
    const rf_builtin *b = &rf_builtin_models[i];
    if (rf_letters_compare(b->name, name) == 0 || is_word_of(name, b->aliases)) {
      return b;
    }
    like = like == NULL && same_model(b->name, name) ? b : like;
  }
  return like;
}

/** The name of a model without its organisation, as Hugging Face writes it ("meta-llama/Llama-3.1-8B"), where that is
 *  no path. */
static const char *without_owner(const char *name) {
  const char *slash = strchr(name, '/');
  bool owned = slash != NULL && slash != name && name[0] != '.' && strchr(slash + 1, '/') == NULL &&
               access(name, F_OK) != 0 && !is_path(slash + 1);
  return owned ? slash + 1 : name;
}

/** Suggests the nearest of `words`, which this cuts apart into `names`; else those that begin as the name does, up to a
 * dash: the others of its family. */
static void suggest(const char *own, const char **names, char *words, roof_error *error) {
  char family[ROOF_NAME_MAX], *rest = NULL, *dash;
  size_t count = 0;
  for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    names[count++] = word;
  }
  snprintf(family, sizeof family, "%s", own);
  while (roof_suggest(family, names) == NULL && (dash = strrchr(family, '-')) != NULL) {
    *dash = '\0';
  }
  roof_error_suggest(error, family, names);
}

/** `own` is the name without its owner. */
static roof_status fail_unknown(const char *name, const char *own, roof_error *error) {
  if (access(name, F_OK) == 0) {
    return roof_error_set(error, ROOF_E_PARSE,
                          "%.80s: no model: neither a config.json, a .gguf, .safetensors or .onnx file nor a "
                          "list of operations",
                          name);
  }
  roof_text words = {0};
  for (unsigned i = 0; i < rf_builtin_model_count; i++) {
    roof_text_addf(&words, "%s %s ", rf_builtin_models[i].name, rf_builtin_models[i].aliases);
  }
  const char **names = calloc(words.length / 2 + 1, sizeof *names);
  if (names == NULL || words.failed) {
    free(names);
    roof_text_done(&words);
    return roof_error_set(error, ROOF_E_MEMORY, "model `%.80s`: out of memory", name);
  }
  bool owned = own != name;
  roof_error_set(error, ROOF_E_NAME,
                 "model `%.80s`: neither a file nor one that `roofline model --list` shows; %s%.80s%s", own,
                 owned ? "save https://huggingface.co/" : "a config.json from Hugging Face is such a file",
                 owned ? name : "", owned ? "/raw/main/config.json and pass the file" : "");
  suggest(own, names, words.data, error);
  free(names);
  roof_text_done(&words);
  return ROOF_E_NAME;
}

typedef roof_status text_reader(const char *text, size_t length, const char *file, roof_model *model,
                                roof_error *error);

static roof_status read_file(const char *path, text_reader *reader, roof_model *model, roof_error *error) {
  roof_text text = {0};
  roof_status status = rf_file_read_text(path, &text, error);
  if (status == ROOF_OK) {
    status = reader(text.data != NULL ? text.data : "", text.length, path, model, error);
  }
  roof_text_done(&text);
  return status;
}

static roof_status load_folder(const char *folder, text_reader *reader, roof_model *model,
                               roof_error *error) {
  roof_text described = {0}, formats = {0};
  roof_model read;
  roof_text_addf(&described, "%s/config.json", folder);
  roof_text_addf(&formats, "%s/hf_quant_config.json", folder);
  roof_status status = described.failed || formats.failed
                           ? roof_error_set(error, ROOF_E_MEMORY, "model `%.80s`: out of memory", folder)
                           : read_file(described.data, reader, &read, error);
  if (status == ROOF_OK && access(formats.data, F_OK) == 0) {
    status = read_file(formats.data, roof_model_read_quantization, &read, error);
  }
  status = status == ROOF_OK ? rf_safetensors_apply_folder(folder, &read, error) : status;
  if (status == ROOF_OK) {
    *model = read;
  }
  roof_text_done(&described);
  roof_text_done(&formats);
  return status;
}

/** The model that the config.json next to a file of weights describes. */
static roof_status load_described(const char *path, text_reader *reader, roof_model *model,
                                  roof_error *error) {
  roof_text folder = {0};
  roof_status status = rf_safetensors_folder(path, &folder, error);
  status = status == ROOF_OK ? load_folder(folder.data, reader, model, error) : status;
  roof_text_done(&folder);
  return status;
}

/** Reads a file as what it begins with. */
static roof_status load_file(const char *path, text_reader *reader, roof_model *model, roof_error *error) {
  rf_file_mapping mapping;
  if (has_ending(path, ".safetensors") || has_ending(path, ".safetensors.index.json")) {
    return load_described(path, reader, model, error);
  }
  if (has_ending(path, ".onnx")) {
    return roof_error_set(
        error, ROOF_E_UNSUPPORTED,
        "%.200s: a graph, which has no prompts and tokens; the command `roofline model FILE` predicts it",
        path);
  }
  if (!rf_file_begins(path, "GGUF")) {
    return read_file(path, reader, model, error);
  }
  roof_status status = rf_file_map(path, &mapping, error);
  if (status == ROOF_OK) {
    status = rf_gguf_read(mapping.data, mapping.length, mapping.whole, path, model, error);
    rf_file_unmap(&mapping);
  }
  return status;
}

roof_status roof_model_load_quantization(const char *path, roof_model *model, roof_error *error) {
  return read_file(path, roof_model_read_quantization, model, error);
}

/** Keeps the name as it was typed. The description's repository is that of its own name: of another the organisation is to be
 * filled in, unless it was typed. */
static void keep_typed(roof_model *model, const char *name, const char *own) {
  bool another = rf_letters_compare(model->name, own) != 0, owned = own != name;
  if (another) {
    snprintf(model->typed, sizeof model->typed, "%.90s", own);
  }
  if (another || owned) {
    snprintf(model->repository, sizeof model->repository, "%s%.80s", owned ? "" : "ORGANISATION/", name);
  }
}

static roof_status load(const char *name, text_reader *reader, roof_model *model, roof_error *error) {
  const char *own = without_owner(name);
  const rf_builtin *builtin = is_path(own) ? NULL : find(own);
  if (builtin != NULL) {
    roof_status status =
        reader(builtin->text, (size_t)(builtin->end - builtin->text), builtin->name, model, error);
    if (status == ROOF_OK) {
      keep_typed(model, name, own);
    }
    return status;
  }
  if (is_folder(name)) {
    return load_folder(name, reader, model, error);
  }
  return is_path(own) ? load_file(name, reader, model, error) : fail_unknown(name, own, error);
}

roof_status roof_model_load(const char *name, roof_model *model, roof_error *error) {
  return load(name, roof_model_read, model, error);
}

roof_status roof_model_load_lenient(const char *name, roof_model *model, roof_error *error) {
  return load(name, rf_config_read_lenient, model, error);
}
