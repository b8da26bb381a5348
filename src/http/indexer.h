/* SPDX-License-Identifier: Apache-2.0
 * The process that writes the search index of what requests have changed. Things that change within
 * 200 ms share a transaction. What is due is in rows that the changes themselves insert
 * (core/find.h), so a lost note or a killed indexer loses nothing. Source: search/README.md. */
#ifndef VITRINE_INDEXER_H
#define VITRINE_INDEXER_H
#include "base/conf.h"

/* An eventfd that counts notes. */
extern int indexer_notes;
bool indexer_open(void); /* called by the parent before it forks, unless it was handed one */
void indexer_note(void); /* called by a worker after a commit; never waits */
/* Indexes what is due, then what notes announce. Runs until a signal ends the process. */
void indexer_run(const struct conf *conf);
#endif
