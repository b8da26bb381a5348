/* SPDX-License-Identifier: Apache-2.0
 * Writes shell completion from the tables of commands. */
#include "base/str.h"
#include "cli/help.h"

#define OWN_WORDS "help version"

/* True for words that are typed as they are ("public|unlisted"), false for a placeholder (SLUG). */
static bool
is_literal(const char *s, size_t n)
{
	return n && strspn(s, "abcdefghijklmnopqrstuvwxyz|-") >= n;
}

static void
words_add(struct buf *b, const char *s, size_t n)
{
	if (b->n)
		buf_chr(b, ' ');
	for (size_t i = 0; i < n; i++)
		buf_chr(b, s[i] == '|' ? ' ' : s[i]);
}

/* A command's arguments: words, and whether one is a file ('f') or a folder ('d'). */
struct arguments {
	struct buf words;
	char kind; /* 'f', 'd', or 0 */
};

static struct arguments
arguments_of(void *owner, const struct cli_cmd *cmd)
{
	struct arguments a = { .words = BUF(owner) };
	const char *at = cmd->args;
	struct usage_word w;

	while (usage_next(&at, &w)) {
		if (is_literal(w.s, w.n))
			words_add(&a.words, w.s, w.n);
		else if (memmem(w.s, w.n, "FILE", 4))
			a.kind = 'f';
		else if (memmem(w.s, w.n, "DIR", 3) && !a.kind)
			a.kind = 'd';
	}
	return a;
}

/* Returns the values of an option with spaces between them, "" if they are free text; NULL if the
 * option takes none. */
static const char *
option_words(void *owner, const struct cli_option *o)
{
	const char *called = strchr(o->name, ' '), *words = o->words ? o->words : called + 1;
	struct buf b = BUF(owner);

	if (called && is_literal(words, strlen(words)))
		words_add(&b, words, strlen(words));
	return called ? buf_done(&b) : NULL;
}

/* ---- bash ---- */

static void
bash_values(void *mem, const struct cli_cmd *cmd)
{
	const struct cli_option *tables[] = { cmd->options, help_always };
	const char *words;

	for (size_t i = 0; i < 2; i++)
		for (const struct cli_option *o = tables[i]; o && o->name; o++)
			if ((words = option_words(mem, o)))
				cli_line("    '%s %.*s') words='%s' options= ;;", cmd->name,
				    (int)strcspn(o->name, " "), o->name, words);
}

static void
bash_command(void *mem, const struct cli_cmd *cmd)
{
	struct arguments a = arguments_of(mem, cmd);
	const struct cli_option *tables[] = { cmd->options, help_always };
	struct buf options = BUF(mem);

	for (size_t i = 0; i < 2; i++)
		for (const struct cli_option *o = tables[i]; o && o->name; o++)
			words_add(&options, o->name, strcspn(o->name, " "));
	cli_line("        %s) words='%s' options='%s --help' files=%.1s ;;", cmd->name,
	    buf_done(&a.words), buf_done(&options), &a.kind);
}

static void
bash_print(void *mem)
{
	struct buf names = BUF(mem);

	HELP_EACH (cmd)
		words_add(&names, cmd->name, strlen(cmd->name));
	cli_line("# bash completion for vitrine, from: vitrine completion bash");
	cli_line("_vitrine()");
	cli_line("{");
	cli_line("    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}");
	cli_line("    local words= options= files=");
	cli_line("    if [ \"$cur\" = = ]; then");
	cli_line("        cur=");
	cli_line("    elif [ \"$prev\" = = ]; then");
	cli_line("        prev=${COMP_WORDS[COMP_CWORD-2]}");
	cli_line("    fi");
	cli_line("    case \"${COMP_WORDS[1]} $prev\" in");
	HELP_EACH (cmd)
		bash_values(mem, cmd);
	cli_line("    *)");
	cli_line("        case $COMP_CWORD,${COMP_WORDS[1]} in");
	cli_line("        1,* | *,help) words='%s " OWN_WORDS "' ;;", names.s);
	cli_line("        esac");
	cli_line("        [ \"$COMP_CWORD\" -gt 1 ] && case ${COMP_WORDS[1]} in");
	HELP_EACH (cmd)
		bash_command(mem, cmd);
	cli_line("        esac ;;");
	cli_line("    esac");
	cli_line("    if [[ $cur == -* || -z $words$files ]]; then");
	cli_line("        words=$options files=");
	cli_line("    fi");
	cli_line("    [ -n \"$files\" ] && compopt -o filenames 2>/dev/null");
	cli_line(
	    "    mapfile -t COMPREPLY < <(compgen ${files:+-$files} -W \"$words\" -- \"$cur\")");
	cli_line("}");
	cli_line("complete -F _vitrine vitrine");
}

