/* SPDX-License-Identifier: Apache-2.0
 * Measures of tables: the number of rows, or a figure of a column, as somebody sees the table.
 * Watches (watch/watch.h) and alerts (watch/alert.h) report changes. A write to a watched table
 * (data_table.watched) queues one outbox row, due within a minute; later writes share it.
 * Source: watch/README.md. */
#ifndef VITRINE_METRIC_H
#define VITRINE_METRIC_H
#include "data/table.h"

#define METRIC_KINDS "row_count|sum|avg|min|max|distinct|latest"

/* A measure of a table. column is NULL for row_count. */
struct metric {
	const char *table, *kind, *column;
};
struct metric_value {
	bool there; /* false: there was nothing to measure */
	double v;
};

/* E_INVALID: the table has no such column, or its type doesn't suit the kind. */
enum err metric_check(struct ctx *c, const struct data_table *t, const struct metric *m);
/* Measures the rows that tf's reader may read. out->there is false if the column is gone, has an
 * unsuitable type, or has no values. The sum of no values is 0. latest is the newest row's
 * value. */
enum err metric_measure(struct ctx *c, const struct table_for *tf, const struct metric *m,
    struct metric_value *out);
/* Returns the measure in words: "Sum of votes in guests". */
const char *metric_words(void *owner, const struct metric *m);

/* Reads the artifact that a body or query names. Admins of its workspace and users with at least
 * the role `least` may. Fails like a path's artifact with E_NOT_FOUND, E_PAUSED, or E_DENIED.
 * `lock`: locks its row. */
enum err metric_artifact(struct ctx *c, const char *id, const struct principal *who, bool lock,
    enum role least, struct artifact **out);
/* Reads the table with the rules for `who`. E_NOT_FOUND: no such table, or `who` may read none
 * of its rows. */
enum err metric_table(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *name, struct table_for *out);

/* Marks the table as watched: writers then queue checks. Call it in the transaction that adds
 * the watch or alert. E_NOT_FOUND: the table is gone. */
enum err metric_begin(struct ctx *c, const struct data_table *t);
/* Queues a check of the table within a minute, if it is watched. NULL means all tables of the
 * artifact. Runs in the caller's transaction. */
enum err metric_queue(struct ctx *c, const char *artifact_id, const char *table);

/* ---- for the runner: metriccheck.c ---- */

/* Runs the checks of an outbox row for about a second, each in its own transaction. *rest is the
 * payload for the remaining checks, or NULL. */
enum err metric_run(
    struct ctx *c, const char *artifact_id, const char *payload, const char **rest);

/* ---- between the files of this folder ---- */

/* Cache of measures within one check, for readers who see all rows. */
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
/* Clears the mark "watched" unless a watch or alert is left. Runs its own transaction. */
enum err metric_end(struct ctx *c, const char *artifact_id, const char *table);
/* True if `now` differs from `before` by at least that percentage of `before`. */
bool metric_differs(double before, double now, double percent);
#endif
