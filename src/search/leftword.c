/* SPDX-License-Identifier: Apache-2.0
 * Words that a space had once: nothing is found by them any more, and nobody should read them out
 * of the database. They go once a day. */
#include "search/index.h"

#include "base/str.h"
#include "search/near.h"
#include "store/rounds.h"

enum { WORDS = 500, BYTES = 40 /* of a word, in sweep_at */ };

#define LEFT_WORD(F, T) \
	F(T, STR,  word) \
	F(T, BOOL, posted)
SHAPE_DECLARE(left_word, LEFT_WORD);
SHAPE_DEFINE(left_word, LEFT_WORD);

/* Whoever has begun to keep the word is waited for (near_write() in index.c). */
static enum err
word_take(struct ctx *c, int64_t space, const char *word, int64_t *removed)
{
	const struct strs forms = near_kept(c->mem, word);
	struct left_word *posted;

	TRY(db_find(c,
	    ROWS(left_word,
		"SELECT word, TRUE AS posted FROM search_post WHERE space = ? AND word = ?"
		" LIMIT 1 LOCK IN SHARE MODE"),
	    ARGS(space, word), &posted));
	if (posted)
		return E_OK;
	for (size_t i = 0; i <= forms.n; i++)
		TRY(db_exec(c,
		    EXEC("DELETE FROM search_near WHERE space = ? AND near = ? AND word = ?"),
		    ARGS(space, i < forms.n ? forms.v[i] : INDEX_WORD, word), NULL));
	++*removed;
	return E_OK;
}

static enum err
words_take(struct ctx *c, int64_t space, const struct left_word_list *rows, int64_t *removed)
{
	TRY(db_begin(c));
	for (size_t i = 0; i < rows->n; i++)
		if (!rows->v[i].posted)
			TRY(word_take(c, space, rows->v[i].word, removed));
	return db_commit(c);
}

#define NEXT_SPACE(F, T) F(T, INT, no)
SHAPE_DECLARE(next_space, NEXT_SPACE);
SHAPE_DEFINE(next_space, NEXT_SPACE);

static enum err
space_next(struct ctx *c, struct sweep_at *at)
{
	struct next_space *row;

	TRY(db_find(c,
	    ROWS(next_space, "SELECT no FROM search_space WHERE no > ? ORDER BY no LIMIT 1"),
	    ARGS(at->outer), &row));
	at->looked++;
	at->end = !row;
	at->outer = row ? row->no : 0;
	*at->id = '\0';
	return E_OK;
}

/* at: the space, and what the last word that was looked at begins with. */
static enum err
words_piece(struct ctx *c, struct sweep_at *at)
{
	struct left_word_list rows;
	char before[sizeof at->id];

	TRY(db_all(c,
	    ROWS(left_word,
		"SELECT n.word, EXISTS (SELECT 1 FROM search_post p WHERE p.space = n.space"
		" AND p.word = n.word) AS posted FROM search_near n WHERE n.space = ?"
		" AND n.near = '" INDEX_WORD "' AND n.word > ? ORDER BY n.word LIMIT ?"),
	    ARGS(at->outer, at->id, WORDS), &rows));
	at->looked += (int64_t)rows.n;
	TRY(words_take(c, at->outer, &rows, &at->removed));
	if (rows.n < WORDS)
		return space_next(c, at);
	snprintf(before, sizeof before, "%s", at->id);
	snprintf(at->id, sizeof at->id, "%s",
	    str_cut(c->mem, rows.v[rows.n - 1].word, BYTES / 4));
	/* So many long words that begin alike are no text. */
	return str_eq(before, at->id) ? space_next(c, at) : E_OK;
}

ROUNDS(search_word, { "search_words", .piece = words_piece, .how = DAILY });
