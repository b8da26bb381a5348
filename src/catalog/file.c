/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/file.h"

#include "base/path.h"
#include "base/str.h"
#include "base/unicode.h"

SHAPE_DEFINE(catalog_column, CATALOG_COLUMN);

#define FIELDS "kind|title|description|domain|status|tags|owner|columns|source|upstream"

/* ---- the path ---- */

static bool
is_yaml(const char *path)
{
	return str_ends(path, ".yaml") || str_ends(path, ".yml");
}

enum err
catalog_path_check(struct ctx *c, const char **given)
{
	const char *path;

	TRY(path_check(c, "path", given));
	path = *given;
	if (strlen(path) > CATALOG_PATH_BYTES)
		return fail(c, E_INVALID, "path: has %zu bytes; the maximum is %d", strlen(path),
		    CATALOG_PATH_BYTES);
	if (!(is_yaml(path) || str_ends(path, ".md")) || *str_base(path) == '.')
		return fail(c, E_INVALID, "path: %s must end in .md, .yaml or .yml", path);
	return E_OK;
}

void
catalog_path_key(struct ctx *c, const char *path, uint8_t key[SHA256_BYTES])
{
	const char *fold = unicode_casefold_nfkc(c->mem, path);

	crypto_sha256(fold, strlen(fold), key);
}

const char *
catalog_file_text(struct ctx *c, const char *path, const char *content)
{
	struct frontmatter f;

	if (!is_yaml(path) && frontmatter_read(c, content, false, &f) == E_OK)
		return f.body;
	ctx_forgive(c);
	return NULL;
}

const char *
catalog_beside(struct ctx *c, const char *path, const char *address)
{
	const char *out = path_beside(c->mem, path, address);

	if (!out || catalog_path_check(c, &out)) {
		ctx_forgive(c);
		return NULL;
	}
	return out;
}

/* ---- one field ---- */

struct field_rule {
	const char *name;
	size_t most;      /* maximum number of characters */
	bool lines;       /* may have several lines */
	const char *none; /* characters that it must not contain */
};

static enum err
text_of(struct ctx *c, const struct fm *at, const struct field_rule *rule, const char **out)
{
	*out = NULL;
	if (!at)
		return E_OK;
	if (at->kind != FM_TEXT)
		return fm_fail(c, at, "%s must be a text", rule->name);
	if (!at->text || !at->text[strspn(at->text, " \t\r\n")])
		return E_OK;
	if (str_chars(at->text) > rule->most)
		return fm_fail(c, at, "%s has %zu characters; the maximum is %zu", rule->name,
		    str_chars(at->text), rule->most);
	if (!(rule->lines ? str_plain_lines(at->text) : str_plain(at->text)))
		return fm_fail(c, at, "%s must be %s, without invisible characters", rule->name,
		    rule->lines ? "text" : "one line of text");
	if (rule->none && strpbrk(at->text, rule->none))
		return fm_fail(c, at, "%s must not contain a comma", rule->name);
	*out = unicode_name(c->mem, at->text);
	return E_OK;
}

static enum err
word_of(struct ctx *c, const struct fm *at, const char *name, const char *words,
    const char *absent, const char **out)
{
	TRY(text_of(c, at, &(struct field_rule){ .name = name, .most = 40 }, out));
	if (!*out)
		*out = absent;
	return str_in(*out, words)
	    ? E_OK
	    : fm_fail(c, at, "%s: %s must be %s", name, *out, str_or(c->mem, words));
}

/* A list of texts; one text counts as a list. */
struct items {
	const struct fm *v;
	size_t n;
};

static enum err
items_of(struct ctx *c, const struct fm *at, const char *name, size_t most, struct items *out)
{
	*out = (struct items){ 0 };
	if (!at || (at->kind == FM_TEXT && !at->text))
		return E_OK;
	if (at->kind == FM_MAP)
		return fm_fail(c, at, "%s must be a list, such as [a, b]", name);
	*out = at->kind == FM_LIST ? (struct items){ at->v, at->n } : (struct items){ at, 1 };
	return out->n <= most
	    ? E_OK
	    : fm_fail(c, at, "%s has %zu items; the maximum is %zu", name, out->n, most);
}

