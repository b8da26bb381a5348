/* SPDX-License-Identifier: Apache-2.0 */
#include "care/inspect.h"

#include "base/id.h"
#include "base/str.h"
#include "core/role.h"
#include "core/slug.h"
#include "core/spread.h"
#include "site/digest.h"
#include "site/project.h"
#include "store/beneath.h"
#include "store/shown.h"
#include "store/site.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

/* ---- findings ---- */

struct wrong {
	const char *path, *why;
	struct wrong *next;
};

struct wrongs {
	struct ctx *c;
	const char *below;
	struct wrong *first, **end;
};

static struct wrongs
wrongs_none(struct ctx *c)
{
	return (struct wrongs){ .c = c, .below = "" };
}

static void
wrong_keep(void *arg, const char *path, const char *why)
{
	struct wrongs *all = arg;
	struct wrong *w = mem_new(all->c->mem, struct wrong);

	w->path = mem_strdup(all->c->mem, path);
	w->why = mem_strdup(all->c->mem, why);
	*(all->first ? all->end : &all->first) = w;
	all->end = &w->next;
}

static const char *
path_below(const struct wrongs *all, const struct wrong *w)
{
	return mem_printf(
	    all->c->mem, "%s%s%s", all->below, *all->below && *w->path ? "/" : "", w->path);
}

static bool
wrong_among(const struct wrongs *all, const char *path)
{
	for (const struct wrong *w = all->first; w; w = w->next)
		if (str_eq(w->path, path))
			return true;
	return false;
}

static void
finding_report(struct inspection *in, const char *path, const char *why, bool mended)
{
	in->mended += mended;
	in->found(in->arg, &(struct finding){ .path = path, .why = why, .mended = mended });
}

/* Reports problems, and which of them are repaired. before equals after if nothing was repaired. */
static void
wrongs_report(struct inspection *in, const struct wrongs *before, const struct wrongs *after)
{
	for (const struct wrong *w = before->first; w; w = w->next)
		finding_report(in, path_below(before, w), w->why, !wrong_among(after, w->path));
	for (const struct wrong *w = after->first; w; w = w->next)
		if (!wrong_among(before, w->path))
			finding_report(in, path_below(after, w), w->why, false);
}

#define WAITING(F, T) F(T, INT, n)
SHAPE(waiting_rows, WAITING);

/* Sets *yes if the artifact's projection is in the outbox, so the disk is behind the rows. A
 * projection that has failed doesn't count. A machine of a cluster has rows of its own, too. */
static enum err
change_waits(struct ctx *c, const char *id, struct inspection *in, bool *yes)
{
	struct waiting_rows *row;

	*yes = false;
	if (!in->calm)
		return E_OK;
	TRY(db_one(c,
	    ROWS(waiting_rows,
		"SELECT COUNT(*) AS n FROM outbox"
		" WHERE kind = 'project' AND subject = ? AND attempts < 2"),
	    ARGS(id), &row));
	if (!row->n && *node_name(c))
		TRY(db_one(c,
		    ROWS(waiting_rows,
			"SELECT COUNT(*) AS n FROM node_outbox"
			" WHERE node = ? AND kind = 'project' AND subject = ? AND due_at = 0"),
		    ARGS(node_name(c), id), &row));
	*yes = row->n > 0;
	in->passed += *yes;
	return E_OK;
}

/* Rebuilds a version; no 0: the links. Runs in its own context and rolls back after a failure. */
static void
mend(struct ctx *c, const char *id, int64_t no, struct wrongs *after)
{
	struct ctx *one = ctx_begin(c->conf, c->db);

	if (no ? project_rebuild(one, id, no) : project_artifact_held(one, id)) {
		wrong_keep(after, no ? "" : mem_printf(c->mem, "trees/%s", id),
		    mem_printf(c->mem, "can't be rebuilt: %s", ctx_why(one)));
		db_rollback(one);
	}
	ctx_end(one);
}

/* ---- one version ---- */

static enum err
version_look(struct ctx *c, const char *id, int64_t no, struct inspection *in, struct wrongs *out)
{
	struct tree_check k = { .quick = in->quick, .wrong = wrong_keep, .arg = out };
	enum err e = project_check(c, id, no, &k);

	in->bytes += k.bytes;
	out->below = mem_printf(
	    c->mem, "trees/%s/%s%lld", id, k.draft ? TREE_DRAFT : "", (long long)no);
	return e;
}

