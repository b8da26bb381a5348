/* SPDX-License-Identifier: Apache-2.0
 * Secrets that must be read again, such as a token that waits for its device, are stored sealed:
 * AES-256-GCM with the installation's key. The key lives in a file (key_file) and not in the
 * database, so neither a dump nor a backup gives a secret away. A second key (other_key_file) only
 * opens: while the key is changed, both what was sealed before and what is sealed from now on can
 * be read. A sealed text begins with the id of its key and a dot; one from before there were ids
 * has neither, and may be of either key. What is stored is sealed by db/sealed.h. */
#ifndef VITRINE_SEAL_H
#define VITRINE_SEAL_H
#include <stdbool.h>
#include <stdint.h>

struct conf;
enum { SEAL_ID_CHARS = 8 };
enum seal_key { SEAL_KEY, SEAL_OTHER_KEY, SEAL_NO_KEY };

/* Reads the keys that the settings name, in place of those that the process had, before the
 * functions below that close and open. Where there is no other_key_file, a missing key_file is made
 * (mode 0600, synced to disk). False, with *why in owner, when that fails, when a file is short, or
 * when both are one key; then the process keeps what it had. seal_read() makes none. */
bool seal_prepare(void *owner, const struct conf *, const char **why);
bool seal_read(void *owner, const struct conf *, const char **why);
/* A new key in a file that there must not be yet; as seal_prepare() makes it. False with errno. */
bool seal_key_new(const char *path);
/* 8 hex digits that tell a key and give nothing of it away; NULL where there is none. */
const char *seal_key_id(enum seal_key);

/* purpose names the kind of secret and the row it belongs to. seal_open() returns NULL for what was
 * sealed with another purpose or key and for what was tampered with. */
const char *seal_close(void *owner, const char *purpose, const char *text);
const char *seal_open(void *owner, const char *purpose, const char *sealed);
/* The same, with whose key it is; SEAL_NO_KEY with NULL. */
const char *seal_open_by(
    void *owner, const char *purpose, const char *sealed, enum seal_key *by);
/* The id of the key that a sealed text names, or NULL. */
const char *seal_id_of(void *owner, const char *sealed);

/* Whoever stays says which key it seals with, in data_dir/key.lock, as long as it or a child of it
 * lives. False, with *why, when it can't. */
bool seal_hold(void *owner, const struct conf *, const char **why);
/* The id of another key than key_file's that somebody seals with, or NULL. False, with *why, when
 * that can't be told. */
bool seal_others(
    void *owner, const struct conf *, const char **id, const char **why);
/* conf_again(), with its keys: for programs that stay, at a reload. NULL, with why in the log, when
 * either can't be used. */
const struct conf *seal_conf_again(void);
#endif
