/* SPDX-License-Identifier: Apache-2.0 */
#include "core/slug.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"
#include "base/unicode.h"
#include "db/db.h"
#include "store/rounds.h"

enum { SLUG_CHARS = 63, MADE_CHARS = 48 };

/* Names that the service or mail uses, and names that browsers and resolvers look up by
 * themselves. */
static const char reserved[] =
    "api|www|auth|v1|v2|d|m|admin|static|mail|smtp|imap|pop|ftp|ns1|ns2|mx|app|assets|cdn|docs|"
    "help|support|status|login|logout|signin|signup|account|accounts|billing|dashboard|root|"
    "system|internal|localhost|vitrine|security|abuse|postmaster|webmaster|hostmaster|autoconfig|"
    "autodiscover|wpad|isatap|oauth|files|deliveries|healthz|readyz";

bool
slug_reserved(const char *s)
{
	return str_in(s, reserved) || s[strspn(s, "0123456789")] == '\0';
}

enum err
slug_check(struct ctx *c, const char *s)
{
	if (!slug_valid(s))
		return fail(c, E_INVALID,
		    "slug: %s must be 1 to 63 characters: "
		    "a-z, 0-9, and single hyphens between them", s);
	if (slug_reserved(s))
		return fail(c, E_INVALID, "slug: %s is reserved; choose another", s);
	return E_OK;
}

#define SLUG_AT(F, T) F(T, SLUG, slug)
SHAPE(slug_at, SLUG_AT);

enum err
slug_of_domain(struct ctx *c, const char *host, const char **slug)
{
	struct slug_at *row;

	TRY(db_find(c,
	    ROWS(slug_at,
		"SELECT a.slug FROM domain d JOIN artifact a ON a.id = d.artifact_id"
		" WHERE d.held = ? AND d.state = 'active' AND d.lapsed_at IS NULL"
		" AND a.owner_id IS NOT NULL"),
	    ARGS(host), &row));
	*slug = row ? row->slug : NULL;
	return E_OK;
}

const char *
slug_from_name(void *owner, const char *name)
{
	const char *ascii = unicode_ascii(owner, name);
	struct buf b = BUF(owner);
	char *cut;

	for (; *ascii && b.n < SLUG_CHARS; ascii++) {
		if (isalnum((unsigned char)*ascii))
			buf_chr(&b, *ascii);
		else if (b.n && b.s[b.n - 1] != '-' && *ascii != '\'')
			buf_chr(&b, '-');
	}
	if (b.n > MADE_CHARS) {
		b.s[b.n = MADE_CHARS] = '\0';
		cut = strrchr(b.s, '-');
		if (cut && cut > b.s + MADE_CHARS / 2)
			b.n = (size_t)(cut - b.s);
	}
	while (b.n && b.s[b.n - 1] == '-')
		b.n--;
	if (b.s)
		b.s[b.n] = '\0';
	return buf_done(&b);
}

const char *
slug_random(void *owner, size_t chars)
{
	static const char letter[] = "abcdefghijkmnpqrstuvwxyz23456789";
	struct buf b = BUF(owner);
	uint8_t rnd;

	while (b.n < chars) {
		crypto_random(&rnd, 1);
		buf_chr(&b, letter[b.n ? rnd % 32 : rnd % 24]);
	}
	return buf_done(&b);
}

const char *
slug_with_tail(void *owner, const char *base, size_t chars)
{
	const char *tail = slug_random(owner, chars);

	return mem_printf(owner, "%s-%s", base, tail);
}

const char *
slug_host(void *owner, const char *slug, const char *subdomain)
{
	if (!subdomain || strlen(slug) + strlen("--") + strlen(subdomain) > SLUG_CHARS)
		return slug;
	return mem_printf(owner, "%s--%s", slug, subdomain);
}

const char *
slug_of_version(void *owner, const char *slug, int64_t no)
{
	const char *label = mem_printf(owner, "%s--v%lld", slug, (long long)no);

	return strlen(label) > SLUG_CHARS ? NULL : label;
}

const char *
slug_of_host(void *mem, const char *label, const char **subdomain)
{
	const char *cut = strstr(label, "--");

	*subdomain = cut ? cut + strlen("--") : NULL;
	return cut ? mem_strndup(mem, label, (size_t)(cut - label)) : label;
}

/* ---- reserved slugs ---- */

