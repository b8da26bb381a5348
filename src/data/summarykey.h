/* SPDX-License-Identifier: Apache-2.0
 * Keys of a summary's groups: a value, the beginning of a period of time, or the number of a bin.
 * Their bytes sort in the order of the groups. For summary.c only. */
#ifndef VITRINE_SUMMARYKEY_H
#define VITRINE_SUMMARYKEY_H
#include "base/civil.h"
#include "data/column.h"

enum { SUMMARY_KEY_BYTES = 8 };

struct summary_key {
	const struct data_column *col;
	unsigned at;            /* its column in the statement */
	bool timed;
	enum period period;
	const struct zone *zone;
	int64_t begin, end;     /* of the last period found */
	int bins;               /* 0: none */
	long double low, width; /* of the bins */
};

/* Makes the group's key of a value. It is the value's own, or in made. */
struct bytes summary_key_of(
    struct summary_key *k, struct bytes value, uint8_t made[SUMMARY_KEY_BYTES]);
/* Replaces the key of a period or bin by that of the next one, in made. False: there is none. */
bool summary_key_next(
    const struct summary_key *k, struct bytes *key, uint8_t made[SUMMARY_KEY_BYTES]);
/* Compares by the first key, then by the second. */
int summary_keys_order(const struct bytes a[2], const struct bytes b[2]);
/* Return a group's key, and a value's, as JSON. A text without its end has … there. */
const char *summary_key_text(void *owner, const struct summary_key *k, struct bytes key);
const char *summary_key_json(void *owner, const char *type, struct bytes key);
#endif
