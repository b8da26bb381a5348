/* SPDX-License-Identifier: Apache-2.0
 * Checks what must hold between rows and the files that nginx serves, a piece at a time. fsck
 * reports problems, reproject repairs them, the scrub does both. The caller has a context for each
 * piece. */
#ifndef VITRINE_INSPECT_H
#define VITRINE_INSPECT_H
#include "db/db.h"

struct finding {
	const char *path; /* below data_dir */
	const char *why;
	bool mended;
	bool rows; /* the rows are wrong, which only a backup of them mends */
};

/* Says how to check, and collects results. The caller sets found; the rest may be zero. */
struct inspection {
	bool quick; /* don't read file contents */
	bool mend;  /* rebuild what rows and objects allow */
	bool calm;  /* skip artifacts whose projection is in the outbox */
	void (*found)(void *arg, const struct finding *);
	void *arg;
	int64_t bytes;  /* that were read, and CHECK_ENTRY (store/tree.h) more for each file */
	int64_t passed; /* artifacts that were skipped */
	int64_t mended; /* findings */
};

/* Checks the tree of a version. */
enum err inspect_version(
    struct ctx *c, const char *artifact_id, int64_t version_no, struct inspection *);
/* Checks the link to the live version, the address if the artifact is open, and that the artifact's
 * directory has nothing else. */
enum err inspect_artifact(struct ctx *c, const char *artifact_id, struct inspection *);
/* Checks that a name in sites/ belongs to an artifact that is shown, and leads there. */
enum err inspect_address(struct ctx *c, const char *slug, struct inspection *);
/* Checks that a name in trees/ is an artifact's. */
enum err inspect_tree(struct ctx *c, const char *name, struct inspection *);
/* Checks each name in sites/ and trees/. */
enum err inspect_names(struct ctx *c, struct inspection *);
#endif
