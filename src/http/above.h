/* SPDX-License-Identifier: Apache-2.0
 * Functions that http/ needs from folders above it, without knowing them; app/above.c and
 * site/gate.c define them. Routes, kinds of things in paths, and rights are tables (route.h,
 * who.h). */
#ifndef VITRINE_ABOVE_H
#define VITRINE_ABOVE_H
#include "http/req.h"

/* The id of r->art, which is there. */
const char *req_art_id(const struct req *);
/* The caller's session or token was used. */
void caller_touch(struct ctx *, const struct principal *);
/* A connected agent changed something: records that, in its transaction. */
enum err agent_changed(const struct req *);
/* Returns the read of r->art to report, for the row’s visit; NULL unless the caller has it by a
 * grant. */
const struct outside_read *outside_seen(const struct req *);
/* Records such a read. */
void outside_note(struct ctx *, const struct outside_read *);
/* Records that the caller opened the thing, for a row with `opened`. */
void opened_note(const struct req *);
/* Writes the search index of things that requests have changed. *more: some are left. */
enum err words_index(struct ctx *, bool *more);
/* In the transaction of a change: records it if the caller may change r->art by a grant. */
enum err outside_changed(const struct req *);
/* Answers a request for a content host that nginx could not answer from the site's tree. */
void gate(struct req *);
/* Makes the disk agree with what a transaction has changed. */
enum err effect_show(struct ctx *, const struct effect *);
/* Waits until other machines have closed what this request has closed (core/spread.h), and then
 * sets *closed. Waits for a second, or longer if patient. */
enum err effects_spread(struct ctx *, bool patient, bool *closed);
/* Has effects_spread() wait for all that any request has closed until now. */
enum err effects_spread_all(struct ctx *);
/* Begins the remaining work for faster delivery of several artifacts. effect_pack() does one's for
 * at most so many milliseconds; the runner does the rest. effects_done() finishes it, syncs what
 * was shown, and removes it from the runner’s list. */
struct packs;
enum err effects_pack(struct ctx *, struct packs **out);
enum err effect_pack(struct ctx *, struct packs *, const char *artifact_id, int64_t budget_ms,
    bool *finished);
enum err effects_done(struct ctx *, struct packs *, const struct strs *outbox_ids);
/* shell_of() fills the fields of the shell that are known without the database; shell_read() also
 * the workspaces to switch to and what awaits the person. */
struct shell shell_of(const struct req *);
enum err shell_read(struct req *, struct shell *out);
#endif
