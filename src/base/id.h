/* SPDX-License-Identifier: Apache-2.0
 * Ids: a prefix and 26 characters of Crockford base32 (48 bits of milliseconds, 80 random bits), so
 * they sort by time. Tokens: a prefix, 43 base62 characters (256 random bits) and a 6-character
 * checksum that finds typing errors without a look-up; only their SHA-256 is stored. Slugs: one DNS
 * label, [a-z0-9](-?[a-z0-9])*, 1 to 63 characters. */
#ifndef VITRINE_ID_H
#define VITRINE_ID_H
#include "base/crypto.h"

char *id_new(void *owner, const char *prefix); /* prefix: "art_" and the like */
/* The same as bytes, which sort as the texts do, for tables with many rows. */
enum { ID_BYTES = 16 };
void id_bytes_new(uint8_t out[ID_BYTES]);
void id_bytes_after(const uint8_t before[ID_BYTES], uint8_t out[ID_BYTES]); /* the next one */
char *id_text(void *owner, const char *prefix, const uint8_t bytes[ID_BYTES]);
bool id_bytes(const char *id, const char *prefix, uint8_t out[ID_BYTES]); /* false: it is none */
/* The first id of all that are made from that time on. */
char *id_first(void *owner, const char *prefix, int64_t unix_s);
int64_t id_time(const char *id); /* when it was made, in Unix seconds; 0 when that can't be told */
bool id_valid(const char *s, const char *prefix);
bool slug_valid(const char *s);
char *token_new(void *owner, const char *prefix); /* prefix: "so_" and the like */
bool token_valid(const char *s, const char *prefix); /* checks prefix, length and checksum */
void token_hash(const char *token, uint8_t out[SHA256_BYTES]);
#endif
