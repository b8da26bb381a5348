/* SPDX-License-Identifier: Apache-2.0
 * What is kept of each thing so that it is found (sql/044_search.sql): its words in the spaces of
 * its audiences. Written in the transaction of the change; nothing is written that stands there.
 * Source: search/README.md. */
#ifndef VITRINE_INDEX_H
#define VITRINE_INDEX_H
#include "core/find.h"

/* Fields of core/find.h, as search_post has them; the last is search_page's. */
enum { FIELD_NAME = 1, FIELD_ALSO, FIELD_TEXT, FIELD_PAGE };
/* The type of their words, as the schema declares it. */
#define SQL_WORD "VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"

/* What the nouns say of things of that kind; NULL: nothing. */
const struct finds *finds_of(enum find_kind kind);
/* Brings what is kept in line with the things; anew: also where it seems to be. In a
 * transaction. */
enum err index_things(
    struct ctx *c, enum find_kind kind, const char *const *ids, size_t n, bool anew);

/* Brings so many of search_due in line, or fewer in a while; what fails is put off. */
enum err index_due(struct ctx *c, int64_t limit, int64_t *done);
/* Which of them aren't kept as they should be, but for those that are due; gone: of those that
 * nobody should find. */
enum err index_wrong(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n,
    bool gone, struct strs *out);

/* Works off what somebody has changed, INDEX_OWN things at most; what fails is the runner's. asks:
 * also artifacts that they collaborate on. */
enum { INDEX_OWN = 40 };
void index_due_of(struct ctx *c, const char *user_id, bool asks);
/* What things of that kind are found by now: the words of `ids`, as search_thing has them; NULL for
 * one that nobody finds. Without what stands on pages. */
enum err index_words_now(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n,
    const char **words);

/* What is kept of a thing, or should be. */
struct index_word {
	const char *text;
	int field;
};
struct index_words {
	struct index_word *v; /* by text, each once */
	size_t n;
};
/* As search_thing has them. */
struct index_words index_words_read(struct ctx *c, const char *json);
/* search_near has each word of a space under it, too; no word is one. */
#define INDEX_WORD "="
/* Every thing has it: what no text has. */
const char *index_kind_word(struct ctx *c, enum find_kind kind);
#endif
