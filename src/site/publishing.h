/* SPDX-License-Identifier: Apache-2.0
 * A publish, between the files that do it: publish.c checks it and stores its bytes, publishrow.c
 * writes the rows of its version. */
#ifndef VITRINE_PUBLISHING_H
#define VITRINE_PUBLISHING_H
#include "core/outside.h"
#include "site/manifest.h"

enum {
	FILES_AT_ONCE = 100 /* a millisecond of the database per piece; then other requests have
			     * their turn */
};

/* publish_prepare() fills it; each try of the transaction works on a copy. */
struct publishing {
	struct ctx *c;
	const struct publish_new *in;
	const struct principal *who;
	struct artifact *art; /* NULL: a new one */
	const char *owner_id; /* of a new artifact */
	struct rights by;     /* an outsider's rights on the folder, to make a new one there */
	struct shared_with_list shown; /* to whom a new one's folder shows it */
	struct manifest m;
	struct pwa_made *pwa;
	struct project_made *made;
	struct item **files; /* those whose rows aren't copied, in the order of their rows */
	size_t files_n;
	/* Their values after the publish; an approval that is required keeps the former ones
	 * (site/approval.h). */
	bool draft;
	const char *visibility; /* NULL: as it is */
	bool approved;          /* by a standing approval (site/standing.h) */
	const char *held_for;   /* why it isn't as open as requested; NULL: it is */
	struct strs warnings;
	const char *declared; /* the text of vitrine.yaml, or NULL */
	bool declared_last;   /* it was applied last */
	struct plan_step_list plan;
};

/* True if going live now changes these fields of the artifact. */
bool publish_changes_now(const struct publishing *, uint8_t has);
/* Writes a version with its first file. outbox_id: of the projection. E_STORAGE_FULL. */
enum err publish_version_record(struct publishing *, const char *outbox_id);
/* Of a draft: what it changes when it goes live. */
enum err publish_draft_record(struct publishing *);
/* Writes n more files, from w->files[from] on. */
enum err publish_files_record(struct publishing *, size_t from, size_t n);
/* After these, of a version of several files. E_STORAGE_FULL. */
enum err publish_storage_record(struct publishing *);
#endif
