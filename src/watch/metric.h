/* SPDX-License-Identifier: Apache-2.0
 * Measures of users' tables: how many rows, what a column's numbers come to, as somebody sees them.
 * Watches (watch/watch.h) and alerts (watch/alert.h) tell people when one changes.
 *
 * Whoever writes to a table that is watched (data_table.watched) queues one outbox row for it, due
 * within a minute; what is written meanwhile is in the same check. Source: watch/README.md. */
#ifndef VITRINE_METRIC_H
#define VITRINE_METRIC_H
#include "data/table.h"

#define METRIC_KINDS "row_count|sum|avg|min|max|distinct|latest"

/* What is measured: kind, and the column, which row_count has none of. */
struct metric {
	const char *table, *kind, *column;
};
struct metric_value {
	bool there; /* else there is nothing to measure */
	double v;
};

/* E_INVALID when the table has no such column, or one that the kind can't be of. */
enum err metric_check(struct ctx *c, const struct data_table *t, const struct metric *m);
/* Of the rows that tf's reader may read. Not there: the column is gone (or of another type), or no
 * row has a value. sum of none is 0; latest is that of the newest row. */
enum err metric_measure(struct ctx *c, const struct table_for *tf, const struct metric *m,
    struct metric_value *out);
/* "Sum of votes in guests" */
const char *metric_words(void *owner, const struct metric *m);
const char *metric_number(void *owner, double v); /* for people: "1,204.5" */

/* The artifact that a body or a query names, for who has at least that role on it or governs its
 * workspace: E_NOT_FOUND, E_PAUSED and E_DENIED as for one that a path names. lock: its row is
 * held. */
enum err metric_artifact(struct ctx *c, const char *id, const struct principal *who, bool lock,
    enum role least, struct artifact **out);
/* The table as somebody may read it; E_NOT_FOUND when they may read none of its rows. */
enum err metric_table(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *name, struct table_for *out);

/* From now on who writes to the table queues a check. In the transaction that adds what watches it;
 * E_NOT_FOUND when the table has gone. */
enum err metric_begin(struct ctx *c, const struct data_table *t);
/* Has the measures of a table (NULL: of all of the artifact's) checked within a minute, if it is
 * watched. In the caller's transaction. */
enum err metric_queue(struct ctx *c, const char *artifact_id, const char *table);

/* ---- for the runner: metriccheck.c ---- */

/* Checks what the outbox row of that subject and payload is about, for about a second; *rest is the
 * payload for what is left, or NULL. A transaction for each watch and alert. */
enum err metric_run(
    struct ctx *c, const char *artifact_id, const char *payload, const char **rest);

/* ---- between the files of this noun ---- */

/* What has been measured already in a check, for those who see all rows. */
struct metric_seen {
	void *mem;
	size_t n;
	struct {
		struct metric m;
		struct metric_value v;
	} v[64];
};
enum err metric_measure_once(struct ctx *c, const struct table_for *tf, const struct metric *m,
    struct metric_seen *seen, struct metric_value *out);
/* The last watch has gone, unless one is being added: that holds the table's row first. A
 * transaction of its own. */
enum err metric_end(struct ctx *c, const char *artifact_id, const char *table);
/* Whether a value is another by so many percent of the first. */
bool metric_differs(double before, double now, double percent);
#endif
