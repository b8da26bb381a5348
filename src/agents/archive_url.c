/* SPDX-License-Identifier: Apache-2.0 */
#include "agents/archive_url.h"

#include "base/conf.h"
#include "base/str.h"
#include "ext/egress.h"
#include "store/object.h"
#include "store/temp.h"

static enum err
archive_read(struct call *k, struct egress_stream *from, struct temp *t, struct span *out)
{
	struct ctx *c = k->r->c;
	const char *bytes;
	size_t n;

	do {
		TRY(egress_read(from, &bytes, &n));
		out->n += (int64_t)n;
		if (out->n > c->conf->max_archive_bytes)
			return fail(c, E_BODY_TOO_LARGE,
			    "archive_url: the archive is larger than %lld bytes",
			    (long long)c->conf->max_archive_bytes);
		TRY(temp_write(c, t, bytes, n));
	} while (n);
	return E_OK;
}

enum err
archive_url_fetch(struct call *k, const char *url, struct span *out)
{
	struct ctx *c = k->r->c;
	const struct egress_req req = {
		.url = url, .max_bytes = SIZE_MAX, .timeout_s = ARCHIVE_URL_S
	};
	struct egress_stream *from;
	struct temp *t;
	long status = 0;
	enum err e;
	int root;

	if (!str_starts(url, "https://"))
		return fail(c, E_INVALID, "archive_url: must begin with https://");
	TRY(tool_outside(k));
	TRY(store_share(c, c->mem));
	TRY(store_root(c, c->mem, &root));
	TRY(temp_new(c, c->mem, root, &t));
	*out = (struct span){ .fd = t->fd };
	e = egress_open(c, &req, &from, &status);
	if (!e && status == 200)
		e = archive_read(k, from, t, out);
	/* The archive is too large, or our disk is full. */
	if (e == E_BODY_TOO_LARGE || e == E_DISK_FULL)
		return e;
	if (!e && status != 200)
		return fail(c, E_INVALID,
		    "archive_url: its server answers with status %ld, not 200; "
		    "redirects aren't followed",
		    status);
	/* Only the log has the reason, or an agent could explore what our network reaches. */
	return !e ? E_OK
		  : fail(c, E_INVALID,
			"archive_url: there is no whole answer within %d seconds; the address "
			"must be one that everybody can reach",
			ARCHIVE_URL_S);
}
