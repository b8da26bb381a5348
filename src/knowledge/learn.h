/* SPDX-License-Identifier: Apache-2.0
 * One page after the other is learned: the files of an artifact's live version, read in a process
 * apart (ext/html.h), become its note; then, where the workspace has that switched on, a language
 * model's summary goes on top of it. Source: knowledge/README.md. */
#ifndef VITRINE_LEARN_H
#define VITRINE_LEARN_H
#include "base/ctx.h"

enum {
	LEARN_BYTES = 5 << 20, /* of an artifact's pages, all together */
	LEARN_FILES = 50,
	LEARN_ATTEMPTS = 5,
	LEARN_SUMMARIES = 500 /* of a workspace a day */
};

/* Learns the page that has been due the longest; when there is none, has one summary written. *any
 * is false when nothing was due. left() as in egress_req: true gives up the summary. */
enum err learn_next(
    const struct conf *, struct db *, bool (*left)(void *arg), bool *any);
#endif
