/* SPDX-License-Identifier: Apache-2.0
 * The projection writes the directory tree that nginx serves from the rows of an artifact. It is
 * idempotent. It runs after each commit that changes the artifact, the runner repeats it, and
 * `vitrinectl reproject` does it for all. */
#ifndef VITRINE_PROJECT_H
#define VITRINE_PROJECT_H
#include "db/db.h"
#include "site/versionrow.h"
#include "store/object.h"
#include "store/tree.h"

/* The facts for social tags, from the artifact’s row. */
struct page_facts {
	const char *name, *slug, *social_title, *social_description, *social_image_url;
};

/* A version that the transaction has made, for the projection after the commit: its tree is built,
 * but not yet in its place. In c->mem. */
struct project_made {
	struct version_row *version;
	struct page_facts facts; /* as the tree has them */
	struct list files;       /* struct file_row, views included */
	const char *building;    /* from project_build(); NULL: it is built from the rows */
	int64_t former_no;       /* the former live version, whose address may have to close; or
				  * 0 */
};

/* Builds the tree of a version from its rows as a temporary, not durably; the objects must have
 * names (batch_name). Stores derived pages as objects too. batch NULL: the names of the objects
 * become durable now. */
enum err project_build(struct ctx *c, struct batch *batch, const struct version_row *v,
    const struct page_facts *facts, const struct list *files, const char **building);
/* Reads a version's row; NULL if there is none. */
enum err project_version(
    struct ctx *c, const char *artifact_id, int64_t version_no, struct version_row **out);
/* Projects all of an artifact, present or purged, whatever an earlier projection left. The cost
 * grows with the number of versions. */
enum err project_artifact(struct ctx *c, const char *artifact_id);
/* project_artifact() for a caller that holds the artifact’s lock (store/site.h). */
enum err project_artifact_held(struct ctx *c, const char *artifact_id);
/* Projects the new version and the live one right after a commit. The outbox row of an earlier
 * projection that failed stays. */
enum err project_effect(struct ctx *c, const struct effect *);
/* Does project_effect() for all that the runner has just committed, and forgets it. The outbox row
 * of each stays, so the runner repeats one that failed some seconds later. */
void project_effects(struct ctx *c);
/* Closes all that must not be shown any more, without building anything. */
enum err project_withdraw(struct ctx *c, const char *artifact_id);
/* Fetches the files of versions without a tree that are only in the store, without a lock. */
enum err project_fetch(struct ctx *c, const char *artifact_id);
/* Compares the tree of one version with its rows, and reports files that its rows name and that
 * can't be read. A version without a tree is right. */
enum err project_check(
    struct ctx *c, const char *artifact_id, int64_t version_no, struct tree_check *);
/* Builds the tree again from rows and objects, in its place, and leaves an outbox row for the
 * packer. Projects the rest of the artifact, too. The caller has the artifact's lock. */
enum err project_rebuild(struct ctx *c, const char *artifact_id, int64_t version_no);
/* Packs the live version (tree_pack() in store/tree.h). packs_place() must follow. */
enum err project_pack(struct ctx *c, struct packs *packs, const char *artifact_id,
    int64_t budget_ms, bool *finished);
/* Deletes the outbox row; the second one also those of effects whose trees and links are now made
 * durable. */
enum err project_done_all(struct ctx *c, const struct strs *outbox_ids);
enum err project_done(struct ctx *c, const char *outbox_id);
#endif
