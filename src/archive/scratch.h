/* SPDX-License-Identifier: Apache-2.0
 * A private MariaDB below a folder, for one restored state: DIR/db has its rows, DIR/db.sock is its
 * socket, DIR/data a store, DIR/vitrine.yaml a configuration for vitrinectl. */
#ifndef VITRINE_ARCHIVE_SCRATCH_H
#define VITRINE_ARCHIVE_SCRATCH_H
#include "archive/restore.h"
#include "archive/tool.h"

struct scratch {
	const char *dir;
	struct conf *conf; /* with its socket and its data_dir */
	struct ctx *c;     /* of conf; connects on first use; NULL if the server didn't start */
	struct tool server; /* its pid is 0 if this process didn't start it */
};
/* Makes the folder if it isn't there, and starts the server if it doesn't run. The server runs
 * until scratch_stop(), or, unless it lasts, until this process ends. Only the caller's system user
 * can connect. Fails, with the end of the server's log, if the server doesn't answer in minutes. */
enum err scratch_start(struct ctx *c, const char *dir, bool lasts, struct scratch *out);
/* Ends the server that scratch_start() has started, also after a failure; kills it after a minute.
 */
void scratch_stop(struct ctx *c, struct scratch *);
/* Removes the folder with all that is in it, if there is one. Doesn't follow symbolic links. */
enum err scratch_remove(struct ctx *c, const char *dir);
/* Continue from where an earlier restore in this folder has come to. Sets r->base and r->skip; none
 * if it is new. *second is the second that it stands at, 0 if it is new. */
enum err scratch_continue(struct ctx *c, const char *dir, struct restore *r, int64_t *second);
enum err scratch_note(struct ctx *c, const struct scratch *, const struct restore *r);
#endif
