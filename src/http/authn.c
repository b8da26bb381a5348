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
	if (r->method == GET && r->route->who >= ART_READ)
		TRY(artifact_get_by_token(r->c, r->p[0], header + 7, &who, &r->art_seen));
	else
		TRY(token_check(r->c, header + 7, &who));
	r->who = who;
	return E_OK;
}
