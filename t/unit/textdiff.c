/* SPDX-License-Identifier: Apache-2.0
 * What differs between two texts: lines, words in them, what is left out, and texts beside each other. */
#include "base/textdiff.h"

#include "base/buf.h"
#include "base/str.h"
#include "tap.h"

static void *mem;

static const char *
told(const struct diff_line *l)
{
	const char *sign = str_eq(l->sign, "gone") ? "-" : str_eq(l->sign, "new") ? "+" : " ";

	if (str_eq(l->sign, "skip"))
		return mem_printf(mem, "(%lld)", (long long)l->skipped);
	return l->said ? mem_printf(mem, "%s%s<%s>%s", sign, l->head, l->said, l->tail) : mem_printf(mem, "%s%s", sign, l->line);
}

static const char *
all_of(const struct diff_line_list *lines)
{
	struct buf b = BUF(mem);

	for (size_t i = 0; i < lines->n; i++)
		buf_fmt(&b, "%s|", told(&lines->v[i]));
	return buf_done(&b);
}

static const char *
diff(const char *before, const char *after)
{
	struct diff_line_list lines;

	text_diff(mem, before, after, &lines);
	return all_of(&lines);
}

static const char *
folded(const char *before, const char *after)
{
	struct diff_line_list lines, less;

	text_diff(mem, before, after, &lines);
	text_diff_fold(mem, &lines, &less);
	return all_of(&less);
}

static const char *
beside(const char *before, const char *after)
{
	struct diff_line_list lines, less;
	struct diff_pair_list pairs;
	struct buf b = BUF(mem);

	text_diff(mem, before, after, &lines);
	text_diff_fold(mem, &lines, &less);
	text_diff_pairs(mem, &less, &pairs);
	for (size_t i = 0; i < pairs.n; i++) {
		const struct diff_pair *p = &pairs.v[i];

		if (str_eq(p->row, "skip"))
			buf_fmt(&b, "(%lld)|", (long long)p->left_out);
		else
			buf_fmt(&b, "%s:%s|", p->was ? told(p->was) : "none", p->now ? told(p->now) : "none");
	}
	return buf_done(&b);
}

static const char *
many(const char *word, int n)
{
	struct buf b = BUF(mem);

	for (int i = 0; i < n; i++)
		buf_fmt(&b, "%s %d\n", word, i);
	return buf_done(&b);
}

static void
lines(void)
{
	is_str(diff("", ""), "", "nothing and nothing");
	is_str(diff("a\nb\n", "a\nb"), " a| b|", "a last line that ends, and one that doesn't, are the same");
	is_str(diff("", "a\n\n"), "+a|+|", "what is new");
	is_str(diff("a\n", ""), "-a|", "what is gone");
	is_str(diff("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n"), " a|-b|+x| c|+y| d|", "what is between");
	is_str(diff("a\nb\na\n", "b\na\nb\n"), "-a| b| a|+b|", "what moved");
}

static void
words(void)
{
	is_str(diff("Bikes: 42 sold", "Bikes: 45 sold"), "-Bikes: <42> sold|+Bikes: <45> sold|", "a word, whole");
	is_str(diff("one two three", "one three"), "-one <two >three|+one three|", "a word that is gone");
	is_str(diff("the rules", "the price rules"), "-the rules|+the <price >rules|", "one that is new");
	is_str(diff("a a", "a a a"), "-a a|+a a< a>|", "what begins as it ends is told once");
	is_str(diff("Größe: für 12", "Größe: fär 12"), "-Größe: <für> 12|+Größe: <fär> 12|", "no character is cut");
	is_str(diff("東京都 is one", "東京府 is one"), "-<東京都> is one|+<東京府> is one|", "... in any script");
	is_str(diff("apples", "oranges, all of them"), "-apples|+oranges, all of them|", "in lines that have little in common, none");
	is_str(diff("x 1\ny 1\n", "x 2\ny 2\n"), "-x <1>|-y <1>|+x <2>|+y <2>|", "each line beside its own");
}

static void
left_out(void)
{
	is_str(folded("a\nb\n", "a\nb\n"), "", "where nothing differs, there is nothing to tell");
	is_str(folded("1\n2\n3\n4\n5\n6\nx\n", "1\n2\n3\n4\n5\n6\ny\n"), "(3)| 4| 5| 6|-x|+y|", "three lines stand around a change");
	is_str(folded("1\n2\n3\n4\nx\n", "1\n2\n3\n4\ny\n"), " 1| 2| 3| 4|-x|+y|", "a single line isn't left out");
	is_str(folded("1\nx\n2\n3\n4\n5\n6\n7\n8\n9\ny\n", "1\nX\n2\n3\n4\n5\n6\n7\n8\n9\nY\n"), " 1|-x|+X| 2| 3| 4|(2)| 7| 8| 9|-y|+Y|", "between two");
}

static void
side_by_side(void)
{
	is_str(beside("a\nb 1\nc\n", "a\nb 2\nc\nd\n"), " a: a|-b <1>:+b <2>| c: c|none:+d|", "beside each other");
	is_str(beside("a\nb\nc\n", "c\n"), "-a:none|-b:none| c: c|", "what has nothing beside it");
	is_str(beside("a\nb\n", "x\n"), "-a:+x|-b:none|", "more lines for fewer");
	is_str(beside("1\n2\n3\n4\n5\nx\n", "1\n2\n3\n4\n5\n"), "(2)| 3: 3| 4: 4| 5: 5|-x:none|", "what is left out");
}

/* Beyond what is compared line by line, one change is what there is. */
static void
large(void)
{
	const char *a = mem_printf(mem, "same\n%sx\nsame\n", many("a", 4000)), *b = mem_printf(mem, "same\n%sx\nsame\n", many("b", 4000));
	struct diff_line_list lines;
	size_t gone = 0, fresh = 0;

	text_diff(mem, a, b, &lines);
	for (size_t i = 0; i < lines.n; i++)
		gone += str_eq(lines.v[i].sign, "gone"), fresh += str_eq(lines.v[i].sign, "new");
	is_int((long long)lines.n, 8003, "all lines of two large texts");
	is_int((long long)gone, 4000, "... that are gone");
	is_int((long long)fresh, 4000, "... and new");
	is_str(lines.v[lines.n - 1].line, "same", "what ends both is the same");
}

int
main(void)
{
	mem = mem_root("textdiff");
	lines();
	words();
	left_out();
	side_by_side();
	large();
	mem_free(mem);
	return done();
}