static enum err
tags_of(struct ctx *c, const struct fm *at, struct strs *out)
{
	const struct field_rule rule = { .name = "A tag", .most = CATALOG_TAG, .none = "," };
	struct items items;
	const char *tag;

	TRY(items_of(c, at, "tags", CATALOG_TAGS, &items));
	out->v = mem_array(c->mem, const char *, items.n + 1);
	for (size_t i = 0; i < items.n; i++) {
		TRY(text_of(c, &items.v[i], &rule, &tag));
		if (tag && !strs_have(out, tag))
			out->v[out->n++] = tag;
	}
	return E_OK;
}

static enum err
upstream_of(struct ctx *c, const struct fm *at, const char *path, struct strs *out)
{
	const struct field_rule rule = { .name = "A path", .most = CATALOG_PATH_BYTES };
	struct items items;
	const char *from;

	TRY(items_of(c, at, "upstream", CATALOG_UPSTREAM, &items));
	out->v = mem_array(c->mem, const char *, items.n + 1);
	for (size_t i = 0; i < items.n; i++) {
		TRY(text_of(c, &items.v[i], &rule, &from));
		if (from && catalog_path_check(c, &from)) {
			const char *why = c->message;

			ctx_forgive(c);
			return fm_fail(c, &items.v[i], "upstream: %s", why);
		}
		if (from && !str_eq(from, path) && !strs_have(out, from))
			out->v[out->n++] = from;
	}
	return E_OK;
}

/* ---- columns and source ---- */

static enum err
column_of(struct ctx *c, const struct fm *at, struct catalog_column *out)
{
	if (at->kind != FM_MAP)
		return fm_fail(c, at, "a column must have a name, such as - name: amount");
	TRY(text_of(c, fm_get(at, "name"),
	    &(struct field_rule){ .name = "name", .most = CATALOG_COLUMN_NAME }, &out->name));
	TRY(text_of(c, fm_get(at, "type"),
	    &(struct field_rule){ .name = "type", .most = CATALOG_COLUMN_TYPE }, &out->type));
	TRY(text_of(c, fm_get(at, "description"),
	    &(struct field_rule){
		.name = "description", .most = CATALOG_COLUMN_DESCRIPTION, .lines = true },
	    &out->description));
	return out->name ? E_OK : fm_fail(c, at, "a column must have a name");
}

struct named {
	const char *name;
	const struct fm *at;
};

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static enum err
columns_of(struct ctx *c, const struct fm *at, struct catalog_column_list *out)
{
	struct named *names;
	struct items items;

	TRY(items_of(c, at, "columns", CATALOG_COLUMNS, &items));
	out->v = mem_array(c->mem, struct catalog_column, items.n + 1);
	names = mem_array(c->mem, struct named, items.n + 1);
	for (; out->n < items.n; out->n++) {
		TRY(column_of(c, &items.v[out->n], &out->v[out->n]));
		names[out->n] = (struct named){ out->v[out->n].name, &items.v[out->n] };
	}
	qsort(names, items.n, sizeof *names, by_name);
	for (size_t i = 1; i < items.n; i++)
		if (str_eq(names[i].name, names[i - 1].name))
			return fm_fail(
			    c, names[i].at, "columns: %s is there twice", names[i].name);
	return E_OK;
}

static enum err
source_of(struct ctx *c, const struct fm *at, struct catalog_meta *out)
{
	const struct field_rule rule = { .name = "source", .most = CATALOG_TITLE };

	if (!at || (at->kind == FM_TEXT && !at->text))
		return E_OK;
	if (at->kind != FM_MAP)
		return fm_fail(c, at,
		    "source must be {artifact: slug, table: name}, {artifact: slug}, or "
		    "{connection: name}");
	TRY(text_of(c, fm_get(at, "artifact"), &rule, &out->artifact));
	TRY(text_of(c, fm_get(at, "table"), &rule, &out->table));
	TRY(text_of(c, fm_get(at, "connection"), &rule, &out->connection));
	if (!out->artifact == !out->connection || (out->connection && out->table))
		return fm_fail(c, at,
		    "source must name either an artifact, and perhaps a table of it, "
		    "or a connection");
	out->source = at;
	return E_OK;
}

