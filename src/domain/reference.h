/* SPDX-License-Identifier: Apache-2.0
 * Which rows name bytes in the store: the one place to extend when another table does. */
#ifndef VITRINE_REFERENCE_H
#define VITRINE_REFERENCE_H
#include "base/crypto.h"
#include "db/db.h"

#define REFERENCE(F, T) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE_DECLARE(reference, REFERENCE);

enum err reference_list(struct ctx *c, struct list *out); /* each object once */
enum err reference_exists(struct ctx *c, const uint8_t sha256[SHA256_BYTES], bool *yes);
#endif
