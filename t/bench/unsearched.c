/* SPDX-License-Identifier: Apache-2.0
 * vitrine-worker as it would be without search, linked with --wrap of both functions: nothing is kept of what changes. */
#include "../../src/bin/worker.c"

#include "core/find.h"

enum err __wrap_find_changed(struct ctx *c, enum find_kind kind, const char *id);
enum err
__wrap_find_changed(struct ctx *c, enum find_kind kind, const char *id)
{
	(void)c;
	(void)kind;
	(void)id;
	return E_OK;
}

bool __wrap_find_is_wanted(struct ctx *c);
bool
__wrap_find_is_wanted(struct ctx *c)
{
	(void)c;
	return false;
}
