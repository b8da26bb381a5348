/* SPDX-License-Identifier: Apache-2.0
 * Keeps objects also in a store that somebody else runs (setting store_url), under their own paths:
 * objects/ab/<64 hex digits>. Then a lost disk loses none. */
#ifndef VITRINE_BUCKET_H
#define VITRINE_BUCKET_H
#include "base/crypto.h"
#include "base/gauge.h"
#include "db/db.h"
#include "ext/s3.h"
#include "store/beneath.h"

/* Call at start. puts: this program's batches (store/object.h) go to the store, too; else it only
 * fetches. waits() is called with true before this process waits for the store, and with false
 * afterwards; if it returns false, that fails with E_STORE. NULL: nobody minds. */
void bucket_prepare(bool puts, bool (*waits)(const struct conf *, bool begins));
/* Digests are SHA256_BYTES each, one after the other. */

/* Puts objects that are in data_dir, and records which ones the store has. Fails with E_STORE if it
 * hasn't taken all. Doesn't put what is recorded already. */
enum err bucket_put(struct ctx *c, const uint8_t *digests, size_t n);
/* Fails with E_STORE; why is for the log. */
enum err bucket_down(struct ctx *c, const char *why);

/* Brings an object that is missing or damaged here. *why is NULL, or why that can't be: no store is
 * set, or it doesn't have it. */
enum err bucket_mend(struct ctx *c, const uint8_t *digest, const char **why);

/* Sets has[i] for those that the store is recorded to have. */
enum err bucket_recorded(struct ctx *c, const uint8_t *digests, size_t n, bool *has);
/* Lists the objects, as hex, that the store is recorded to have and whose digests begin with this
 * byte. */
enum err bucket_names(struct ctx *c, unsigned first, struct names *out);
/* Writes an object of the store into fd, without comparing its digest. E_NOT_FOUND if the store
 * doesn't have it, E_STORE if it doesn't answer. */
enum err bucket_read(struct ctx *c, const uint8_t *digest, int fd);
/* Sets the gauges of what is due and what goes. */
enum err bucket_gauges(struct ctx *c, int64_t gauges[GAUGES]);

/* ---- for bucket/ and vitrinectl ---- */

/* Returns a call for an object. A PUT opens it in data_dir. The digest must live as long. */
struct s3_call bucket_call(struct ctx *c, enum s3_method, const uint8_t *digest);
/* Puts objects whether or not the store has them, and records those that it takes. */
enum err bucket_calls(struct ctx *c, const uint8_t *digests, size_t n, struct s3_call *calls);
/* Records that the store has the objects. */
enum err bucket_has(struct ctx *c, const uint8_t *digests, size_t n);
#endif
