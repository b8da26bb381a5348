/* SPDX-License-Identifier: Apache-2.0
 * A private MariaDB below a folder, for one restored state: DIR/db has its rows, DIR/db.sock is its
 * socket, DIR/data a store, DIR/vitrine.yaml a configuration for vitrinectl. */
#ifndef VITRINE_ARCHIVE_SCRATCH_H
#define VITRINE_ARCHIVE_SCRATCH_H
#include "archive/restore.h"

struct scratch {
	const char *dir;
	struct conf *conf; /* with its socket and its data_dir */
	struct ctx *c;     /* of conf; connects on first use */
};
/* Makes the folder if it isn't there, and starts the server if it doesn't run. It runs on until
 * scratch_stop(), also after this process has ended. Only the caller's system user can connect. */
enum err scratch_start(struct ctx *c, const char *dir, struct scratch *out);
void scratch_stop(struct ctx *c, const struct scratch *);
/* Continue from where an earlier restore in this folder has come to. Sets r->base and r->skip; none
 * if it is new. *second is the second that it stands at, 0 if it is new. */
enum err scratch_continue(struct ctx *c, const char *dir, struct restore *r, int64_t *second);
enum err scratch_note(struct ctx *c, const struct scratch *, const struct restore *r);
#endif
