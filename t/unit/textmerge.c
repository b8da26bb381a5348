/* SPDX-License-Identifier: Apache-2.0
 * Merges of two texts by lines: single cases, and generated ones that must come out as `diff3 -m -E` makes them. */
#include "base/textmerge.h"

#include "base/buf.h"
#include "base/str.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *mem;

static const char *
merged(const char *base, const char *yours, const char *theirs)
{
	struct text_merged m;

	if (!text_merge(mem, base, yours, theirs, "yours", "version 2", &m))
		return "too large";
	return m.hunks.n ? mem_printf(mem, "%zu:%s", m.hunks.n, m.text) : m.text;
}

static void
single(void)
{
	struct text_merged m;

	is_str(merged("a\nb\nc\n", "a\nb\nc\n", "a\nb\nC\n"), "a\nb\nC\n", "only they changed something");
	is_str(merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nc\n"), "A\nb\nc\n", "only you did");
	is_str(merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"), "A\nb\nC\n", "both, in other lines");
	is_str(merged("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n"), "a\nX\nc\n", "both made the same change");
	is_str(merged("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n"), "1:a\n<<<<<<< yours\nX\n=======\nY\n>>>>>>> version 2\nc\n", "both changed a line");
	is_str(merged("a\nb\nc\nd\n", "a\nX\nc\nd\n", "a\nb\nY\nd\n"),
		"1:a\n<<<<<<< yours\nX\nc\n=======\nb\nY\n>>>>>>> version 2\nd\n", "changes that touch");
	is_str(merged("a\nb\n", "a\nX\nb\n", "a\nY\nb\n"), "1:a\n<<<<<<< yours\nX\n=======\nY\n>>>>>>> version 2\nb\n", "both inserted in one place");
	is_str(merged("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n"), "a\nc\nd\n", "you removed a line, they added one");
	is_str(merged("a\nb\nc\n", "", "a\nb\nC\n"), "1:<<<<<<< yours\n=======\na\nb\nC\n>>>>>>> version 2\n", "you removed all of it");
	is_str(merged("", "", ""), "", "nothing at all");
	is_str(merged("a\nb", "a\nb\n", "a\nc"), "1:a\n<<<<<<< yours\nb\n=======\nc\n>>>>>>> version 2\n", "a last line without an end");
	is_str(merged("a\nb\nc\nd", "A\nb\nc\nd", "a\nb\nc\nD"), "A\nb\nc\nD", "... keeps it so");
	is_str(merged("a\nb\n", "a\r\nb\r\n", "a\nc\n"), "1:<<<<<<< yours\na\r\nb\r\n=======\na\nc\n>>>>>>> version 2\n", "CR LF against LF is one hunk");
	text_merge(mem, "a\nb\nc\n", "0\na\nX\nc\n", "a\nY\nc\n", "yours", "theirs", &m);
	is_int(m.hunks.v[0].line, 3, "a hunk names the line of yours");
	is_str(mem_printf(mem, "%s%s%s", m.hunks.v[0].base, m.hunks.v[0].yours, m.hunks.v[0].theirs), "b\nX\nY\n", "... and has the three texts");
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
large(void)
{
	const char *base = many("a", 15000), *yours = mem_printf(mem, "first\n%s", base), *theirs = mem_printf(mem, "%slast\n", base);

	is_str(merged(base, yours, theirs), mem_printf(mem, "first\n%slast\n", base), "changes that are 15,000 lines apart");
	is_str(merged(base, many("b", 15000), theirs), "too large", "more lines differ than are compared");
	is_str(merged(many("a", 20001), many("a", 20001), many("a", 20001)), "too large", "a text of more lines");
}

/* ---- as diff3 does ---- */

static uint32_t state = 7;

static uint32_t
some(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

/* Each line is there once, so that no two shortest edits are possible. */
static const char *
changed(int lines, const char *who)
{
	struct buf b = BUF(mem);

	for (int i = 0; i < lines; i++) {
		uint32_t what = some(12);

		if (what == 1)
			buf_fmt(&b, "%s %u instead of %d\n", some(4) ? who : "both", some(2), i);
		else if (what != 2)
			buf_fmt(&b, "line %d\n", i);
		if (what == 3)
			buf_fmt(&b, "%s after %d\n", some(3) ? who : "both", i);
	}
	return buf_done(&b);
}

static void
file_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static const char *
by_diff3(const char *dir, const char *base, const char *yours, const char *theirs)
{
	struct buf b = BUF(mem);
	char chunk[4096];
	int ends[2];
	ssize_t n;
	pid_t pid;

	file_write(mem_printf(mem, "%s/base", dir), base);
	file_write(mem_printf(mem, "%s/yours", dir), yours);
	file_write(mem_printf(mem, "%s/theirs", dir), theirs);
	if (pipe(ends) || (pid = fork()) < 0)
		abort();
	if (!pid) {
		if (chdir(dir) || dup2(ends[1], 1) < 0)
			_exit(9);
		execlp("diff3", "diff3", "-m", "-E", "-L", "yours", "-L", "base", "-L", "version 2", "yours", "base", "theirs", (char *)NULL);
		_exit(9);
	}
	close(ends[1]);
	while ((n = read(ends[0], chunk, sizeof chunk)) > 0)
		buf_add(&b, chunk, (size_t)n);
	close(ends[0]);
	waitpid(pid, NULL, 0);
	return buf_done(&b);
}

static void
generated(void)
{
	char dir[] = "/tmp/textmerge.XXXXXX";
	int differ = 0, conflicts = 0;

	if (!mkdtemp(dir))
		abort();
	for (int i = 0; i < 300; i++) {
		int lines = (int)some(40);
		const char *base = changed(0, ""), *yours, *theirs;
		struct text_merged m;
		struct buf b = BUF(mem);

		for (int k = 0; k < lines; k++)
			buf_fmt(&b, "line %d\n", k);
		base = buf_done(&b);
		yours = changed(lines, "you");
		theirs = changed(lines, "they");
		text_merge(mem, base, yours, theirs, "yours", "version 2", &m);
		conflicts += m.hunks.n > 0;
		if (!str_eq(m.text, by_diff3(dir, base, yours, theirs)) && differ++ < 3)
			printf("# %s\n# ---- diff3:\n%s", m.text, by_diff3(dir, base, yours, theirs));
	}
	is_int(differ, 0, "300 generated texts are merged as by diff3 -m");
	is_int(conflicts > 50 && conflicts < 290, 1, "... some with conflicts, some without");
	unlink(mem_printf(mem, "%s/base", dir));
	unlink(mem_printf(mem, "%s/yours", dir));
	unlink(mem_printf(mem, "%s/theirs", dir));
	rmdir(dir);
}

int
main(void)
{
	mem = mem_root("textmerge");
	single();
	large();
	generated();
	mem_free(mem);
	return done();
}
