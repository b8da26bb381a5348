/* SPDX-License-Identifier: Apache-2.0
 * Tables for names in the rows of routes: the kinds of parameters in a path, the sizes of bodies,
 * and the templates that no row has. */
#include "assets/upload.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/jobtitle.h"
#include "base/str.h"
#include "connections/provider.h"
#include "core/slug.h"
#include "data/cell.h"
#include "data/intake.h"
#include "http/page.h"
#include "http/route.h"
#include "jobs/governed.h"
#include "site/front_page.h"
#include "team/logo.h"
#include "team/textfile.h"

static bool
label_fits(const char *part)
{
	return *part && !part[strspn(part, "abcdefghijklmnopqrstuvwxyz0123456789-_")];
}

static bool
text_fits(const char *part)
{
	return *part != '\0';
}

static bool
upload_secret_fits(const char *part)
{
	return token_valid(part, UPLOAD_SECRET);
}

static bool
delivery_secret_fits(const char *part)
{
	return token_valid(part, "");
}

static bool
surface_fits(const char *part)
{
	return str_in(part, SURFACES_ASKED);
}

#define ID(prefix) prefix, NULL, prefix "[0-9a-z]{26}"
const struct param_kind param_kinds[] = {
	{ "art", "artifact_id", "art_", NULL, "(?:art_[0-9a-z]{26}|" PARAM_SELF ")" },
	{ "ws", "workspace_id", ID("wsp_") },
	{ "user", "user_id", ID("usr_") },
	{ "inv", "invite_id", ID("inv_") },
	{ "fld", "folder_id", ID("fld_") },
	{ "tok", "token_id", ID("tok_") },
	{ "ses", "session_id", ID("ses_") },
	{ "shr", "sharee_id", ID("shr_") },
	{ "shared_fld", "shared_folder_id", ID("fld_") },
	{ "ext", "external_user_id", ID("usr_") },
	{ "ext_tok", "external_token_id", ID("tok_") },
	{ "con", "connection_id", ID("con_") },
	{ "grt", "share_grant_id", ID("grt_") },
	{ "ogr", "agent_id", ID("ogr_") },
	{ "act", "act_id", ID("act_") },
	{ "cat", "entry_id", ID("cat_") },
	{ "idn", "identity_id", ID("idn_") },
	{ "apr", "approval_id", ID("apr_") },
	{ "sta", "standing_approval_id", ID("sta_") },
	{ "acr", "access_request_id", ID("acr_") },
	{ "ivc", "invoice_id", ID("ivc_") },
	{ "hook", "webhook_secret", NULL, text_fits, "[^/]+" },
	{ "blob", "blob_id", ID("blb_") },
	{ "loose", "loose_blob_id", ID("blb_") },
	{ "dlv", "deliverable_id", ID("dlv_") },
	{ "own_loose", "own_blob_id", ID("blb_") },
	{ "own_dlv", "own_deliverable_id", ID("dlv_") },
	{ "col", "collection_id", ID("col_") },
	{ "own_col", "own_collection_id", ID("col_") },
	{ "lnk", "link_id", ID("lnk_") },
	{ "own_lnk", "own_link_id", ID("lnk_") },
	{ "delivery", "delivery_secret", NULL, delivery_secret_fits, "[0-9A-Za-z]{49}" },
	{ "delivered", "delivered_blob_id", ID("blb_") },
	{ "upload", "upload_secret", NULL, upload_secret_fits, "[^/]+" },
	{ "cmt", "comment_id", ID("cmt_") },
	{ "job", "job_id", ID("job_") },
	{ "run", "run_id", ID("run_") },
	{ "sch", "schedule_id", ID("job_") },
	{ "trg", "automation_id", ID("job_") },
	{ "surface", "surface", NULL, surface_fits, "(?:schedule|automation)s?" },
	{ "ws_run", "workspace_run_id", ID("run_") },
	{ "watch", "watch_id", ID("wat_") },
	{ "alert", "alert_id", ID("alr_") },
	{ "dst", "destination_id", ID("dst_") },
	{ "tkt", "ticket_id", ID("tkt_") },
	{ "no", "version_no", NULL, param_number_fits, "[0-9]+" },
	{ "slug", "slug", NULL, slug_valid, "[^/]+" },
	{ "provider", "provider", NULL, label_fits, "[^/]+" },
	{ "chat", "chat", NULL, provider_is_chat, "chat_[ab]" },
	{ "email", "email", NULL, text_fits, "[^/]+" },
	{ "row", "row_id", ID("row_") },
	{ "name", "name", NULL, text_file_name_valid, "[0-9A-Za-z][0-9A-Za-z._-]*" },
	{ "logo", "logo", NULL, logo_name_valid, "[0-9a-f]{32}" },
	{ "table", "table", NULL, table_name_valid, "[A-Za-z_][0-9A-Za-z_-]*" },
	{ "+note", "note_path", NULL, text_fits, ".+" },
	{ "+", "path", NULL, text_fits, ".+" },
	{ NULL },
};

int64_t
body_bytes(const struct conf *conf, enum body_size size)
{
	enum { USUAL = 1 << 20, ROWS = 4 << 20, PICTURE = 16 << 20,
		AGENT = 8 << 20 };

	switch (size) {
	case BODY_PUBLISH: return conf->max_archive_bytes + conf->max_json_bytes + BODY_AROUND;
	case BODY_BLOB: return conf->max_blob_bytes + BODY_AROUND;
	case BODY_ASSET: return conf->max_asset_bytes + BODY_AROUND;
	case BODY_LOGO: return LOGO_BYTES + BODY_AROUND;
	/* Most that people choose is let through to be told on the page what is wrong with it. */
	case BODY_PICTURE: return PICTURE + BODY_AROUND;
	case BODY_AGENT: return AGENT;
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

const struct word_said words_said[] = {
	{ "artifacts:read", "read artifacts" },
	{ "artifacts:publish", "publish artifacts" },
	{ "data:read", "read data" },
	{ "data:write", "change data" },
	{ "cron", "On schedule" },
	{ "catch_up", "On schedule, late" },
	{ "manual", "Run by hand" },
	{ "artifact.updated", "A version went live" },
	{ "artifact.viewed", "Someone viewed it" },
	{ "comment.added", "Someone commented" },
#define TITLE(action_, title_) { action_, title_ },
	JOB_ACTION_TITLES(TITLE)
#undef TITLE
	{ NULL, NULL },
};