/* ---- the whole file ---- */

/* Returns the first heading of level 1, or else the name at the end of the path. */
static const char *
title_default(struct ctx *c, const char *path, const char *body)
{
	const char *line = NULL, *base = str_base(path);

	for (const char *s = body; s && !line; s = strchr(s, '\n'), s += s != NULL)
		if (str_starts(s, "# "))
			line = mem_strndup(c->mem, s + 2, strcspn(s + 2, "\r\n"));
	line = line ? unicode_name(c->mem, str_one_line(c->mem, line)) : NULL;
	if (!line || !*line)
		line = mem_strndup(c->mem, base, (size_t)(strrchr(base, '.') - base));
	return str_cut(c->mem, line, CATALOG_TITLE);
}

static enum err
meta_of(struct ctx *c, const char *path, const struct frontmatter *f, struct catalog_meta *m)
{
	const struct fm *top = f->top;

	TRY(word_of(c, fm_get(top, "kind"), "kind", CATALOG_KINDS, "doc", &m->kind));
	TRY(text_of(c, fm_get(top, "title"),
	    &(struct field_rule){ .name = "title", .most = CATALOG_TITLE }, &m->title));
	TRY(text_of(c, fm_get(top, "description"),
	    &(struct field_rule){
		.name = "description", .most = CATALOG_DESCRIPTION, .lines = true },
	    &m->description));
	TRY(text_of(c, fm_get(top, "domain"),
	    &(struct field_rule){ .name = "domain", .most = CATALOG_DOMAIN, .none = "," },
	    &m->domain));
	TRY(word_of(
	    c, fm_get(top, "status"), "status", CATALOG_STATUSES, "draft", &m->status));
	TRY(tags_of(c, fm_get(top, "tags"), &m->tags));
	TRY(text_of(c, fm_get(top, "owner"),
	    &(struct field_rule){ .name = "owner", .most = CATALOG_OWNER }, &m->owner));
	TRY(columns_of(c, fm_get(top, "columns"), &m->columns));
	TRY(source_of(c, fm_get(top, "source"), m));
	TRY(upstream_of(c, fm_get(top, "upstream"), path, &m->upstream));
	if (!m->title)
		m->title = title_default(c, path, f->body);
	return E_OK;
}

enum err
catalog_file_read(struct ctx *c, const char *path, const char *content, struct catalog_meta *out)
{
	struct frontmatter f;

	*out = (struct catalog_meta){ 0 };
	if (strlen(content) > CATALOG_FILE_BYTES)
		return fail(c, E_FILE_TOO_LARGE, "content: has %zu bytes; the maximum is %d",
		    strlen(content), CATALOG_FILE_BYTES);
	TRY(frontmatter_read(c, content, is_yaml(path), &f));
	TRY(meta_of(c, path, &f, out));
	for (size_t i = 0; f.top && i < f.top->n; i++)
		if (!str_in(f.top->v[i].name, FIELDS))
			warn(c, "Line %d: %s isn't a field of the catalog; it is kept, and unused",
			    f.top->v[i].line, str_cut(c->mem, f.top->v[i].name, 40));
	return E_OK;
}

const char *
catalog_words(struct ctx *c, const char *path, const struct catalog_meta *m)
{
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "%s\n", m->title);
	for (size_t i = 0; i < m->tags.n; i++)
		buf_fmt(&b, "%s%s", i ? ", " : "", m->tags.v[i]);
	buf_fmt(&b, "\n%s\n%s", path, m->description ? m->description : "");
	return unicode_casefold_nfkc(c->mem, buf_done(&b));
}
