/* SPDX-License-Identifier: Apache-2.0
 * Removes words from search_near that no thing of a space has any more. Runs daily. */
#include "search/index.h"

#include "base/str.h"
#include "search/near.h"
#include "store/rounds.h"

enum { WORDS = 500, SPACES = 250, BYTES = 40 /* of a word, stored in sweep_at */ };

#define LEFT_WORD(F, T) \
	F(T, INT,  space) \
	F(T, STR,  word, .flags = F_NUL) \
	F(T, BOOL, posted)
SHAPE(left_word, LEFT_WORD);
#define LEFT_WORD_COLUMNS \
	"n.word, EXISTS (SELECT 1 FROM search_post p WHERE p.space = n.space" \
	" AND p.word = n.word) AS posted"

/* LOCK IN SHARE MODE waits for writers of the word (near_write() in index.c). */
static enum err
word_remove(struct ctx *c, int64_t space, const char *word, int64_t *removed)
{
	const struct strs forms = near_kept(c->mem, word);
	struct left_word *posted;

	TRY(db_find(c,
	    ROWS(left_word,
		"SELECT space, word, TRUE AS posted FROM search_post WHERE space = ? AND word = ?"
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
words_remove(struct ctx *c, const struct left_word_list *rows, struct sweep_at *at)
{
	at->looked += (int64_t)rows->n;
	TRY(db_begin(c));
	for (size_t i = 0; i < rows->n; i++)
		if (rows->v[i].word && !rows->v[i].posted)
			TRY(word_remove(c, rows->v[i].space, rows->v[i].word, &at->removed));
	return db_commit(c);
}

/* Handles the next WORDS words of one large space. */
static enum err
space_piece(struct ctx *c, struct sweep_at *at)
{
	struct left_word_list rows;
	char before[sizeof at->id];

	TRY(db_all(c,
	    ROWS(left_word,
		"SELECT n.space, " LEFT_WORD_COLUMNS " FROM search_near n WHERE n.space = ?"
		" AND n.near = '" INDEX_WORD "' AND n.word > ? ORDER BY n.word LIMIT ?"),
	    ARGS(at->inner, at->id, WORDS), &rows));
	TRY(words_remove(c, &rows, at));
	snprintf(before, sizeof before, "%s", at->id);
	if (rows.n == WORDS)
		snprintf(at->id, sizeof at->id, "%s",
		    str_cut(c->mem, rows.v[WORDS - 1].word, BYTES / 4));
	/* If so many words share a long beginning, skip the rest of this space: no real text
	 * does that. */
	if (rows.n < WORDS || str_eq(before, at->id)) {
		at->outer = at->inner;
		at->inner = 0;
	}
	return E_OK;
}

/* Handles all words of the next SPACES spaces; most have few words. The rows come in no order.
 * If they exceed WORDS, the next space is handled alone. */
static enum err
spaces_piece(struct ctx *c, struct sweep_at *at)
{
	struct left_word_list rows;

	TRY(db_all(c,
	    ROWS(left_word,
		"SELECT s.no AS space, " LEFT_WORD_COLUMNS " FROM (SELECT no"
		" FROM search_space WHERE no > ? ORDER BY no LIMIT ?) s"
		" LEFT JOIN search_near n ON n.space = s.no"
		" AND n.near = '" INDEX_WORD "' LIMIT ?"),
	    ARGS(at->outer, SPACES, WORDS + 1), &rows));
	if (rows.n > WORDS) {
		struct left_word *space;

		TRY(db_find(c,
		    ROWS(left_word,
			"SELECT no AS space, NULL AS word, FALSE AS posted FROM search_space"
			" WHERE no > ? ORDER BY no LIMIT 1"),
		    ARGS(at->outer), &space));
		at->end = !space;
		at->inner = space ? space->space : 0;
		*at->id = '\0';
		return E_OK;
	}
	at->end = !rows.n;
	for (size_t i = 0; i < rows.n; i++)
		if (rows.v[i].space > at->outer)
			at->outer = rows.v[i].space;
	return words_remove(c, &rows, at);
}

/* State in `at`: outer is the last finished space; inner is the large space in progress, or 0;
 * id is the beginning of the last word read in it. */
static enum err
words_piece(struct ctx *c, struct sweep_at *at)
{
	return at->inner ? space_piece(c, at) : spaces_piece(c, at);
}

ROUNDS(search_word, { "search_words", .piece = words_piece, .how = DAILY });
