/* SPDX-License-Identifier: Apache-2.0
 * Ids: a prefix and 26 characters of Crockford base32 (48 bits of milliseconds, 80 random bits), so
 * they sort by time. Tokens: a prefix, 43 base62 characters (256 random bits) and a 6-character
 * checksum that finds typing errors without a look-up; only their SHA-256 is stored. Slugs: one DNS
 * label, [a-z0-9](-?[a-z0-9])*, 1 to 63 characters. */
#ifndef VITRINE_ID_H
#define VITRINE_ID_H
#include "base/crypto.h"

char *id_new(void *owner, const char *prefix); /* prefix: "art_" and the like */
int64_t id_time(const char *id); /* when it was made, in Unix seconds; 0 when that can't be told */
bool id_valid(const char *s, const char *prefix);
bool slug_valid(const char *s);
char *token_new(void *owner, const char *prefix); /* prefix: "so_" and the like */
bool token_valid(const char *s, const char *prefix); /* checks prefix, length and checksum */
void token_hash(const char *token, uint8_t out[SHA256_BYTES]);
#endif
