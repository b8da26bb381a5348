/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "http/req.h"

enum err
authenticate(struct req *r)
{
	const char *header = req_header(r, "HTTP_AUTHORIZATION");
	struct principal *who;

	if (!header)
		return E_OK;
	if (strncasecmp(header, "Bearer ", 7) != 0 || !header[7])
		return fail(r->c, E_UNAUTHENTICATED, "Authorization: only \"Bearer <token>\" is understood");
	TRY(token_check(r->c, header + 7, &who));
	r->who = who;
	return E_OK;
}
