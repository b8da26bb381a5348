/* SPDX-License-Identifier: Apache-2.0
 * The projection: from the rows of an artifact to the directory tree that nginx serves. Idempotent;
 * run after each commit that concerns it, repeated by the runner, and by `vitrinectl reproject` for
 * everything. */
#ifndef VITRINE_PROJECT_H
#define VITRINE_PROJECT_H
#include "db/db.h"
#include "store/object.h"
#include "store/tree.h"

#define VERSION_ROW(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, INT,  version_no) \
	F(T, ID,   id, .arg = "ver_") \
	F(T, BOOL, is_open) \
	F(T, STR,  entrypoint) \
	F(T, STR,  routing) \
	F(T, STR,  mobile_sha256) \
	F(T, INT,  mobile_size) \
	F(T, JSON, pwa) \
	F(T, STR,  icon_sha256) \
	F(T, INT,  icon_size)
/* is_open: whoever sees the artifact sees it at its own address; the live one is seen in any
 * case. */
SHAPE_DECLARE(version_row, VERSION_ROW);

#define FILE_ROW(F, T) \
	F(T, STR,  path) \
	F(T, STR,  sha256) \
	F(T, INT,  size_bytes) \
	F(T, STR,  mime) \
	F(T, BOOL, declared)
SHAPE_DECLARE(file_row, FILE_ROW);

/* The facts for social tags, from the artifact’s row. */
struct page_facts {
	const char *name, *slug, *social_title, *social_description, *social_image_url;
};

/* A version that its transaction has made, for the projection after the commit: the tree is built
 * and only wants its place. In c->mem. */
struct project_made {
	struct version_row *version;
	struct page_facts facts; /* as the tree's entry has them */
	struct list files;       /* struct file_row */
	const char *building;    /* from project_build() */
	int64_t former_no;       /* live before, where its address may have to close; or 0 */
};

/* Builds the tree of a version from its rows as a temporary, not durably; the objects must have
 * names (batch_name). Derived pages are put as objects too. batch, or NULL: objects whose names
 * become durable now. */
enum err project_build(struct ctx *c, struct batch *batch, const struct version_row *v,
    const struct page_facts *facts, const struct list *files, const char **building);
/* Makes disk agree with the rows of the artifact, present or purged: all of it, whatever an earlier
 * projection came to. Its cost grows with the number of versions. */
enum err project_artifact(struct ctx *c, const char *artifact_id);
/* project_artifact() for a caller that holds the artifact’s lock (store/site.h). */
enum err project_artifact_held(struct ctx *c, const char *artifact_id);
/* Projects right after a commit: the version that was made and the live one. Failures of an earlier
 * projection are left to its outbox row. */
enum err project_effect(struct ctx *c, const struct effect *);
/* Holds the tree of one version against its rows; nothing is wrong with one that has none. What
 * its rows name and can't be read is a finding too. */
enum err project_check(
    struct ctx *c, const char *artifact_id, int64_t version_no, struct tree_check *);
/* Builds it again from rows and objects, in its place, and leaves an outbox row for the packer's
 * work. The rest of the artifact is projected with it. Under the artifact's lock. */
enum err project_rebuild(struct ctx *c, const char *artifact_id, int64_t version_no);
enum err project_pack(struct ctx *c, const char *artifact_id, int64_t budget_ms, bool *finished);
/* The outbox row need not be carried out again; and those of effects whose trees and links are now
 * made durable. */
enum err project_done_all(struct ctx *c, const struct strs *outbox_ids);
enum err project_done(struct ctx *c, const char *outbox_id);
#endif
