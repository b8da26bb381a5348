/* SPDX-License-Identifier: Apache-2.0 */
#include "care/reference.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/id.h"
#include "db/ids.h"
#include "store/rounds.h"

SHAPE_DEFINE(reference, REFERENCE);

enum err
reference_list(struct ctx *c, struct list *out)
{
	return db_all(c,
	    ROWS(reference,
		"SELECT sha256, size_bytes FROM version_file"
		" UNION SELECT mobile_sha256, mobile_size FROM version"
		" WHERE mobile_sha256 IS NOT NULL"
		" UNION SELECT icon_sha256, icon_size FROM version"
		" WHERE icon_sha256 IS NOT NULL"
		" UNION SELECT sha256, size_bytes FROM view"
		" UNION SELECT sha256, size_bytes FROM artifact_blob"
		" UNION SELECT sha256, size_bytes FROM merge_file"
		" UNION SELECT sha256, size_bytes FROM asset_blob"
		" UNION SELECT sha256, size_bytes FROM import WHERE sha256 IS NOT NULL"
		" UNION SELECT rows_sha256, rows_size FROM import"
		" WHERE rows_sha256 IS NOT NULL"
		" UNION SELECT sha256, size_bytes FROM picture WHERE sha256 IS NOT NULL"
		" UNION SELECT sha256, size_bytes FROM page_seen WHERE sha256 IS NOT NULL"
		" UNION SELECT phone_sha256, phone_size FROM page_seen"
		" WHERE phone_sha256 IS NOT NULL"
		" UNION SELECT from_sha256, from_size FROM compare_picture"
		" WHERE from_sha256 IS NOT NULL"
		" UNION SELECT to_sha256, to_size FROM compare_picture"
		" WHERE to_sha256 IS NOT NULL"
		" UNION SELECT sha256, size_bytes FROM pdf_page WHERE sha256 IS NOT NULL"
		" UNION SELECT sha256, size_bytes FROM asset_preview WHERE sha256 IS NOT NULL"
		" UNION SELECT logo_sha256, logo_size FROM workspace"
		" WHERE logo_sha256 IS NOT NULL"
		" UNION SELECT logo_sha256, logo_size FROM sharee"
		" WHERE logo_sha256 IS NOT NULL"),
	    NOARGS, out);
}

#define NAMED(F, T) F(T, INT, i)
SHAPE(named, NAMED);

static enum err
known_set(struct ctx *c, struct named_rows question, const char *json, struct sweep_item *items)
{
	const struct named *row;
	struct list rows;

	TRY(db_all(c, question, ARGS(json), &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++)
		items[row[i].i - 1].known = true;
	return E_OK;
}

/* Each scalar subquery ends at the first row in an index. MariaDB may turn EXISTS into a join,
 * which reads all rows of a digest that thousands name. */
enum err
reference_judge_objects(struct ctx *c, struct sweep_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		items[i].known = false;
	return known_set(c,
	    ROWS(named,
		"SELECT CAST(j.i AS SIGNED) AS i FROM " HASH_TABLE
		" WHERE (SELECT 1 FROM version_file f"
		" WHERE f.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM version m"
		" WHERE m.mobile_sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM version k"
		" WHERE k.icon_sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM view e"
		" WHERE e.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM artifact_blob b"
		" WHERE b.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM merge_file n"
		" WHERE n.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM asset_blob s"
		" WHERE s.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM import i"
		" WHERE i.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM import x"
		" WHERE x.rows_sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM picture p"
		" WHERE p.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM page_seen e"
		" WHERE e.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM page_seen o"
		" WHERE o.phone_sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM compare_picture d"
		" WHERE d.from_sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM compare_picture t"
		" WHERE t.to_sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM pdf_page g"
		" WHERE g.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM asset_preview v"
		" WHERE v.sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM workspace w"
		" WHERE w.logo_sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"
		" OR (SELECT 1 FROM sharee c"
		" WHERE c.logo_sha256 = UNHEX(j.h) LIMIT 1) IS NOT NULL"),
	    hashes_json(c, items->sha256, sizeof *items, n), items);
}

enum err
reference_judge_trees(struct ctx *c, struct sweep_item *items, size_t n)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < n; i++) {
		items[i].known = false;
		buf_fmt(&b, "%c{\"n\":%lld,\"a\":", i ? ',' : '[', (long long)items[i].no);
		buf_json(&b, id_valid(items[i].artifact, "art_") ? items[i].artifact : "");
		buf_chr(&b, '}');
	}
	buf_chr(&b, ']');
	return known_set(c,
	    ROWS(named,
		"SELECT CAST(j.i AS SIGNED) AS i FROM JSON_TABLE(?, '$[*]' COLUMNS"
		" (i FOR ORDINALITY, n BIGINT PATH '$.n', a " SQL_ID " PATH '$.a')) j"
		" WHERE IF(j.n = 0, (SELECT 1 FROM artifact a WHERE a.id = j.a),"
		" (SELECT 1 FROM version v"
		" WHERE v.artifact_id = j.a AND v.version_no = j.n)) IS NOT NULL"),
	    buf_done(&b), items);
}

/* ---- the rounds ---- */

static enum err
objects_piece(struct ctx *c, struct sweep_at *at)
{
	return object_sweep(c, reference_judge_objects, c->conf->grace_s, at);
}

static enum err
trees_piece(struct ctx *c, struct sweep_at *at)
{
	return tree_sweep(c, reference_judge_trees, c->conf->grace_s, at);
}

ROUNDS(reference, { "objects", .piece = objects_piece, .how = DAILY, .each = true },
    { "trees", .piece = trees_piece, .how = DAILY, .each = true });
