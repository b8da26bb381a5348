/* SPDX-License-Identifier: Apache-2.0
 * Where remarks are in versions that came after theirs, or before. A publish, a version that goes
 * live, and a remark on an earlier version insert a row of outbox; the runner's lane `learning`
 * reads each changed file once, in a process apart, and stores a word for each open thread. Source:
 * talk/README.md. */
#ifndef VITRINE_PLACE_H
#define VITRINE_PLACE_H
#include "talk/comment.h"

/* Kind of the row of outbox. Its id tells that a version waits. */
#define PLACES_KIND "places"
/* Asks for the places in a version. */
enum err places_want(struct ctx *c, const char *artifact_id, int64_t version_no);
/* Asks for them again in the last versions that have this PDF, whose pages are now counted. */
enum err places_again(struct ctx *c, const char *artifact_id, const char *sha256);
/* Sets `place` of the first comments of threads that have an anchor. Two statements. */
enum err places_set(
    struct ctx *c, const char *artifact_id, int64_t version_no, struct comment *v, size_t n);

/* For the runner: finds the places in the version that has waited longest. */
enum err place_next(
    const struct conf *, struct db *, bool (*left)(void *arg), bool *any);

/* Says where a quote is in a page's text: here, changed, gone; unknown if the quote has no words.
 * Both texts have been through place_fold(). */
struct place_quote {
	const char *exact, *prefix, *suffix; /* prefix and suffix may be empty */
};
const char *place_of_quote(const char *text, const struct place_quote *);
/* Returns the text in NFC and without blanks, since browsers and parsers differ in these. */
const char *place_fold(void *owner, const char *text);
#endif
