/* SPDX-License-Identifier: Apache-2.0
 * What the rows of routes name: the kinds of parameters in a path, the sizes of bodies, and the
 * templates that no row has. */
#include "base/conf.h"
#include "core/slug.h"
#include "data/cell.h"
#include "data/intake.h"
#include "http/page.h"
#include "http/route.h"
#include "site/front_page.h"
#include "team/context.h"
#include "team/logo.h"

static bool
label_fits(const char *part)
{
	return *part && !part[strspn(part, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static bool
text_fits(const char *part)
{
	return *part != '\0';
}

const struct param_kind param_kinds[] = {
	{ "art", "artifact_id", "art_", NULL, "(?:art_[0-9a-z]{26}|" PARAM_SELF ")" },
	{ "ws", "workspace_id", "wsp_", NULL, "wsp_[0-9a-z]{26}" },
	{ "user", "user_id", "usr_", NULL, "usr_[0-9a-z]{26}" },
	{ "inv", "invite_id", "inv_", NULL, "inv_[0-9a-z]{26}" },
	{ "fld", "folder_id", "fld_", NULL, "fld_[0-9a-z]{26}" },
	{ "tok", "token_id", "tok_", NULL, "tok_[0-9a-z]{26}" },
	{ "ses", "session_id", "ses_", NULL, "ses_[0-9a-z]{26}" },
	{ "idn", "identity_id", "idn_", NULL, "idn_[0-9a-z]{26}" },
	{ "apr", "approval_id", "apr_", NULL, "apr_[0-9a-z]{26}" },
	{ "acr", "access_request_id", "acr_", NULL, "acr_[0-9a-z]{26}" },
	{ "blob", "blob_id", "blb_", NULL, "blb_[0-9a-z]{26}" },
	{ "cmt", "comment_id", "cmt_", NULL, "cmt_[0-9a-z]{26}" },
	{ "job", "job_id", "job_", NULL, "job_[0-9a-z]{26}" },
	{ "run", "run_id", "run_", NULL, "run_[0-9a-z]{26}" },
	{ "watch", "watch_id", "wat_", NULL, "wat_[0-9a-z]{26}" },
	{ "alert", "alert_id", "alr_", NULL, "alr_[0-9a-z]{26}" },
	{ "dst", "destination_id", "dst_", NULL, "dst_[0-9a-z]{26}" },
	{ "no", "version_no", NULL, param_number_fits, "[0-9]+" },
	{ "slug", "slug", NULL, slug_valid, "[^/]+" },
	{ "provider", "provider", NULL, label_fits, "[^/]+" },
	{ "email", "email", NULL, text_fits, "[^/]+" },
	{ "row", "row_id", "row_", NULL, "row_[0-9a-z]{26}" },
	{ "name", "name", NULL, context_name_valid, "[0-9A-Za-z][0-9A-Za-z._-]*" },
	{ "logo", "logo", NULL, logo_name_valid, "[0-9a-f]{32}" },
	{ "table", "table", NULL, table_name_valid, "[A-Za-z_][0-9A-Za-z_-]*" },
	{ "+", "path", NULL, text_fits, ".+" },
	{ NULL },
};

int64_t
body_bytes(const struct conf *conf, enum body_size size)
{
	enum { USUAL = 1 << 20, ROWS = 4 << 20, PICTURE = 16 << 20 };

	switch (size) {
	case BODY_PUBLISH: return conf->max_archive_bytes + conf->max_json_bytes + BODY_AROUND;
	case BODY_BLOB: return conf->max_blob_bytes + BODY_AROUND;
	case BODY_LOGO: return LOGO_BYTES + BODY_AROUND;
	/* Most that people choose is let through to be told on the page what is wrong with it. */
	case BODY_PICTURE: return PICTURE + BODY_AROUND;
	case BODY_CSV: return INTAKE_FILE_BYTES + BODY_AROUND;
	case BODY_ROWS: return ROWS;
	default: return USUAL;
	}
}

const struct page_alone pages_alone[] = {
	{ "error", &page_error_shape },
	{ "front", &front_page_shape },
	{ NULL },
};
