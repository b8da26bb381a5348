/* SPDX-License-Identifier: Apache-2.0
 * The rows of a publish, for publish.c. */
#ifndef VITRINE_PUBLISHROW_H
#define VITRINE_PUBLISHROW_H
#include "core/declare.h"
#include "site/fileview.h"
#include "site/manifest.h"

struct candidate;
struct merging;

/* publish_prepare() fills it; each try of the transaction works on a copy. */
struct publishing {
	struct ctx *c;
	const struct publish_new *in;
	const struct principal *who;
	struct artifact *art; /* NULL: a new one */
	const char *owner_id; /* of a new artifact */
	struct rights by;     /* an outsider's on the folder in which the new artifact is made */
	struct shared_with_list shown; /* to whom a new one's folder shows it */
	struct manifest m;
	struct merging *merging;   /* with what it is united; NULL: nothing */
	struct merged *merged;     /* for the reply */
	const struct candidate *candidate; /* NULL: it settles no conflicts */
	struct pwa_made *pwa;
	struct project_made *made;
	struct item **files; /* those whose rows aren't copied, in the order of their rows */
	size_t files_n;
	/* Their values after the publish; an approval that is required keeps the former ones
	 * (site/approval.h). */
	bool draft;
	const char *visibility; /* NULL: as it is */
	bool approved;          /* by a standing approval (site/standing.h) */
	int64_t checks;         /* bits; 0: none */
	const char *held_for;   /* why it isn't as open as requested; NULL: it is */
	const char *asked;      /* the visibility that it doesn't get */
	struct strs warnings;
	const char *yaml;     /* the text of vitrine.yaml; NULL if the files have none */
	const struct fm *yaml_top; /* it as a tree */
	const char *declared; /* the text; NULL also if it isn't applied, for an outsider */
	bool declared_last;   /* it was applied last */
	struct plan_step_list plan;
	uint8_t digest[SHA256_BYTES]; /* of the version; set by publishrow_version() */
	struct fileviews views;
};

/* True if going live now changes these fields of the artifact. */
bool publishing_changes(const struct publishing *, uint8_t has);
/* Inserts the version and its files, and does all that goes with them. The artifact's row is
 * locked. E_STORAGE_FULL. */
enum err publishrow_version(struct publishing *, const char *outbox_id);

/* Decides which views the version has, when its files are known. What the request leaves out, such
 * as its entry page, is as in the version that the files come from. */
enum err publish_views_plan(struct publishing *);
/* Draws them, when its files are stored, and adds them to made->files. */
enum err publish_views_make(struct publishing *);
/* The name that the artifact has or gets. */
const char *publishing_name(const struct publishing *);
/* Builds the version's tree. Views that were taken over and whose objects are lost are drawn
 * again. */
enum err publish_tree(struct publishing *);
#endif
