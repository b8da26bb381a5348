/* SPDX-License-Identifier: Apache-2.0
 * Ids: a prefix and 26 characters of Crockford base32 (48 bits of milliseconds, 80 random bits), so
 * they sort by time. Tokens: a prefix, 43 base62 characters (256 random bits) and a checksum of 6
 * characters, which finds typing errors without a look-up; we store only their SHA-256. Slugs: one
 * DNS label, [a-z0-9](-?[a-z0-9])*, 1 to 63 characters. */
#ifndef VITRINE_ID_H
#define VITRINE_ID_H
#include "base/crypto.h"

char *id_new(void *owner, const char *prefix); /* prefix: "art_" and the like */
/* Ids as bytes, for tables with many rows. They sort in the order of the texts. */
enum { ID_BYTES = 16 };
void id_bytes_new(uint8_t out[ID_BYTES]);
void id_bytes_after(const uint8_t before[ID_BYTES], uint8_t out[ID_BYTES]); /* the next larger id */
char *id_text(void *owner, const char *prefix, const uint8_t bytes[ID_BYTES]);
/* false if it isn't an id */
bool id_bytes(const char *id, const char *prefix, uint8_t out[ID_BYTES]);
/* Returns the smallest id that can be made from unix_s on. */
char *id_first(void *owner, const char *prefix, int64_t unix_s);
int64_t id_time(const char *id); /* Unix seconds at which it was made; 0 if it isn't an id */
bool id_valid(const char *s, const char *prefix);
bool slug_valid(const char *s);
char *token_new(void *owner, const char *prefix); /* prefix: "so_" and the like */
bool token_valid(const char *s, const char *prefix); /* checks prefix, length and checksum */
void token_hash(const char *token, uint8_t out[SHA256_BYTES]);
#endif
