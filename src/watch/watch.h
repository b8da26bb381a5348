/* SPDX-License-Identifier: Apache-2.0
 * Watches mail somebody when a measure of a table (watch/metric.h), as they see it, has changed
 * by a percentage since the last e-mail. Source: interface, "Metric alerts and watches";
 * watch/README.md. */
#ifndef VITRINE_WATCH_H
#define VITRINE_WATCH_H
#include "watch/metric.h"

enum { WATCHES_A_PERSON = 50, WATCHES_AN_ARTIFACT = 200 };

#define METRIC_WATCH(F, T) \
	F(T, ID,   id,              .arg = "wat_") \
	F(T, ID,   artifact_id,     .arg = "art_") \
	F(T, STR,  table) \
	F(T, WORD, kind,            .arg = METRIC_KINDS) \
	F(T, STR,  column,          .flags = F_NUL) \
	F(T, NUM,  threshold_pct) \
	F(T, NUM,  baseline,        .flags = F_NUL, \
		.doc = "Value that a change is measured against; " \
		       "null if there was nothing to measure") \
	F(T, NUM,  last_value,      .flags = F_NUL) \
	F(T, TIME, last_checked_at, .flags = F_NUL) \
	F(T, TIME, last_fired_at,   .flags = F_NUL) \
	F(T, TIME, created_at) \
	F(T, ID,   created_by,      .flags = F_HID, .arg = "usr_") \
	F(T, INT,  checks,          .flags = F_HID) \
	F(T, STR,  email,           .flags = F_HID) \
	F(T, BOOL, rests,           .flags = F_HID) \
	F(T, STR,  words,           .flags = F_HID)
/* email and rests (the maker's account is disabled) are filled in checks only, words
 * (metric_words()) for pages only. */
SHAPE_DECLARE(metric_watch, METRIC_WATCH);

#define METRIC_WATCH_NEW(F, T) \
	F(T, ID,   artifact_id,   .flags = F_REQ, .arg = "art_") \
	F(T, STR,  table,         .flags = F_REQ, .lo = 1, .hi = 64, .eg = "\"guests\"") \
	F(T, WORD, kind,          .flags = F_REQ, .arg = METRIC_KINDS, .eg = "\"row_count\"") \
	F(T, STR,  column,        .flags = F_NUL, .lo = 1, .hi = 64, \
		.doc = "Required for all kinds except row_count; " \
		       "must be numeric except for distinct") \
	F(T, NUM,  threshold_pct, \
		.doc = "0.1 to 10,000; default: 10. From a baseline of 0, any change counts")
SHAPE_DECLARE(metric_watch_new, METRIC_WATCH_NEW);

#define METRIC_QUERY(F, T) \
	F(T, ID, artifact_id, .arg = "art_") \
	PAGE_QUERY(F, T)
SHAPE_DECLARE(metric_query, METRIC_QUERY);

/* Adds a watch by `who`, who has a role on the artifact and an address. Changes are measured
 * from the present value. *on is the artifact. Fails like metric_artifact() and metric_table().
 * E_INVALID names the field. E_CONFLICT: too many watches, or `who` has this one already. */
enum err watch_add(struct ctx *c, const struct principal *who, const struct metric_watch_new *in,
    const char **id, struct artifact **on);
/* Lists watches on the artifact: everybody's if `who` may edit it, else their own. NULL means
 * their own on all artifacts. */
enum err watch_list(struct ctx *c, const struct principal *who, const char *artifact_id,
    struct metric_watch_list *out);
/* Lists the watches of `who` on one table. */
enum err watch_list_own(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, struct metric_watch_list *out);
/* E_NOT_FOUND unless `who` made the watch. */
enum err watch_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, struct metric_watch **out);
enum err watch_remove(struct ctx *c, const struct principal *who, const char *id);
/* Returns the artifact's id, or "" if there is no such watch. */
enum err watch_artifact(struct ctx *c, const char *id, const char **artifact_id);

/* ---- for the runner ---- */

/* Measures the table as the watch's maker sees it now and mails them if it changed enough.
 * Deletes the watch if its maker has lost access. Runs its own transaction. *lost: another
 * runner checked it meanwhile; nothing was written. */
enum err watch_check(struct ctx *c, const char *id, struct metric_seen *, bool *lost);
/* Lists the watches of `who` on a table, in words. */
enum err watches_said(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *table, struct list *out);
#endif