static enum err
version_report(struct ctx *c, const char *id, int64_t no, struct inspection *in)
{
	struct wrongs before = wrongs_none(c), after = before;
	bool changing;

	TRY(version_look(c, id, no, in, &before));
	if (!before.first)
		return E_OK;
	TRY(change_waits(c, id, in, &changing));
	if (changing)
		return E_OK;
	if (in->mend) {
		mend(c, id, no, &after);
		TRY(version_look(c, id, no, in, &after));
	}
	wrongs_report(in, &before, in->mend ? &after : &before);
	return E_OK;
}

/* ---- links and directories ---- */

/* Returns a link's target; NULL if nothing is there, "" if it isn't a link. */
static const char *
link_target(struct ctx *c, int root, const char *path)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(root, path, text, sizeof text);

	return n >= 0 ? mem_strndup(c->mem, text, (size_t)n) : errno == EINVAL ? "" : NULL;
}

/* Reports an entry that no row names, and moves it to the trash if in->mend. */
static enum err
stray_report(struct ctx *c, int root, const char *path, const char *why, struct inspection *in)
{
	const char *moved = NULL;
	struct stat st;

	/* The entry and its rows may have been deleted since it was listed. */
	if (fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW))
		return E_OK;
	if (in->mend)
		TRY(trash_move(c, root, path, &moved));
	finding_report(in, path, why, moved != NULL);
	return moved ? sync_all(c, root) : E_OK;
}

#define STANDING(F, T) \
	F(T, ID,   id, .arg = "art_") \
	F(T, SLUG, slug) \
	F(T, INT,  live_no) \
	F(T, INT,  last_no) \
	F(T, STR,  subdomain) \
	F(T, STR,  domains) \
	F(T, STR,  moved_to) \
	F(T, BOOL, unlisted) \
	F(T, BOOL, open)
SHAPE(standing, STANDING);

static void
links_look(struct ctx *c, int root, const struct standing *a, struct wrongs *out)
{
	const char *live = mem_printf(c->mem, "trees/%s/live", a->id);
	const char *no = mem_printf(c->mem, "%lld", (long long)a->live_no);
	char *rest = mem_strdup(c->mem, a->domains), *host;
	struct strs names = { 0 };

	if (!str_eq(link_target(c, root, live), a->live_no ? no : NULL))
		wrong_keep(out, live,
		    a->live_no ? mem_printf(c->mem, "doesn't point to version %s", no)
			       : "points to a version, but none is live");
	if (!a->moved_to)
		strs_add(c->mem, &names, a->slug);
	if (!a->moved_to && !str_eq(a->slug, slug_host(c->mem, a->slug, a->subdomain)))
		strs_add(c->mem, &names, slug_host(c->mem, a->slug, a->subdomain));
	while ((host = str_split(&rest, ' ')))
		strs_add(c->mem, &names, host);
	for (size_t i = 0; a->open && i < names.n; i++) {
		const char *path = mem_printf(c->mem, "%s/%s", shown_name(root, SHOWN_SITES),
		    site_link_name(c->mem, names.v[i], a->unlisted));

		if (!link_target(c, root, path))
			wrong_keep(out, path, "is not open but should be");
	}
}

/* Finds names in the artifact's directory that aren't its own. */
static void
strays_look(const struct names *names, const struct standing *a, struct wrongs *out)
{
	int64_t no;

	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->v[i],
			   *digits = name + (str_starts(name, TREE_DRAFT) ? strlen(TREE_DRAFT) : 0);

		if (!str_in(name, ".lock|live") &&
		    (!str_int(digits, &no) || no < 1 || no > a->last_no))
			wrong_keep(out, mem_printf(out->c->mem, "trees/%s/%s", a->id, name),
			    "is named by no row");
	}
}

/* Lists names before it reads rows: a tree gets its place after its row is committed, so each
 * listed tree has its row by then. *a is NULL if nothing may be there. */
