/* SPDX-License-Identifier: Apache-2.0
 * Learning of pages: a separate process reads the files of an artifact's live version
 * (ext/html.h), and the text becomes a note. If summaries are on, a language model's summary is
 * added later. Source: knowledge/README.md. */
#ifndef VITRINE_LEARN_H
#define VITRINE_LEARN_H
#include "base/ctx.h"

enum {
	LEARN_BYTES = 5 << 20, /* bytes of all pages of an artifact together */
	LEARN_FILES = 50,
	LEARN_ATTEMPTS = 5,
	LEARN_SUMMARIES = 500 /* for each workspace and day */
};

/* Learns the page that has been due for the longest time. If none is due, writes one summary.
 * *any is false if nothing was due. If left() returns true, the request for the summary is given
 * up. */
enum err learn_next(
    const struct conf *, struct db *, bool (*left)(void *arg), bool *any);
#endif
