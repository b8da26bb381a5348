/* SPDX-License-Identifier: Apache-2.0
 * What must hold between rows and what the web server finds on the disk, a piece at a time: told by
 * fsck, mended by reproject, both by the scrub. Whoever asks for a piece has a context for it. */
#ifndef VITRINE_INSPECT_H
#define VITRINE_INSPECT_H
#include "db/db.h"

struct finding {
	const char *path; /* below data_dir */
	const char *why;
	bool mended;
};

/* How to look, and what was seen. Zeroes but for found. */
struct inspection {
	bool quick; /* nothing is read */
	bool mend;  /* what can be is made right again from rows and objects */
	bool calm;  /* what is being changed (its projection is in the outbox) is passed over */
	void (*found)(void *arg, const struct finding *);
	void *arg;
	int64_t bytes;  /* read, CHECK_ENTRY of store/tree.h for each file looked at */
	int64_t passed; /* artifacts that were passed over */
	int64_t mended; /* findings */
};

/* The tree of one version. */
enum err inspect_version(
    struct ctx *c, const char *artifact_id, int64_t version_no, struct inspection *);
/* The link to the live version, the address of what is open, and what else lies in the artifact's
 * directory. */
enum err inspect_artifact(struct ctx *c, const char *artifact_id, struct inspection *);
/* One name in sites/: it must be of an artifact that is shown, and lead there. */
enum err inspect_address(struct ctx *c, const char *slug, struct inspection *);
/* One name in trees/: it must be an artifact. */
enum err inspect_tree(struct ctx *c, const char *name, struct inspection *);
/* Each name in sites/ and trees/. */
enum err inspect_names(struct ctx *c, struct inspection *);
#endif
