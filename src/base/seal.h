/* SPDX-License-Identifier: Apache-2.0
 * Secrets that must be read again, such as a token that waits for its device, are stored sealed:
 * AES-256-GCM with the installation's key. The key lives in a file (key_file) and not in the
 * database, so neither a dump nor a backup gives a secret away. */
#ifndef VITRINE_SEAL_H
#define VITRINE_SEAL_H
#include <stdbool.h>

/* Reads the key, or makes it, 0600 and durable. False, with *why, when it can't be had. Once a
 * process. */
bool seal_prepare(const char *key_file, const char **why);
/* purpose says what it is and of which row: what was sealed for another opens as NULL, as does what
 * was tampered with. */
const char *seal_close(void *owner, const char *purpose, const char *text);
const char *seal_open(void *owner, const char *purpose, const char *sealed);
#endif
