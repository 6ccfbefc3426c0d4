/** SHA-256, as fast as the processor can. */
#ifndef LEDGER_HASH_H
#define LEDGER_HASH_H

#include <sodium.h>
#include <stddef.h>

/** As crypto_hash_sha256_update. */
void rf_hash_add(crypto_hash_sha256_state *state, const char *text, size_t length);

#endif
