/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/cmd.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/lease.h"
#include "base/str.h"
#include "base/viewdraw.h"
#include "base/weblib.h"
#include "bucket/bucket.h"
#include "db/db.h"
#include "ext/mailread.h"
#include "ext/room.h"
#include "ext/tableread.h"
#include "import/xlsx.h"

#include <unistd.h>

enum { TRY_LATER = 75 /* EX_TEMPFAIL */ };

#define CMD_TABLE(noun) noun##_cmds,
static const struct cmd *const tables[] = { CMD_TABLES(CMD_TABLE) };

static bool
is_of_group(const struct cmd *cmd, const char *group)
{
	size_t n = strcspn(cmd->words, " ");

	return !group || (strlen(group) == n && strncmp(cmd->words, group, n) == 0);
}

/* Prints the commands whose first word is group; NULL: all. */
static void
cmd_usage(FILE *out, const char *group)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct cmd *cmd = tables[i]; cmd->words; cmd++)
			if (is_of_group(cmd, group))
				fprintf(out, "  %s%s%s\n      %s\n", cmd->words,
				    *cmd->usage ? " " : "", cmd->usage, cmd->help);
}

/* Returns the word nearest to `said` among the first words of commands, or among the words after
 * group; NULL if none is near. */
static const char *
word_near(void *mem, const char *group, const char *said)
{
	struct str_near near = STR_NEAR(said);

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct cmd *cmd = tables[i]; cmd->words; cmd++) {
			const char *at = cmd->words + (group ? strcspn(cmd->words, " ") : 0);

			at += *at == ' ';
			if (is_of_group(cmd, group))
				str_near_try(&near, mem_strndup(mem, at, strcspn(at, " ")));
		}
	return near.word;
}

/* Says that a command is unknown, which one may be meant, and which there are in its group. */
static void
cmd_unknown(void *mem, int argc, char **argv)
{
	const char *first = word_near(mem, NULL, argv[0]);
	bool group = str_eq(first, argv[0]);
	const char *said = !group ? argv[0] : argc > 1 ? argv[1] : NULL;
	const char *near = group && said ? word_near(mem, first, said) : first;

	if (!said)
		fprintf(stderr, "vitrinectl: %s is only the beginning of a command:\n", first);
	else if (near)
		fprintf(stderr, "vitrinectl: %s isn't a command; did you mean %s%s%s?\n", said,
		    group ? first : "", group ? " " : "", near);
	else
		fprintf(stderr, "vitrinectl: %s isn't a command%s; %s\n", said,
		    group ? mem_printf(mem, " of %s", first) : "",
		    group ? "these are:" : "vitrinectl help lists them");
	if (first)
		cmd_usage(stderr, first);
}

/* Returns how many arguments the command's words take up; 0 if another command was typed. */
static int
words_match(void *mem, const char *words, int argc, char **argv)
{
	char *rest = mem_strdup(mem, words), *word;
	int n = 0;

	while ((word = str_split(&rest, ' ')))
		if (n >= argc || !str_eq(argv[n++], word))
			return 0;
	return n;
}

static const struct cmd *
cmd_find(void *mem, int argc, char **argv, int *used)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct cmd *cmd = tables[i]; cmd->words; cmd++)
			if ((*used = words_match(mem, cmd->words, argc, argv)))
				return cmd;
	return NULL;
}

/* Returns the length of a source place, "file.c:123: ", at the start of s; 0 if there is none. */
static size_t
place_bytes(const char *s)
{
	size_t name = strcspn(s, " :\n"), digits;

	if (name < 3 || s[name] != ':' || strncmp(s + name - 2, ".c", 2) != 0)
		return 0;
	digits = strspn(s + name + 1, "0123456789");
	return digits && strncmp(s + name + 1 + digits, ": ", 2) == 0 ? name + digits + 3 : 0;
}

