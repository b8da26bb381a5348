/* SPDX-License-Identifier: Apache-2.0 */
#include "site/due.h"

SHAPE_DEFINE(page_due, PAGE_DUE);

enum { TRIES = 8 };

enum err
due_waits(struct ctx *c, due_first *first, bool *yes)
{
	struct page_due *d;

	TRY(first(c, &d));
	*yes = d != NULL;
	return E_OK;
}

bool
due_taken(struct ctx *c, struct page_due *d, int64_t changed)
{
	d->due_at = c->now + DUE_LEASE_S;
	d->attempts++;
	return changed > 0;
}

enum err
due_lease(struct ctx *c, due_first *first, due_take *take, struct page_due **out)
{
	struct page_due *d;

	*out = NULL;
	for (int i = 0; i < TRIES && !*out; i++) {
		TRY(first(c, &d));
		if (!d)
			break;
		TRY(take(c, d, out));
	}
	return E_OK;
}
