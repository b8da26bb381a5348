/* SPDX-License-Identifier: Apache-2.0
 * Encrypts ("seals") stored secrets that must be read again, such as a token that waits for its
 * device, by AES-256-GCM with the installation's key. The key is in a file (key_file), not in the
 * database, so neither a dump nor a backup reveals a secret. A second key (other_key_file) only
 * decrypts, so that old and new secrets can be read while the key is changed. A sealed text begins
 * with its key's id and a dot; a text from before there were ids has neither, and either key may
 * open it. db/sealed.h seals columns. */
#ifndef VITRINE_SEAL_H
#define VITRINE_SEAL_H
#include <stdbool.h>
#include <stdint.h>

struct conf;
enum { SEAL_ID_CHARS = 8 };
enum seal_key { SEAL_KEY, SEAL_OTHER_KEY, SEAL_NO_KEY };

/* Reads the keys that the configuration names, replacing those of the process. Must be called
 * before the functions that close and open. seal_prepare() makes a missing key_file (mode 0600,
 * synced), unless there is an other_key_file; seal_read() doesn't. Returns false, with *why in
 * owner, if a file can't be read or made, is short, or both are the same key; the old keys then
 * remain. */
bool seal_prepare(void *owner, const struct conf *, const char **why);
bool seal_read(void *owner, const struct conf *, const char **why);
/* Makes a key in a new file, as seal_prepare() does. Returns false with errno; EEXIST if it exists.
 */
bool seal_key_new(const char *path);
/* Returns 8 hex digits that identify a key without revealing it; NULL if there is no such key. */
const char *seal_key_id(enum seal_key);

/* purpose names the kind of secret and its row. seal_open() returns NULL if the text was sealed
 * with another purpose or key, or was altered. */
const char *seal_close(void *owner, const char *purpose, const char *text);
const char *seal_open(void *owner, const char *purpose, const char *sealed);
/* Like seal_open(); *by is the key that opened it, SEAL_NO_KEY if the result is NULL. */
const char *seal_open_by(
    void *owner, const char *purpose, const char *sealed, enum seal_key *by);
/* Returns the id of the key that a sealed text names, or NULL. */
const char *seal_id_of(void *owner, const char *sealed);

/* Records in data_dir/key.lock which key this process seals with, until it and its children have
 * ended. Programs that keep running call this. Returns false with *why if it fails. */
bool seal_hold(void *owner, const struct conf *, const char **why);
/* *id: a key other than key_file's with which a running process seals, or NULL. Returns false with
 * *why if that can't be determined. */
bool seal_others(
    void *owner, const struct conf *, const char **id, const char **why);
/* Reads configuration and keys anew, for programs that keep running. Returns NULL, and logs why, if
 * either can't be used. */
const struct conf *seal_conf_again(void);
#endif
