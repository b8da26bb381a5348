/* SPDX-License-Identifier: Apache-2.0
 * Unites a publish with what others have published since the version that it was made from: by
 * paths, whose digests and declared types are compared, then by lines (base/textmerge.h). A path
 * that a publish in mode replace doesn't send is removed by it. Entry page, routing, mobile page,
 * PWA and views stay as they are live unless the request sets them, because a merge and a patch
 * name only what they change. A conflict becomes a candidate (site/candidate.h).
 *
 * A draft's changes are those since the version that was live when the draft was made; with the
 * draft as the base, a merge would take them back. People with an edit grant may name versions that
 * were live since their first grant, the one live at that time included. The page that an earlier
 * release added to a lone file takes no part, because the united file gets a view.
 *
 * If another version goes live after the files were prepared, they are united again with the
 * artifact's row locked, from rows alone, and the tree is built from rows after the commit. Only if
 * a text would have to be merged anew, vitrine.yaml becomes another one, which must be checked, or
 * there are views to draw, the request is prepared again (c->stale). */
#ifndef VITRINE_MERGE_H
#define VITRINE_MERGE_H
#include "site/manifest.h"

struct candidate;

struct merging {
	int64_t based_on; /* the version that the request names */
	/* The version from which both sides began: based_on, or for a draft the one that was live
	 * when it was made; 0: none. */
	int64_t base_no;
	int64_t live_no;             /* the live version when the request was prepared */
	struct former_row_list base; /* of base_no; read when it is needed */
	bool base_read;
	bool united;                 /* with live_no; false: nothing to unite */
	const struct candidate *candidate; /* that the request settles, or NULL */
	struct item *mine;                 /* the files as requested, by path */
	size_t n;
	struct solved {
		const char *path, *theirs; /* theirs: a digest */
		struct item item;
	} *solved; /* merged by lines */
	size_t solved_n;
	struct merged *told; /* for the reply; NULL if not united */
};

/* Reads what a publish with base_version, mode patch, or a candidate is made from, and adds the
 * files that it doesn't name. *out is NULL for other publishes. a NULL: a new artifact. E_INVALID,
 * E_NOT_FOUND, E_VERSION_CONFLICT. */
enum err merge_read(struct manifest *m, const struct artifact *a, const struct principal *who,
    const struct candidate *candidate, struct merging **out);
/* Replaces the manifest's files by the union with the live version, after manifest_resolve().
 * E_VERSION_CONFLICT stores a candidate. */
enum err merge_unite(struct manifest *m, struct merging *g, const struct principal *who);
/* Unites again, with the artifact's row locked, because another version went live since. Reads rows
 * only. If that isn't enough, the request is prepared again: E_VERSION_CONFLICT with c->stale. */
enum err merge_hold(struct manifest *m, const struct merging *g, const struct artifact *now,
    const struct principal *who, struct merged **told);
/* Fails so that the request is prepared again. live_no: the version that is live now. */
enum err merge_stale(struct ctx *, const struct merging *, int64_t live_no);
/* Keeps entrypoint, routing, mobile page and PWA of the version that files come from, unless the
 * request sets them. *views: which views are asked for; if NULL, those of that version. */
enum err merge_facts(struct manifest *m, const struct merging *g, const struct merged *told,
    struct version_row *v, const char **views);
#endif
