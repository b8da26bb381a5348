/* SPDX-License-Identifier: Apache-2.0 */
#include "base/visibility.h"

#include "base/str.h"

static int
visibility_rank(const char *v)
{
	return str_eq(v, "public") ? 2 : str_eq(v, "unlisted");
}

bool
visibility_opens(const char *from, const char *to)
{
	return to && visibility_rank(to) > visibility_rank(from);
}
