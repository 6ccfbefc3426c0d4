/* Time stamps of RFC 3161, which openssl requests and verifies, and proofs of OpenTimestamps, which its client makes and
 * verifies. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/ask.h"
#include "host/file.h"
#include "host/write.h"
#include "ledger/anchor.h"

enum { OPENSSL_SECONDS = 30, NETWORK_SECONDS = 120 };

static const char *const environment[] = {"LC_ALL=C", "TZ=UTC", NULL};

/** A path that is no option. */
static const char *as_path(const char *file, char *path) {
  snprintf(path, ROOF_ANCHOR_NAME_MAX + 2, "%s%s", file[0] == '/' ? "" : "./", file);
  return path;
}

/** Asks a program, which reads `input` (nullable); ROOF_E_UNSUPPORTED also where it cannot be executed. */
static roof_status ask(const char *const *words, const roof_text *input, double patience, rf_answer *answer,
                       roof_error *error) {
  rf_question question = {.words = words, .environment = environment, .patience = patience};
  char why[256];
  if (input != NULL) {
    question.input = input->data;
    question.length = input->length;
  }
  roof_status status = rf_ask(&question, answer, error);
  if (status == ROOF_OK && answer->code == RF_ANSWER_NONE) {
    rf_answer_why(answer, why, sizeof why);
    rf_answer_done(answer);
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", words[0], why);
  }
  return status;
}

/** The same; ROOF_E_UNSUPPORTED also where it fails. */
static roof_status command(const char *const *words, const roof_text *input, double patience,
                           rf_answer *answer, roof_error *error) {
  char why[256];
  roof_status status = ask(words, input, patience, answer, error);
  if (status == ROOF_OK && answer->code != 0) {
    rf_answer_why(answer, why, sizeof why);
    rf_answer_done(answer);
    bool named = strncmp(why, words[0], strlen(words[0])) == 0;
    status =
        roof_error_set(error, ROOF_E_UNSUPPORTED, "%s%s%s", named ? "" : words[0], named ? "" : ": ", why);
  }
  return status;
}

/** The time in what `openssl ts -reply -text` prints, "Time stamp: Nov 22 20:00:00.5 2026 GMT", to the second. Its last line
 *  of that name, nothing hidden by a zero: nobody has signed the status, which comes before. */
static bool read_time(const roof_text *printed, char time[ROOF_TIME_MAX]) {
  static const char title[] = "\nTime stamp: ", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const char *last = NULL;
  const char *text = printed->length > 0 && strlen(printed->data) == printed->length ? printed->data : "";
  for (const char *at = text; (at = strstr(at, title)) != NULL; at++) {
    last = at + sizeof title - 1;
  }
  char name[4], second[16], out[64];
  int day, hour, minute, year;
  double moment;
  if (last == NULL ||
      sscanf(last, "%3s %2d %2d:%2d:%15s %4d GMT", name, &day, &hour, &minute, second, &year) != 6) {
    return false;
  }
  const char *month = strstr(months, name);
  snprintf(out, sizeof out, "%04d-%02d-%02dT%02d:%02d:%.2sZ", year,
           month != NULL ? (int)(month - months) / 3 + 1 : 0, day, hour, minute, second);
  snprintf(time, ROOF_TIME_MAX, "%.*s", (int)ROOF_TIME_MAX - 1, out);
  return roof_time_parse(out, &moment, NULL) == ROOF_OK;
}

/** Reads the time of an authority's reply, which proves nothing yet. */
static roof_status reply_time(const roof_text *reply, const char *from, roof_anchor *a, roof_error *error) {
  static const char *const words[] = {"openssl", "ts", "-reply", "-in", "/dev/stdin", "-text", NULL};
  rf_answer answer = {0};
  roof_status status = ask(words, reply, OPENSSL_SECONDS, &answer, error);
  if (status == ROOF_OK && (answer.code != 0 || !read_time(&answer.out, a->time))) {
    status = roof_error_set(error, ROOF_E_GATE, "%s: is no time stamp that an authority granted", from);
  }
  rf_answer_done(&answer);
  return status;
}

/** Sends a request to an authority. */
static roof_status fetch(const char *url, const roof_text *request, rf_answer *reply, roof_error *error) {
  const char *const words[] = {"curl",
                               "--silent",
                               "--show-error",
                               "--fail",
                               "--max-time",
                               "60",
                               "--proto",
                               "=http,https",
                               "--header",
                               "Content-Type: application/timestamp-query",
                               "--data-binary",
                               "@-",
                               "--url",
                               url,
                               NULL};
  return command(words, request, NETWORK_SECONDS, reply, error);
}

/** Gets the reply to a request and keeps it. */
static roof_status get_reply(const char *file, const char *url, const roof_text *request, roof_anchor *a,
                             roof_error *error) {
  rf_answer reply = {0};
  roof_status status = fetch(url, request, &reply, error);
  status = status == ROOF_OK ? reply_time(&reply.out, url, a, error) : status;
  status = status == ROOF_OK ? rf_anchor_name(a, file, ".tsr", error) : status;
  status = status == ROOF_OK ? rf_write_file(a->name, reply.out.data, reply.out.length, error) : status;
  rf_answer_done(&reply);
  return status;
}

