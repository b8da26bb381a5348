/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/conflict.h"

#include "base/json.h"
#include "base/str.h"
#include "cli/http.h"

static const char *
kind_words(const char *kind)
{
	static const struct {
		const char *kind, *words;
	} all[] = { { "both_changed", "changed by you and by others" },
		{ "both_added", "added by you and by others" },
		{ "removed_changed", "removed by you, changed by others" },
		{ "changed_removed", "changed by you, removed by others" },
		{ "binary", "changed by you and by others; it isn't text" },
		{ "too_large", "changed by you and by others; too much to merge" },
		{ "path_clash", "its path can't be beside one that others added" } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (str_eq(kind, all[i].kind))
			return all[i].words;
	return kind;
}

/* Prints each line with a mark before it. */
static void
lines_print(struct cli *cli, const char *mark, const char *text)
{
	char *rest = mem_strdup(cli->c->mem, text), *line;

	while ((line = str_split(&rest, '\n')))
		if (*line || rest)
			cli_note("    %s %s", mark, str_one_line(cli->c->mem, line));
}

int
conflict_tell(struct cli *cli, const struct json *reply, const char *place)
{
	const char *id = json_member(reply, "details.candidate.id");
	const struct json *files, *hunks;
	size_t n, parts;

	if (cli_fail_is_json()) {
		cli_fail_reply(reply);
		return EXIT_CONFLICT;
	}
	files = json_list(reply, "details.conflicts", &n);
	if (!*id || !files) {
		cli_fail("%s", json_member(reply, "error"));
		return EXIT_CONFLICT;
	}
	cli_fail("nothing was published: version %lld is live, and differs from yours in %s",
	    (long long)json_number(reply, "details.current_version"),
	    str_count(cli->c->mem, (int64_t)n, "file"));
	for (size_t i = 0; i < n; i++) {
		const struct json *f = json_at(files, i);

		cli_note("%s: %s", json_member(f, "path"), kind_words(json_member(f, "kind")));
		hunks = json_list(f, "hunks", &parts);
		for (size_t k = 0; k < parts; k++) {
			const struct json *hunk = json_at(hunks, k);

			cli_note("  line %lld:", (long long)json_number(hunk, "line"));
			lines_print(cli, "-", json_member(hunk, "base"));
			lines_print(cli, "yours ", json_member(hunk, "yours"));
			lines_print(cli, "theirs", json_member(hunk, "theirs"));
		}
	}
	cli_note("change %s here as %s should be, then: vitrine publish --candidate %s %s",
	    n == 1 ? "the file" : "these files", n == 1 ? "it" : "they", id,
	    str_shell(cli->c->mem, place));
	return EXIT_CONFLICT;
}
