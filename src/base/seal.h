/* SPDX-License-Identifier: Apache-2.0
 * Secrets that must be read again, such as a token that waits for its device, are stored sealed:
 * AES-256-GCM with the installation's key. The key lives in a file (key_file) and not in the
 * database, so neither a dump nor a backup gives a secret away. */
#ifndef VITRINE_SEAL_H
#define VITRINE_SEAL_H
#include <stdbool.h>

/* Reads the key file, or makes it (mode 0600, synced to disk) when there is none. False, with *why,
 * when that fails. Each process calls it once, before the functions below. */
bool seal_prepare(const char *key_file, const char **why);
/* purpose names the kind of secret and the row it belongs to. seal_open() returns NULL for what was
 * sealed with another purpose and for what was tampered with. */
const char *seal_close(void *owner, const char *purpose, const char *text);
const char *seal_open(void *owner, const char *purpose, const char *sealed);
#endif