enum err
slug_take_by(struct ctx *c, const char *slug, const char *taker, const char *owner,
    const char *artifact)
{
	int64_t changed;

	if (db_exec(c, EXEC("INSERT INTO slug (slug, owner_id, artifact_id) VALUES (?, ?, ?)"),
		ARGS(slug, owner, artifact), NULL) == E_OK)
		return E_OK;
	if (c->err != E_CONFLICT)
		return c->err;
	TRY(db_exec(c,
	    EXEC(
		"UPDATE slug"
		" SET owner_id = ?, artifact_id = ?, workspace_id = NULL, released_at = NULL"
		" WHERE slug = ? AND released_at IS NOT NULL"
		" AND (owner_id = ? OR released_at <= ?)"),
	    ARGS(owner, artifact, slug, taker, conf_trash_end(c->conf, c->now)), &changed));
	return changed
	    ? E_OK
	    : fail(c, E_SLUG_TAKEN,
		  "slug: the address \"%s\" is taken; choose another",
		  slug);
}

enum err
slug_take(struct ctx *c, const char *slug, const char *owner, const char *artifact)
{
	return slug_take_by(c, slug, owner, owner, artifact);
}

/* Returns NULL if the slug isn't valid or reserved. */
static const char *
slug_try(void *owner, const char *base, bool open, int tries)
{
	const char *slug = !*base ? slug_random(owner, 12)
	    : open && !tries      ? base
				  : slug_with_tail(owner, base, open ? 5 : 10);

	return slug_valid(slug) && !slug_reserved(slug) ? slug : NULL;
}

const char *
slug_from_name_once(void *owner, const char *name, bool open)
{
	return slug_try(owner, slug_from_name(owner, name), open, 0);
}

enum err
slug_make(struct ctx *c, const char *name, bool open, const char *owner, const char *artifact,
    const char **out)
{
	const char *base = slug_from_name(c->mem, name);

	for (int tries = 0; tries < 8; tries++) {
		const char *slug = slug_try(c->mem, base, open, tries);

		if (!slug)
			continue;
		if (slug_take(c, slug, owner, artifact) == E_OK) {
			*out = slug;
			return E_OK;
		}
		if (c->err != E_SLUG_TAKEN)
			return c->err;
	}
	return fail(c, E_SLUG_TAKEN, "slug: none could be generated from the name; specify one");
}

enum err
slug_take_label(struct ctx *c, const char *label, const char *workspace_id)
{
	int64_t changed;

	if (db_exec(c, EXEC("INSERT INTO slug (slug, workspace_id) VALUES (?, ?)"),
		ARGS(label, workspace_id), NULL) == E_OK)
		return E_OK;
	if (c->err != E_CONFLICT)
		return c->err;
	TRY(db_exec(c,
	    EXEC(
		"UPDATE slug"
		" SET owner_id = NULL, artifact_id = NULL, workspace_id = ?, released_at = NULL"
		" WHERE slug = ? AND released_at IS NOT NULL"
		" AND (workspace_id = ? OR released_at <= ?)"),
	    ARGS(workspace_id, label, workspace_id, conf_trash_end(c->conf, c->now)),
	    &changed));
	return changed
	    ? E_OK
	    : fail(c, E_SLUG_TAKEN,
		  "slug: the slug %s is already the address of an artifact; "
		  "change the slug of the workspace or of the artifact",
		  label);
}

enum err
slug_release_label(struct ctx *c, const char *label, const char *workspace_id)
{
	return db_exec(c,
	    EXEC(
		"UPDATE slug SET released_at = ?"
		" WHERE slug = ? AND workspace_id = ? AND released_at IS NULL"),
	    ARGS(c->now, label, workspace_id), NULL);
}

enum err
slug_release(struct ctx *c, const char *slug, const char *artifact)
{
	return db_exec(c,
	    EXEC(
		"UPDATE slug SET released_at = ?"
		" WHERE slug = ? AND artifact_id = ? AND released_at IS NULL"),
	    ARGS(c->now, slug, artifact), NULL);
}

static enum err
slug_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c,
	    EXEC(
		"DELETE FROM slug WHERE released_at <= ? AND NOT EXISTS"
		" (SELECT 1 FROM artifact a WHERE a.id = slug.artifact_id AND a.slug = slug.slug"
		" AND a.owner_id IS NOT NULL) LIMIT ?"),
	    ARGS(conf_trash_end(c->conf, c->now), limit), removed);
}

ROUNDS(slug, { "slugs", .rows = slug_reap });
