/* SPDX-License-Identifier: Apache-2.0 */
#include "http/packer.h"

#include "base/confine.h"
#include "base/log.h"
#include "base/str.h"
#include "db/db.h"
#include "http/above.h"
#include "http/child.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <unistd.h>

/* The packer waits SETTLE_MS first, so a site that changes several times is packed once. */
enum { SETTLE_MS = 200, PACK_MS = 3000, NOTES = 512, ID_ROOM = 41 };

struct note {
	char artifact_id[ID_ROOM], outbox_id[ID_ROOM];
};
_Static_assert(sizeof(struct note) <= PIPE_BUF, "a note is written whole or not at all");

int packer_ends[2] = { -1, -1 };

bool
packer_open(void)
{
	if (packer_ends[0] >= 0)
		return true;
	/* A worker must not wait here. If the pipe is full, the runner packs the site. */
	return pipe2(packer_ends, O_CLOEXEC) == 0 &&
	    fcntl(packer_ends[1], F_SETFL, O_NONBLOCK) == 0;
}

void
packer_note(const struct effect *e)
{
	struct note note = { 0 };

	if (e->links)
		return;
	snprintf(note.artifact_id, ID_ROOM, "%s", e->artifact_id);
	snprintf(note.outbox_id, ID_ROOM, "%s", e->outbox_id);
	(void)!write(packer_ends[1], &note, sizeof note);
}

/* Packs each artifact once for all its notes, because packing uses the live version. */
static void
artifacts_pack(struct ctx *all, struct packs *packs, const struct note *notes, size_t n,
    struct strs *done)
{
	for (size_t i = 0; i < n; i++) {
		struct ctx *c;
		size_t first = 0;
		bool finished;
		enum err e;

		while (!str_eq(notes[first].artifact_id, notes[i].artifact_id))
			first++;
		if (first < i)
			continue; /* it was packed then */
		child_wait(-1, 0);
		c = ctx_begin(all->conf, all->db);
		e = effect_pack(c, packs, notes[i].artifact_id, PACK_MS, &finished);
		for (size_t k = i; !e && finished && k < n; k++)
			if (str_eq(notes[k].artifact_id, notes[i].artifact_id))
				done->v[done->n++] = notes[k].outbox_id;
		if (e)
			log_line(LOG_LEVEL_WARN, "not packed", "artifact", notes[i].artifact_id,
			    "why", ctx_why(c), NULL);
		db_rollback(c);
		ctx_end(c);
	}
}

/* Packs the artifacts of the notes, then syncs all at once, because each syncfs() also writes what
 * others have changed. */
static enum err
notes_work(struct ctx *c, const struct note *notes, size_t n)
{
	const char *ids[NOTES];
	struct strs done = { ids, 0 };
	struct packs *packs;

	TRY(effects_pack(c, &packs));
	artifacts_pack(c, packs, notes, n, &done);
	return effects_done(c, packs, &done);
}

void
packer_run(const struct conf *conf)
{
	void *mem = mem_root("packer");
	struct db *db = db_new(mem, conf, DB_REQUEST_S);
	struct note *notes = mem_array(mem, struct note, NOTES);
	struct ctx *c;
	ssize_t n;

	db_quiet(db);
	close(packer_ends[1]);
	confine(conf);
	for (;;) {
		child_wait(packer_ends[0], -1);
		child_wait(-1, SETTLE_MS);
		n = read(packer_ends[0], notes, NOTES * sizeof *notes);
		if (n <= 0)
			break;
		c = ctx_begin(conf, db);
		if (notes_work(c, notes, (size_t)n / sizeof *notes))
			log_line(LOG_LEVEL_WARN, "not made durable", "why", ctx_why(c), NULL);
		db_rollback(c);
		ctx_end(c);
		malloc_trim(0);
	}
	mem_free(mem);
}