static enum err
artifact_look(struct ctx *c, const char *id, struct inspection *in, struct standing **a,
    struct wrongs *links, struct wrongs *strays)
{
	struct names names;
	int root;

	TRY(store_root(c, c->mem, &root));
	TRY(dir_list(c, c->mem, root, mem_printf(c->mem, "trees/%s", id), &names));
	in->bytes += (int64_t)names.n * CHECK_ENTRY;
	TRY(db_find(c,
	    ROWS(standing,
		"SELECT a.id, a.slug, COALESCE(a.live_no, 0) AS live_no, a.last_no, "
		"wk.subdomain AS subdomain, a.domains, a.moved_to,"
		" a.visibility = 'unlisted' AS unlisted, "
		ARTIFACT_IS_SHOWN " AS open FROM artifact a" WORKSPACE_TABLE
		" WHERE a.id = ? AND a.owner_id IS NOT NULL"),
	    ARGS(id), a));
	if (!*a)
		return E_OK;
	links_look(c, root, *a, links);
	strays_look(&names, *a, strays);
	return E_OK;
}

static enum err
artifact_report(struct ctx *c, const char *id, struct inspection *in)
{
	struct wrongs links = wrongs_none(c), after = links, strays = links;
	struct standing *a;
	bool changing;
	int root;

	TRY(artifact_look(c, id, in, &a, &links, &strays));
	if (!links.first && !strays.first)
		return E_OK;
	TRY(change_waits(c, id, in, &changing));
	if (changing)
		return E_OK;
	TRY(store_root(c, c->mem, &root));
	for (const struct wrong *w = strays.first; w; w = w->next)
		TRY(stray_report(c, root, w->path, w->why, in));
	if (links.first && in->mend) {
		mend(c, id, 0, &after);
		links_look(c, root, a, &after);
	}
	wrongs_report(in, &links, in->mend ? &after : &links);
	return E_OK;
}

/* ---- the second check ---- */

/* Checks again what was wrong, under the artifact's lock, so nobody projects, and in a snapshot of
 * the rows: publishers go on committing without the lock. The first check may have met a change on
 * its way. no 0: the links. */
static enum err
check_again(struct ctx *c, const char *id, int64_t no, struct inspection *in)
{
	enum err e;
	int lock;

	TRY(site_lock(c, id, &lock));
	e = db_begin_snapshot(c);
	e = e ? e : no ? version_report(c, id, no, in) : artifact_report(c, id, in);
	e = e ? e : db_commit(c);
	site_unlock(lock);
	return e;
}

/* Reports a version whose rows or digest have changed, which a projection can't mend. */
static enum err
digest_report(struct ctx *c, const char *id, int64_t no, struct inspection *in)
{
	bool right;
	enum err e = digest_check(c, id, no, &right);

	if (e)
		return e == E_NOT_FOUND ? ctx_forgive(c) : e;
	if (!right)
		in->found(in->arg,
		    &(struct finding){
			.path = mem_printf(c->mem, "trees/%s/%lld", id, (long long)no),
			.why = "has rows that don't have the digest of its version",
			.rows = true });
	return E_OK;
}

enum err
inspect_version(
    struct ctx *c, const char *artifact_id, int64_t version_no, struct inspection *in)
{
	struct wrongs found = wrongs_none(c);

	TRY(digest_report(c, artifact_id, version_no, in));
	TRY(version_look(c, artifact_id, version_no, in, &found));
	return found.first ? check_again(c, artifact_id, version_no, in) : E_OK;
}

enum err
inspect_artifact(struct ctx *c, const char *artifact_id, struct inspection *in)
{
	struct wrongs links = wrongs_none(c), strays = links;
	struct standing *a;

	TRY(artifact_look(c, artifact_id, in, &a, &links, &strays));
	return links.first || strays.first ? check_again(c, artifact_id, 0, in) : E_OK;
}

/* ---- names ---- */

