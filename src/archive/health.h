/* SPDX-License-Identifier: Apache-2.0
 * The state of the continuous backup: for the operator, doctor, and metrics. */
#ifndef VITRINE_ARCHIVE_HEALTH_H
#define VITRINE_ARCHIVE_HEALTH_H
#include "archive/log.h"
#include "base/gauge.h"

#define BACKUP_PROOF(F, T) \
	F(T, TIME, proved_at) \
	F(T, TIME, to_second) \
	F(T, INT,  seconds, .doc = "That it took") \
	F(T, INT,  bytes, .doc = "Of the objects that were read") \
	F(T, STR,  base, .doc = "The name of the base that was restored") \
	F(T, STR,  why, .flags = F_NUL, .doc = "Why it failed")
SHAPE_DECLARE(backup_proof, BACKUP_PROOF);
enum err proof_last(struct ctx *c, struct backup_proof **out); /* before the first, *out is NULL */
enum err proof_keep(struct ctx *c, const struct backup_proof *);

/* Each part of it, in the order in which `backup status` prints them. */
enum health_part { HEALTH_BASE, HEALTH_LOG, HEALTH_OBJECTS, HEALTH_PROOF, HEALTH_WINDOW,
	HEALTH_PARTS };
extern const char *const health_names[HEALTH_PARTS];
struct health {
	struct {
		bool good;
		const char *say;
		int64_t at; /* Unix second of the newest; 0: never */
	} part[HEALTH_PARTS];
	int64_t from, to; /* the window, up to now without a hole; 0: none */
	bool hole;        /* pieces after it can't be reached */
	const char *trouble; /* why the runner last failed to copy; NULL: it didn't */
};
/* Reads names in the backup, and the last proof's row. Fails if the backup can't be opened. */
enum err health_read(struct ctx *c, struct health *out);
/* Like health_read(), of what was read already. newest may be NULL. */
enum err health_of(struct ctx *c, const struct chains *, const struct base *newest,
    struct health *out);
/* Returns an object with a member for each part. The runner keeps it in HEALTH_FILE, for workers,
 * which can't read the backup. */
const char *health_json(void *owner, const struct health *);
#define HEALTH_FILE "status" /* for archive_path() */
/* Sets the backup's gauges. Reads one row and a file. */
enum err health_gauges(struct ctx *c, int64_t gauges[GAUGES]);
/* Finds why MariaDB's settings would lose commits or the log; *why is NULL if they are right. */
enum err health_settings(struct ctx *c, const char **why);
#endif
