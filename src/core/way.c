/* SPDX-License-Identifier: Apache-2.0 */
#include "core/way.h"

#include "base/str.h"

SHAPE_DEFINE(button, BUTTON);

const char *
next_path(const char *next)
{
	bool ours = next && *next == '/' && !strpbrk(next, "\\\r\n\t") && !strstr(next, "//") &&
	    (!str_starts(next, "/v1/") || str_starts(next, "/v1/open/"));

	return ours ? next : "/";
}

const char *
signin_path(struct ctx *c, const char *path)
{
	struct buf b = BUF(c->mem);

	buf_str(&b, "/auth/signin?next=");
	buf_form(&b, path);
	return buf_done(&b);
}
