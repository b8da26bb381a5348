/* SPDX-License-Identifier: Apache-2.0
 * Tells programs with agents of a service: by a command of theirs, or by a link that they open.
 * Source: the manuals of Claude Code, Codex, Cursor (install links) and VS Code. */
#include "base/crypto.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/mcp.h"
#include "cli/row.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

enum { WORDS = 16 };
struct adding {
	struct cli *cli;
	const char *words[WORDS]; /* the program's command; ends with NULL */
	size_t n;
	const char *own[WORDS]; /* the command that runs vitrine mcp; ends with NULL */
};

/* Commands that add Vitrine to each program: over HTTP, and by --stdio. We replace the words URL,
 * OWN, LINK and SETTINGS. */
static const struct client {
	const char *name, *http, *stdio;
	bool link; /* the second word is a link that xdg-open opens */
} clients[] = {
	{ "claude", "claude mcp add --transport http vitrine URL",
	    "claude mcp add --transport stdio vitrine -- OWN" },
	{ "codex", "codex mcp add vitrine --url URL", "codex mcp add vitrine -- OWN" },
	{ "cursor", "xdg-open LINK", "xdg-open LINK", .link = true },
	{ "vscode", "code --add-mcp SETTINGS", "code --add-mcp SETTINGS" },
};

static bool
is_stdio(const struct adding *a)
{
	return cli_option(a->cli, "--stdio");
}

/* Returns the JSON that describes us in a program's settings, with the members `before` first. */
static const char *
settings(struct adding *a, const char *before)
{
	struct buf b = BUF(a->cli->c->mem);

	buf_fmt(&b, "{%s", before);
	if (!is_stdio(a)) {
		json_add(&b, "url", mem_printf(b.owner, "%s/mcp", a->cli->url));
	} else {
		json_add(&b, "command", a->own[0]);
		json_key(&b, "args");
		for (size_t i = 1; a->own[i]; i++) {
			buf_chr(&b, i > 1 ? ',' : '[');
			buf_json(&b, a->own[i]);
		}
		buf_chr(&b, ']');
	}
	buf_chr(&b, '}');
	return b.s;
}

static const char *
install_link(struct adding *a)
{
	void *mem = a->cli->c->mem;
	const char *config = settings(a, "");

	return mem_printf(mem,
	    "cursor://anysphere.cursor-deeplink/mcp/install?name=vitrine&config=%s",
	    form_encoded(mem, crypto_base64(mem, config, strlen(config))));
}

static void
words_add(struct adding *a, const char *words)
{
	char *rest = mem_strdup(a->cli->c->mem, words), *word;

	while ((word = str_split(&rest, ' '))) {
		if (str_eq(word, "OWN")) {
			for (const char *const *own = a->own; *own; own++)
				a->words[a->n++] = *own;
			continue;
		}
		a->words[a->n++] = str_eq(word, "URL")
		    ? mem_printf(a->cli->c->mem, "%s/mcp", a->cli->url)
		    : str_eq(word, "LINK") ? install_link(a)
		    : str_eq(word, "SETTINGS")
		    ? settings(a,
			  is_stdio(a) ? "\"name\":\"vitrine\",\"type\":\"stdio\""
				      : "\"name\":\"vitrine\",\"type\":\"http\"")
		    : word;
	}
}

/* ---- printing and running ---- */

/* Quotes a word for a shell. */
static void
word_quote(struct buf *b, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./:=@%+,";

	if (*word && !word[strspn(word, plain)]) {
		buf_str(b, word);
		return;
	}
	buf_chr(b, '\'');
	for (; *word; word++)
		if (*word == '\'')
			buf_str(b, "'\\''");
		else
			buf_chr(b, *word);
	buf_chr(b, '\'');
}

static const char *
command_text(const struct adding *a)
{
	struct buf b = BUF(a->cli->c->mem);

	for (size_t i = 0; i < a->n; i++) {
		if (i)
			buf_chr(&b, ' ');
		word_quote(&b, a->words[i]);
	}
	return buf_done(&b);
}

static int
command_run(const struct adding *a)
{
	char *argv[WORDS] = { 0 };

	for (size_t i = 0; i < a->n; i++)
		argv[i] = mem_strdup(a->cli->c->mem, a->words[i]);
	cli_note("running: %s", command_text(a));
	fflush(stdout);
	execvp(argv[0], argv);
	return errno == ENOENT
	    ? cli_fail("%s isn't installed here, or isn't in PATH; without --yes, "
		       "vitrine prints what to do elsewhere",
		  argv[0])
	    : cli_fail("%s: %s", argv[0], strerror(errno));
}

/* Makes the command that runs us: by name, which stays the same after an update. */
static int
own_words_find(struct adding *a)
{
	const char *root = cli_option(a->cli, "--root"), *url = cli_option(a->cli, "--url");
	size_t n = 0;

	a->own[n++] = "vitrine";
	a->own[n++] = "mcp";
	if (root) {
		char *real = realpath(root, mem_zalloc(a->cli->c->mem, PATH_MAX));

		if (!real)
			return cli_fail("--root: %s: %s", root, strerror(errno));
		a->own[n++] = "--root";
		a->own[n++] = real;
	}
	if (url) {
		a->own[n++] = "--url";
		a->own[n++] = a->cli->url;
	}
	return EXIT_FINE;
}

int
mcpadd_run(struct cli *cli)
{
	const char *name = row_given(cli, "CLIENT");
	const struct client *c = clients, *end = clients + sizeof clients / sizeof *clients;
	struct adding a = { .cli = cli };
	int status = cmd_address(cli);

	if (status || (status = own_words_find(&a)))
		return status;
	while (c < end && !str_eq(c->name, name))
		c++;
	if (c == end)
		return cli_misuse("%s isn't one of claude, codex, cursor, vscode; others take the "
				  "address %s/mcp, or the command vitrine mcp",
		    name, cli->url);
	if (cli_option(cli, "--root") && !is_stdio(&a))
		return cli_misuse("--root: goes with --stdio; the service itself sees no files of "
				  "this computer");
	words_add(&a, is_stdio(&a) ? c->stdio : c->http);
	if (cli_option(cli, "--yes"))
		return command_run(&a);
	cli_line("%s", c->link ? a.words[1] : command_text(&a));
	return EXIT_FINE;
}
