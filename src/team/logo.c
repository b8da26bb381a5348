/* SPDX-License-Identifier: Apache-2.0 */
#include "team/logo.h"

#include "base/png.h"
#include "base/str.h"

enum { NAME_BYTES = 16 };

bool
logo_name_valid(const char *name)
{
	return strlen(name) == 2 * NAME_BYTES && !name[strspn(name, "0123456789abcdef")];
}

enum err
logo_keep(struct ctx *c, const char *where, const char *bytes, size_t n, struct object **out)
{
	struct raster whole, image;
	struct batch *batch;
	const char *png;
	size_t png_n;

	TRY(raster_read(c, where, bytes, n, &whole));
	TRY(raster_fit(c, &whole, LOGO_SIDE, &image));
	TRY(png_write(c, &image, &png, &png_n));
	TRY(batch_begin(c, &batch));
	*out = mem_new(c->mem, struct object);
	TRY(batch_put(c, batch, png, png_n, *out));
	return batch_sync(c, batch);
}

enum err
logo_store(struct ctx *c, const struct span *bytes, struct object **out)
{
	char *sent = mem_zalloc(c->mem, LOGO_BYTES);

	if (bytes->n > LOGO_BYTES)
		return fail(c, E_FILE_TOO_LARGE, "file: is %s; the maximum is %s",
		    str_amount(c->mem, bytes->n), str_amount(c->mem, LOGO_BYTES));
	TRY(span_read(c, bytes, sent, (size_t)bytes->n));
	return logo_keep(c, "file", sent, (size_t)bytes->n, out);
}

const char *
logo_name(struct ctx *c)
{
	uint8_t raw[NAME_BYTES];

	crypto_random(raw, sizeof raw);
	return crypto_hex(c->mem, raw, sizeof raw);
}

enum err
logo_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct object *o)
{
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE workspace SET logo = ?, logo_sha256 = ?, logo_size = ?, updated_at = ?"
		" WHERE id = ?"),
	    ARGS(logo_name(c), ((struct bytes){ o->sha256, SHA256_BYTES }), o->size, c->now,
		w->id)));
	return audit_workspace(c, w, who, "logo.changed", NULL, NULL);
}

enum err
logo_remove(struct ctx *c, const struct workspace *w, const struct principal *who)
{
	if (!w->logo)
		return E_OK;
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE workspace"
		" SET logo = NULL, logo_sha256 = NULL, logo_size = NULL, updated_at = ?"
		" WHERE id = ?"),
	    ARGS(c->now, w->id)));
	return audit_workspace(c, w, who, "logo.removed", NULL, NULL);
}

#define LOGO_OBJECT(F, T) F(T, STR, sha256)
SHAPE(logo_object, LOGO_OBJECT);

enum err
logo_find(struct ctx *c, const char *name, const char **sha256_hex)
{
	struct logo_object *row;

	TRY(db_one(c,
	    ROWS(logo_object,
		"SELECT logo_sha256 AS sha256 FROM workspace"
		" WHERE logo = ? AND deleted_at IS NULL"
		" UNION ALL SELECT s.logo_sha256 FROM sharee s JOIN workspace w"
		" ON w.id = s.workspace_id AND w.deleted_at IS NULL WHERE s.logo = ?"),
	    ARGS(name, name), &row));
	*sha256_hex = row->sha256;
	return E_OK;
}