/* Returns the artifact whose address the link has; NULL if there is none. */
static enum err
address_owner(struct ctx *c, const char *name, struct standing **a)
{
	size_t n = strlen(name) - (str_ends(name, SITE_UNLISTED) ? strlen(SITE_UNLISTED) : 0);
	const char *subdomain, *bare = mem_strndup(c->mem, name, n),
			       *slug = slug_of_host(c->mem, bare, &subdomain);

	if (strchr(bare, '.'))
		return db_find(c,
		    ROWS(standing,
			"SELECT a.id, a.slug, a.visibility = 'unlisted' AS unlisted FROM domain d"
			" JOIN artifact a ON a.id = d.artifact_id WHERE d.held = ?"
			" AND d.state = 'active' AND d.lapsed_at IS NULL"
			" AND a.owner_id IS NOT NULL AND " ARTIFACT_IS_SHOWN
			" AND (a.visibility = 'unlisted') = ?"),
		    ARGS(bare, name[n] != '\0'), a);
	return db_find(c,
	    ROWS(standing,
		"SELECT a.id, a.slug, a.visibility = 'unlisted' AS unlisted FROM slug s"
		" JOIN artifact a ON a.id = s.artifact_id AND a.slug = s.slug" WORKSPACE_TABLE
		" WHERE s.slug = ? AND a.owner_id IS NOT NULL AND a.moved_to IS NULL"
		" AND " ARTIFACT_IS_SHOWN " AND (? IS NULL OR ? = " "wk.subdomain)"
		" AND (a.visibility = 'unlisted') = ?"),
	    ARGS(slug, subdomain, subdomain, name[n] != '\0'), a);
}

enum err
inspect_address(struct ctx *c, const char *slug, struct inspection *in)
{
	const char *path, *target;
	bool changing = false;
	struct standing *a;
	int root;

	TRY(store_root(c, c->mem, &root));
	path = mem_printf(c->mem, "%s/%s", shown_name(root, SHOWN_SITES), slug);
	in->bytes += CHECK_ENTRY;
	target = link_target(c, root, path);
	TRY(address_owner(c, slug, &a));
	if (!target || (a && str_eq(target, mem_printf(c->mem, "../trees/%s", a->id))))
		return E_OK;
	if (str_starts(target, "../trees/"))
		TRY(change_waits(c, target + strlen("../trees/"), in, &changing));
	if (a && !changing)
		TRY(change_waits(c, a->id, in, &changing));
	if (changing)
		return E_OK;
	TRY(stray_report(c, root, path,
	    a ? mem_printf(c->mem, "doesn't point to trees/%s", a->id)
	      : "is OPEN, but no visible artifact has this slug",
	    in));
	/* The slug's artifact may be new, and gets its address in any case. */
	TRY(address_owner(c, slug, &a));
	return a && in->mend ? project_artifact(c, a->id) : E_OK;
}

#define ANY_ROW(F, T) F(T, INT, one)
SHAPE(any_row, ANY_ROW);

enum err
inspect_tree(struct ctx *c, const char *name, struct inspection *in)
{
	struct any_row *row = NULL;
	int root;

	in->bytes += CHECK_ENTRY;
	if (id_valid(name, "art_"))
		TRY(db_find(c, ROWS(any_row, "SELECT 1 AS one FROM artifact WHERE id = ?"),
		    ARGS(name), &row));
	/* vitrinectl doctor makes this name to test the store. */
	if (row || str_eq(name, ".doctor"))
		return E_OK;
	TRY(store_root(c, c->mem, &root));
	return stray_report(
	    c, root, mem_printf(c->mem, "trees/%s", name), "is named by no row", in);
}

static enum err
names_each(struct ctx *c, const char *dir,
    enum err (*look)(struct ctx *c, const char *name, struct inspection *in),
    struct inspection *in)
{
	struct names names;
	enum err e = E_OK;
	int root;

	TRY(store_root(c, c->mem, &root));
	TRY(dir_list(c, c->mem, root, shown_name(root, dir), &names));
	for (size_t i = 0; i < names.n && !e; i++) {
		struct ctx *one = ctx_begin(c->conf, c->db);

		e = look(one, names.v[i], in);
		if (e)
			fail_here(c, "%s/%s: %s", dir, names.v[i], ctx_why(one));
		ctx_end(one);
	}
	return e;
}

enum err
inspect_names(struct ctx *c, struct inspection *in)
{
	TRY(names_each(c, SHOWN_SITES, inspect_address, in));
	return names_each(c, "trees", inspect_tree, in);
}
