/* SPDX-License-Identifier: Apache-2.0
 * Templates that people begin a page with. */
#include "core/artifact.h"
#include "http/quota.h"
#include "http/req.h"
#include "site/starter.h"

static enum err
h_templates(struct req *r)
{
	const struct page_query *q = r->query;
	struct list all;

	TRY(starters(r->c, &all));
	return reply_part(r, &all, LIST_UNSORTED, q->limit, q->cursor);
}

static enum err
zip_write(void *r, struct ctx *c, const void *bytes, size_t n)
{
	(void)c;
	return req_write(r, bytes, n);
}

static enum err
zip_send(struct req *r, void *files)
{
	return starter_zip(r->c, files, zip_write, r);
}

static enum err
h_template(struct req *r)
{
	const char *name = req_param(r, "template");
	struct starter_files *files;

	TRY(starter_find(r->c, name, &files));
	return reply_stream(
	    r, "application/zip", mem_printf(r->c->mem, "%s.zip", name), zip_send, files);
}

static const struct route starter_routes[] = {
  { GET, "/v1/templates",            PUBLIC, TAKES_NOTHING, GIVES_LIST("templates", starter),
    h_templates,
    .query = &page_query_shape, .scope = ANY_SCOPE,
    .doc = "List the templates that a page can be made from" },
  { GET, "/v1/templates/{template}", PUBLIC, TAKES_NOTHING, GIVES_STREAM,
    h_template, .slow = true, .limit = LIM_EXPORT, .scope = ANY_SCOPE,
    .doc = "Download a template's files as a .zip" },
};
ROUTES(starter, "Templates",
    "Pages to begin with: files that become a page when they are published.");
