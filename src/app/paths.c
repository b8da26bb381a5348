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
#include "http/page.h"
#include "http/route.h"
#include "import/import.h"
#include "jobs/governed.h"
#include "site/front_page.h"
#include "site/starter.h"
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
import_secret_fits(const char *part)
{
	return token_valid(part, IMPORT_SECRET);
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

const struct param_kind param_kinds[] = {
#define PATH_ID(word, parameter, prefix) \
	{ word, parameter, prefix, NULL, prefix "[0-9a-z]{26}" },
#include "core/nouns.def"
	{ "art", "artifact_id", "art_", NULL, "(?:art_[0-9a-z]{26}|" PARAM_SELF ")" },
	{ "hook", "webhook_secret", NULL, text_fits, "[^/]+" },
	{ "delivery", "delivery_secret", NULL, delivery_secret_fits, "[0-9A-Za-z]{49}" },
	{ "upload", "upload_secret", NULL, upload_secret_fits, "[^/]+" },
	{ "import_upload", "import_secret", NULL, import_secret_fits, "[^/]+" },
	{ "surface", "surface", NULL, surface_fits, "(?:schedule|automation)s?" },
	{ "no", "version_no", NULL, param_number_fits, "[0-9]+" },
	{ "slug", "slug", NULL, slug_valid, "[^/]+" },
	{ "provider", "provider", NULL, label_fits, "[^/]+" },
	{ "template", "template", NULL, starter_name_fits, "[a-z0-9-]+" },
	{ "chat", "chat", NULL, provider_is_chat, "chat_[ab]" },
	{ "email", "email", NULL, text_fits, "[^/]+" },
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
	/* Accepts larger uploads than allowed, so that the page, and not nginx, can say what is
	 * wrong. */
	case BODY_PICTURE: return PICTURE + BODY_AROUND;
	case BODY_AGENT: return AGENT;
	case BODY_IMPORT: return IMPORT_BYTES + BODY_AROUND;
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
	{ "postgres", "PostgreSQL" },
	{ "http", "HTTP API" },
	{ "oauth2", "OAuth service" },
	{ "chat", "Chat" },
	{ "mail", "Inbox and e-mail" },
	{ "digest", "Inbox and once a day by e-mail" },
	{ "page", "Inbox" },
	{ "off", "Not at all" },
#define TITLE(action_, title_) { action_, title_ },
	JOB_ACTION_TITLES(TITLE)
	COLUMN_TYPE_TITLES(TITLE)
#undef TITLE
	{ NULL, NULL },
};
