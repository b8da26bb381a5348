/* SPDX-License-Identifier: Apache-2.0 */
#include "core/name.h"

#include "base/str.h"
#include "base/unicode.h"

enum err
name_check(struct ctx *c, const char *given, size_t most, const char **name, const char **key)
{
	*name = unicode_name(c->mem, given);
	*key = unicode_name_key(c->mem, given);
	if (!**key)
		return fail(c, E_INVALID, "name: must contain a visible character");
	/* The key may have up to three characters for one of the name. */
	return str_chars(*name) <= most && str_chars(*key) <= 3 * most
	    ? E_OK
	    : fail(c, E_INVALID, "name: is too long; the maximum is %zu characters", most);
}
