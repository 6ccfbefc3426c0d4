/* Ed25519 keys: one line `ed25519-secret HEX` or `ed25519-public HEX` per file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/write.h"
#include "ledger/entry.h"

static const char secret_name[] = "ed25519-secret ";
static const char public_name[] = "ed25519-public ";
enum { SEED = 2 * crypto_sign_SEEDBYTES, LINE = 128 };
_Static_assert(crypto_sign_SEEDBYTES == crypto_sign_PUBLICKEYBYTES, "both keys are lines of one length");

static roof_status fail(roof_status status, const char *path, roof_error *error) {
  return roof_error_set(error, status, "key %s: %s", path, strerror(errno));
}

static roof_status start(const char *path, roof_error *error) {
  return sodium_init() >= 0 ? ROOF_OK
                            : roof_error_set(error, ROOF_E_UNSUPPORTED,
                                             "key %s: libsodium finds no source of random numbers", path);
}

/** A key is a regular file; a secret one that others may read is refused. */
static roof_status check_file(int file, const char *path, bool secret, roof_error *error) {
  struct stat info;
  if (fstat(file, &info) != 0) {
    return fail(ROOF_E_INPUT, path, error);
  }
  if (!S_ISREG(info.st_mode)) {
    return roof_error_set(error, ROOF_E_INPUT, "key %s: not a regular file", path);
  }
  if (secret && info.st_uid != geteuid()) {
    return roof_error_set(error, ROOF_E_INPUT, "key %s: belongs to another user", path);
  }
  if (secret && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return roof_error_set(error, ROOF_E_INPUT, "key %s: others may read it; `chmod 600 %s` first", path,
                          path);
  }
  return ROOF_OK;
}

/** Reads the bytes of a key file whose line starts with `name`. */
static roof_status read_key(const char *path, const char *name, bool secret, unsigned char *bytes,
                            roof_error *error) {
  char line[LINE] = "";
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    return fail(ROOF_E_INPUT, path, error);
  }
  roof_status status = check_file(file, path, secret, error);
  ssize_t got = status == ROOF_OK ? read(file, line, sizeof line - 1) : 0;
  if (got < 0) {
    status = fail(ROOF_E_INPUT, path, error);
  }
  close(file);
  size_t prefix = strlen(name);
  bool good = strncmp(line, name, prefix) == 0 && strcspn(line + prefix, "\n") == SEED &&
              sodium_hex2bin(bytes, SEED / 2, line + prefix, SEED, NULL, NULL, NULL) == 0;
  if (status == ROOF_OK && !good) {
    status = roof_error_set(error, ROOF_E_INPUT,
                            "key %s: must be one line `%sHEX`, as `ledger keygen` writes", path, name);
  }
  sodium_memzero(line, sizeof line);
  return status;
}

roof_status rf_ledger_key_load(const char *path, ledger_key *key, roof_error *error) {
  unsigned char seed[crypto_sign_SEEDBYTES], public_key[crypto_sign_PUBLICKEYBYTES];
  roof_status status = start(path, error);
  if (status == ROOF_OK) {
    status = read_key(path, secret_name, true, seed, error);
  }
  if (status == ROOF_OK) {
    crypto_sign_seed_keypair(public_key, key->secret, seed);
    sodium_bin2hex(key->public_key, sizeof key->public_key, public_key, sizeof public_key);
  }
  sodium_memzero(seed, sizeof seed);
  return status;
}

void rf_ledger_key_done(ledger_key *key) {
  sodium_memzero(key, sizeof *key);
}

roof_status rf_ledger_key_public(const char *path, char out[LEDGER_PUBLIC_KEY + 1], roof_error *error) {
  unsigned char bytes[crypto_sign_PUBLICKEYBYTES];
  roof_status status = read_key(path, public_name, false, bytes, error);
  if (status == ROOF_OK) {
    sodium_bin2hex(out, LEDGER_PUBLIC_KEY + 1, bytes, sizeof bytes);
  }
  return status;
}

/** Writes a new file of one line; never over another. */
static roof_status write_key(const char *path, mode_t mode, const char *name, const unsigned char *bytes,
                             roof_error *error) {
  char line[LINE], digits[SEED + 1];
  int length =
      snprintf(line, sizeof line, "%s%s\n", name, sodium_bin2hex(digits, sizeof digits, bytes, SEED / 2));
  roof_status status = rf_write_new(path, mode, line, (size_t)length);
  if (status != ROOF_OK) {
    fail(status, path, error);
  }
  sodium_memzero(line, sizeof line);
  sodium_memzero(digits, sizeof digits);
  return status;
}

roof_status roof_ledger_keygen(const char *path, roof_error *error) {
  unsigned char seed[crypto_sign_SEEDBYTES], public_key[crypto_sign_PUBLICKEYBYTES];
  unsigned char secret[crypto_sign_SECRETKEYBYTES];
  char public_path[4096];
  if (snprintf(public_path, sizeof public_path, "%s.pub", path) >= (int)sizeof public_path) {
    return roof_error_set(error, ROOF_E_OUTPUT, "key %.40s...: the name is too long", path);
  }
  roof_status status = start(path, error);
  if (status != ROOF_OK) {
    return status;
  }
  randombytes_buf(seed, sizeof seed);
  crypto_sign_seed_keypair(public_key, secret, seed);
  status = write_key(path, 0600, secret_name, seed, error);
  if (status == ROOF_OK) {
    status = write_key(public_path, 0666, public_name, public_key, error);
    if (status != ROOF_OK) {
      unlink(path);
    }
  }
  sodium_memzero(seed, sizeof seed);
  sodium_memzero(secret, sizeof secret);
  return status;
}