/* Without a nonce: a reply that was made before for the same head proves more, not less. */
roof_status rf_anchor_tsa_make(const char *file, const char *digest, const char *url, roof_anchor *a,
                               roof_error *error) {
  const char *const words[] = {"openssl", "ts",        "-query", "-digest", digest,
                               "-sha256", "-no_nonce", "-cert",  NULL};
  rf_answer request = {0};
  roof_status status = rf_anchor_name(a, file, ".tsq", error);
  status = status == ROOF_OK ? command(words, NULL, OPENSSL_SECONDS, &request, error) : status;
  status = status == ROOF_OK ? rf_write_file(a->name, request.out.data, request.out.length, error) : status;
  if (status == ROOF_OK && url != NULL) {
    status = get_reply(file, url, &request.out, a, error);
  }
  rf_answer_done(&request);
  return status;
}

/** What openssl says is wrong, "THREAD:error:CODE:LIBRARY:FUNCTION:REASON:FILE:LINE:MORE": the reason, and what it adds. */
static const char *reason_of(const rf_answer *answer, char *reason, size_t size) {
  char line[1024], *rest = line, *field[8] = {NULL};
  rf_answer_why(answer, line, sizeof line);
  for (int i = 0; i < 8; i++) {
    field[i] = strsep(&rest, ":");
  }
  bool known = field[5] != NULL && strcmp(field[1], "error") == 0;
  bool more = known && rest != NULL && rest[0] != '\0';
  if (!known) {
    return rf_answer_why(answer, reason, size);
  }
  snprintf(reason, size, "%s%s%s", field[5], more ? ": " : "", more ? rest : "");
  return reason;
}

roof_status rf_anchor_tsa_prove(const char *digest, const char *ca, roof_anchor *a, roof_error *error) {
  const char *const words[] = {"openssl", "ts",         "-verify", "-digest", digest,
                               "-in",     "/dev/stdin", "-CAfile", ca,        NULL};
  roof_text reply = {0};
  rf_answer answer = {0};
  char why[256];
  if (ca == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "%s: a time stamp needs --ca, whose certificates it comes from", a->name);
  }
  if (access(ca, R_OK) != 0) {
    return roof_error_set(error, ROOF_E_INPUT, "`%s`: %s", ca, strerror(errno));
  }
  roof_status status = rf_file_read(a->name, &reply, error);
  status = status == ROOF_OK ? ask(words, &reply, OPENSSL_SECONDS, &answer, error) : status;
  if (status == ROOF_OK && answer.code != 0) {
    status = roof_error_set(error, ROOF_E_GATE, "%s: does not hold: %s", a->name,
                            reason_of(&answer, why, sizeof why));
  }
  rf_answer_done(&answer);
  status = status == ROOF_OK ? reply_time(&reply, a->name, a, error) : status;
  roof_text_done(&reply);
  return status;
}

roof_status rf_anchor_ots_make(const char *file, roof_anchor *a, roof_error *error) {
  char path[ROOF_ANCHOR_NAME_MAX + 2];
  roof_error why;
  rf_answer answer = {0};
  const char *const words[] = {"ots", "stamp", as_path(file, path), NULL};
  roof_status status = rf_anchor_name(a, file, ".ots", error);
  if (status != ROOF_OK) {
    return status;
  }
  status = command(words, NULL, NETWORK_SECONDS, &answer, &why);
  rf_answer_done(&answer);
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "%s; %s is what its client `ots stamp` takes, here or elsewhere",
                          why.message, file);
  }
  return access(a->name, R_OK) == 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "ots: has not written %s", a->name);
}

/** The day in "Success! Bitcoin block 358391 attests existence as of 2015-05-28 UTC"; false: it is not there. */
static bool read_day(const char *text, char time[ROOF_TIME_MAX]) {
  static const char before[] = "attests existence as of ";
  const char *at = text != NULL ? strstr(text, before) : NULL;
  char out[64];
  double moment;
  snprintf(time, ROOF_TIME_MAX, "%.10s", at != NULL ? at + sizeof before - 1 : "");
  snprintf(out, sizeof out, "%sT00:00:00Z", time);
  return roof_time_parse(out, &moment, NULL) == ROOF_OK;
}

roof_status rf_anchor_ots_prove(const char *digest, roof_anchor *a, roof_error *error) {
  char path[ROOF_ANCHOR_NAME_MAX + 2], why[256];
  const char *const words[] = {"ots", "verify", "-d", digest, as_path(a->name, path), NULL};
  rf_answer answer = {0};
  roof_status status = ask(words, NULL, NETWORK_SECONDS, &answer, error);
  if (status == ROOF_OK &&
      (answer.code != 0 || !(read_day(answer.err.data, a->time) || read_day(answer.out.data, a->time)))) {
    status = roof_error_set(error, ROOF_E_GATE, "%s: does not hold: %s", a->name,
                            rf_answer_why(&answer, why, sizeof why));
  }
  rf_answer_done(&answer);
  return status;
}
