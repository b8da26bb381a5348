/* SPDX-License-Identifier: Apache-2.0
 * "Make it a table" on a file's page: an import of that file, whose page asks the rest. */
#include "http/quota.h"
#include "import/import.h"
#include "site/files_page.h"

#define TABLE_FROM_FORM(F, T) F(T, INT, version, .flags = F_REQ, .lo = 1, .hi = 2147483647)
SHAPE(table_from_form, TABLE_FROM_FORM);

static enum err
h_table_from(struct req *r)
{
	const struct table_from_form *form = r->in;
	struct import_file file = { .path = file_page_path(r), .version = form->version };
	const struct import_new in = { .from_file = &file, .has = { .from_file = GIVEN } };
	struct import *imp;

	TRY(import_make(r->c, r->art, r->who, &in, NULL, &imp));
	return reply_go(r, "/a/%s/data/imports/%s", r->art->id, imp->id);
}

static const struct route table_from_page_routes[] = {
  { FORM("/a/{art}/table-from/{+}", ART_EDIT, table_from_form, h_table_from), .limit = LIM_DATA,
    .again = "/a/{art}/files/{+}", .doc = "Begin an import of a file of a version" },
};
ROUTES(table_from_page, "Pages: tables from files",
    "Files of an artifact's versions become tables of its data.");
