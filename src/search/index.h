/* SPDX-License-Identifier: Apache-2.0
 * The search index: the words of each thing, in the spaces of its audiences
 * (sql/044_search.sql). Unchanged rows are not written again. See search/README.md. */
#ifndef VITRINE_INDEX_H
#define VITRINE_INDEX_H
#include "core/find.h"

/* Fields of struct find_text (core/find.h) as search_post stores them. search_page stores
 * FIELD_PAGE. */
enum { FIELD_NAME = 1, FIELD_ALSO, FIELD_TEXT, FIELD_PAGE };
/* The SQL type of a stored word, as the schema declares it. */
#define SQL_WORD "VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"

/* Returns the declaration of the noun with that kind, or NULL. */
const struct finds *finds_of(enum find_kind kind);
/* Writes the index rows of things that changed, within the caller's transaction. With `anew`, it
 * also rewrites rows of things that seem unchanged. Returns E_CONFLICT if another transaction
 * inserted one of these things first and a retry didn't help. */
enum err index_things(
    struct ctx *c, enum find_kind kind, const char *const *ids, size_t n, bool anew);

/* For the runner: indexes up to `limit` rows of search_due, for at most DUE_MS (2 s). *done
 * counts them. A thing that fails is put off for ten minutes. */
enum err index_due(struct ctx *c, int64_t limit, int64_t *done);
/* Returns in *out those ids whose index rows are wrong, except ids that wait in search_due. With
 * `gone`, it only reports ids that nobody should find. */
enum err index_wrong(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n,
    bool gone, struct strs *out);

/* For the indexer: indexes up to 100 things that people changed. *more: some are left. */
enum err index_changed(struct ctx *c, bool *more);
/* Indexes up to INDEX_OWN things that this user changed, and artifacts shared with them as a
 * collaborator. Errors are logged; the indexer or the runner tries these things again. */
enum { INDEX_OWN = 40 };
void index_due_of(struct ctx *c, const char *user_id);
/* Computes the words of up to n things from their present texts, without page texts. words[i] is
 * in the format of search_thing.words and belongs to c; NULL if nobody finds ids[i]. */
enum err index_words_now(struct ctx *c, enum find_kind kind, const char *const *ids, size_t n,
    const char **words);

/* A word of a thing, with the field that has it. */
struct index_word {
	const char *text;
	int field;
};
struct index_words {
	struct index_word *v; /* sorted by text, each word once */
	size_t n;
};
/* Reads search_thing.words. The result belongs to c. */
struct index_words index_words_read(struct ctx *c, const char *json);
/* Returns the word with exactly this text, or NULL. */
const struct index_word *index_word_find(const struct index_words *, const char *text);
/* search_near stores each word of a space under this form, too. No real word equals it. */
#define INDEX_WORD "="
/* Returns a word that every thing of that kind has and no text can contain: a blank query finds
 * things by it. */
const char *index_kind_word(struct ctx *c, enum find_kind kind);
#endif