/* ---- zsh ---- */

/* Quotes text for '…' and, there, for […] or before a colon. */
static const char *
zsh_text(void *owner, const char *s)
{
	struct buf b = BUF(owner);

	for (; *s; s++) {
		if (strchr("[]:\\", *s))
			buf_chr(&b, '\\');
		if (*s == '\'')
			buf_str(&b, "'\\'");
		buf_chr(&b, *s);
	}
	return buf_done(&b);
}

static void
zsh_options(void *owner, const struct cli_option *o)
{
	for (; o && o->name; o++) {
		const char *help = zsh_text(owner, o->help), *words = option_words(owner, o);
		int n = (int)strcspn(o->name, " ");

		if (!words)
			cli_line("            '%s[%s]' \\", o->name, help);
		else if (*words)
			cli_line("            '%.*s=[%s]:value:(%s)' \\", n, o->name, help, words);
		else
			cli_line("            '%.*s=[%s]:%s: ' \\", n, o->name, help,
			    zsh_text(owner, o->name + n + 1));
	}
}

static void
zsh_command(void *mem, const struct cli_cmd *cmd)
{
	struct arguments a = arguments_of(mem, cmd);

	cli_line("    %s)", cmd->name);
	cli_line("        _arguments \\");
	zsh_options(mem, cmd->options);
	zsh_options(mem, help_always);
	if (a.words.n)
		cli_line("            '*:argument:(%s)' ;;", a.words.s);
	else
		cli_line("            '*:argument:%s' ;;",
		    a.kind == 'f' ? "_files"
			: a.kind  ? "_files -/"
				  : " ");
}

static void
zsh_print(void *mem)
{
	cli_line("#compdef vitrine");
	cli_line("# zsh completion for vitrine, from: vitrine completion zsh");
	cli_line("_vitrine() {");
	cli_line("    local command=$words[2]");
	cli_line("    local -a commands");
	cli_line("    commands=(");
	HELP_EACH (cmd)
		cli_line("        '%s:%s'", cmd->name, zsh_text(mem, cmd->help));
	cli_line("    )");
	cli_line("    if (( CURRENT == 2 )) || [[ $command == help ]]; then");
	cli_line("        _describe command commands");
	cli_line("        return");
	cli_line("    fi");
	cli_line("    shift words");
	cli_line("    (( CURRENT-- ))");
	cli_line("    case $command in");
	HELP_EACH (cmd)
		zsh_command(mem, cmd);
	cli_line("    esac");
	cli_line("}");
	cli_line("_vitrine \"$@\"");
}

static int
run_completion(struct cli *cli)
{
	const char *shell = cli->with.args[0];

	if (!str_in(shell, "bash|zsh"))
		return cli_misuse("%s: completion is available only for bash and zsh", shell);
	if (str_eq(shell, "bash"))
		bash_print(cli->c->mem);
	else
		zsh_print(cli->c->mem);
	return EXIT_FINE;
}

const struct cli_cmd complete_cli[] = {
	{ "completion", "bash|zsh", "print a script for shell completion", .run = run_completion,
	    .needs = NEEDS_NOTHING },
	{ 0 },
};