const char *
cmd_why(struct ctx *c)
{
	bool refused = c->internal && strstr(c->internal, "Access denied for user");
	struct buf b = BUF(c->mem);

	for (const char *s = ctx_why(c), *from = s; *s; s++) {
		/* A function that passes a failure on adds its own place. */
		while ((s == from || s[-1] == ' ') && place_bytes(s))
			s += place_bytes(s);
		if (*s)
			buf_chr(&b, *s);
		else
			break;
	}
	if (refused && geteuid() == 0)
		buf_fmt(&b,
		    "; run it as the database user: runuser -u %s -- vitrinectl ..., or sudo -u %s",
		    c->conf->db_user, c->conf->db_user);
	return buf_done(&b);
}

static int
exit_of(const struct cmd *cmd, int failed)
{
	return cmd && cmd->reads_mail ? TRY_LATER : failed;
}

static int
cmd_run(const struct cmd *cmd, const struct conf *conf, const struct usage *with)
{
	struct ctx *c = ctx_begin(conf, NULL);
	struct cmd_call call = { .c = c, .cmd = cmd, .with = *with };
	enum err e;

	bucket_prepare(false, NULL);
	/* Without the file, this machine is taken for alone. */
	(void)lease_open(conf, false);
	c->db = db_new(c->mem, conf, DB_ENDLESS);
	db_any_role(c->db);
	if (is_of_group(cmd, "migrate") || is_of_group(cmd, "restore") ||
	    is_of_group(cmd, "doctor"))
		db_any_schema(c->db);
	e = cmd->run(&call);
	if (e)
		fprintf(stderr, "vitrinectl: %s\n",
		    c->internal && e != E_INVALID && e != E_NOT_FOUND && e != E_CONFLICT
			? cmd_why(c)
			: c->message ? c->message
				     : err_table[e].text);
	fflush(stdout);
	ctx_end(c);
	return e ? exit_of(cmd, 1) : call.exit;
}

int
cmd_main(int argc, char **argv)
{
	static const struct apart_kind view_kinds[] = { { .work = view_work }, TABLE_KIND,
		XLSX_SHEET_KIND };
	void *mem = mem_root("vitrinectl");
	const char *path = NULL, *why;
	const struct conf *conf;
	const struct cmd *cmd;
	struct usage with;
	int used = 0, status;

	argv++;
	argc--;
	/* Uacme runs a program with words of its own, and can't give it any of ours. */
	if (getenv("VITRINE_ACME_HOOK") && argc == 5) {
		static char group[] = "certificates", word[] = "hook", end[] = "--";
		static char *words[8] = { group, word, end };

		memcpy(words + 3, argv, 5 * sizeof *argv);
		argv = words;
		argc = 8;
	}
	if (argc >= 2 && str_eq(argv[0], "-c")) {
		path = argv[1];
		argv += 2;
		argc -= 2;
	}
	cmd = cmd_find(mem, argc, argv, &used);
	if (!cmd || !usage_read(cmd->usage, "", argc - used, argv + used, &with)) {
		bool asked = argc && str_in(argv[0], "help|--help|-h");

		if (cmd) {
			fprintf(stderr, "usage: vitrinectl %s %s\n", cmd->words, cmd->usage);
		} else if (asked || !argc) {
			fputs("usage: vitrinectl [-c FILE] COMMAND\n\n", asked ? stdout : stderr);
			cmd_usage(asked ? stdout : stderr, NULL);
		} else {
			cmd_unknown(mem, argc, argv);
		}
		mem_free(mem);
		return asked ? 0 : exit_of(cmd, 64);
	}
	/* Forks before the configuration and its secrets are in memory. */
	if (cmd->reads_mail)
		mailread_prepare();
	if (cmd->draws_views)
		apart_prepare(view_kinds, sizeof view_kinds / sizeof *view_kinds);
	conf = conf_load(mem, path, &why);
	if (!conf) {
		fprintf(stderr, "vitrinectl: %s\n", why);
		mem_free(mem);
		return exit_of(cmd, 78);
	}
	if (cmd->draws_views) {
		builders_prepare(conf);
		weblib_open(conf);
	}
	status = cmd_run(cmd, conf, &with);
	mem_free(mem);
	return status;
}
