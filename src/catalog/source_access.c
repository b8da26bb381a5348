/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/source_access.h"

#include "base/str.h"
#include "db/ids.h"

SHAPE_DEFINE(about, ABOUT);
SHAPE_DEFINE(source_artifact, SOURCE_ARTIFACT);

static int
by_id(const void *a, const void *b)
{
	return strcmp(((const struct source_artifact *)a)->artifact_id,
	    ((const struct source_artifact *)b)->artifact_id);
}

enum err
source_access_read(struct ctx *c, const struct principal *who, const char *const *artifact_ids,
    size_t n, struct source_access *out)
{
	const char **given = mem_array(c->mem, const char *, n + 1);
	size_t some = 0, kept = 0;

	*out = (struct source_access){ .c = c, .who = who };
	for (size_t i = 0; i < n; i++)
		if (artifact_ids[i])
			given[some++] = artifact_ids[i];
	if (!some)
		return E_OK;
	/* Reads each artifact once: one may have many tables. */
	given = ids_in_order(c, given, some);
	for (size_t i = 0; i < some; i++)
		if (!kept || !str_eq(given[i], given[kept - 1]))
			given[kept++] = given[i];
	TRY(db_all(c,
	    ROWS(source_artifact,
		"SELECT a.id AS artifact_id, a.name, a.workspace_id, a.owner_id IS NULL AS purged,"
		" COALESCE(a.deleted_at IS NULL AND (a.paused_at IS NULL"
		" OR a.owner_id = s.user_id OR " GOVERNS "), FALSE) AS shown, "
		ARTIFACT_IS_OPEN " AS open, a.live_no IS NOT NULL AS live, a.updated_at, "
		RULED_COLUMNS " FROM " SUBJECT_TABLE " JOIN " ID_TABLE
		" STRAIGHT_JOIN artifact a ON a.id = t.id" ROLE_TABLES("s.user_id")),
	    ARGS(SUBJECT(who), ids_json(c, given, kept)), &out->artifacts));
	qsort(out->artifacts.v, out->artifacts.n, sizeof *out->artifacts.v, by_id);
	out->policies = mem_array(c->mem, struct rowpolicy, out->artifacts.n + 1);
	out->read = mem_array(c->mem, bool, out->artifacts.n + 1);
	return E_OK;
}

const struct source_artifact *
source_artifact(const struct source_access *s, const char *id)
{
	const struct source_artifact key = { .artifact_id = id },
				   *a = id && s->artifacts.n
	    ? bsearch(&key, s->artifacts.v, s->artifacts.n, sizeof key, by_id)
	    : NULL;

	return a && !a->purged ? a : NULL;
}

static enum err
table_seen(const struct source_access *s, const struct source_artifact *a, const char *table,
    enum seen *out)
{
	size_t i = (size_t)(a - s->artifacts.v);
	enum verdict read;

	if (!s->read[i])
		TRY(rowpolicy_read(s->c, RULED_ARTIFACT(a), s->who, &s->policies[i]));
	s->read[i] = true;
	TRY(table_readable(s->c, a->artifact_id, &s->policies[i], table, &read));
	*out = read == VERDICT_YES ? SEEN_WHOLE : read == VERDICT_NO ? SEEN_NOT : SEEN_PART;
	return E_OK;
}

static enum err
artifact_seen(const struct source_access *s, const struct source_artifact *a,
    const struct about *about, enum seen *out)
{
	bool may = true;

	*out = SEEN_NOT;
	if (!a->shown || !(a->role || a->open))
		return E_OK;
	if (about->source_table)
		return table_seen(s, a, about->source_table, out);
	if (str_eq(about->source_kind, "document"))
		TRY(rowpolicy_allows(
		    s->c, RULED_ARTIFACT(a), s->who, POLICY_JSON, POLICY_READ, &may));
	*out = may ? SEEN_WHOLE : SEEN_NOT;
	return E_OK;
}

enum err
source_access_check(const struct source_access *s, const char *workspace_id, enum member_role role,
    const struct about *about, enum seen *out)
{
	const struct source_artifact *a;

	*out = SEEN_WHOLE;
	if (!about->source_kind)
		return E_OK;
	if (str_eq(about->source_kind, "connection")) {
		*out = !about->connection_name ? SEEN_GONE
		    : role >= MEMBER_MEMBER    ? SEEN_WHOLE
					       : SEEN_NOT;
		return E_OK;
	}
	a = source_artifact(s, about->source_artifact_id);
	if (!a) {
		*out = about->source_closed && role < MEMBER_ADMIN ? SEEN_NOT : SEEN_GONE;
		return E_OK;
	}
	TRY(artifact_seen(s, a, about, out));
	if (*out != SEEN_NOT && !str_eq(a->workspace_id, workspace_id))
		*out = SEEN_GONE;
	return E_OK;
}
