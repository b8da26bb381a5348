/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/row.h"

#include "base/email.h"
#include "base/id.h"
#include "base/num.h"
#include "base/str.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/line.h"

#include <ctype.h>

enum { ROW_ARGS = 4, ROW_FOUND = 4 };

struct row_run {
	const struct cli_row *row;
	struct row_arg {
		struct usage_word word;
		size_t first, n; /* which of the command's arguments */
	} args[ROW_ARGS];
	size_t arg_n, turn; /* turn: index in a repeated argument's values */
	struct {
		const char *what, *is;
	} found[ROW_FOUND];
	int status; /* exit status of a find that failed */
};

/* ---- arguments and ids ---- */

static const struct row_arg *
arg_find(const struct cli *cli, const char *name)
{
	static const struct row_arg none;
	const struct row_run *r = cli->doing;

	for (const struct row_arg *a = r->args; a < r->args + r->arg_n; a++)
		if (a->word.n == strlen(name) && memcmp(a->word.s, name, a->word.n) == 0)
			return a;
	return &none;
}

const char *
row_given(const struct cli *cli, const char *name)
{
	const struct row_arg *a = arg_find(cli, name);

	return a->n ? cli->with.args[a->first + (a->word.more ? cli->doing->turn : 0)] : NULL;
}

const char *
row_found(struct cli *cli, const char *what)
{
	struct row_run *r = cli->doing;
	size_t i = 0;

	while (i < ROW_FOUND - 1 && r->found[i].what && !str_eq(r->found[i].what, what))
		i++;
	if (!str_eq(r->found[i].what, what) && !r->status) {
		r->found[i].what = mem_strdup(cli->c->mem, what);
		r->found[i].is = cli->find(cli, what, &r->status);
	}
	return r->found[i].is;
}

/* ---- which row ---- */

/* True if text contains the name as a whole word. */
static bool
is_named(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = text ? strstr(text, name) : NULL; s; s = strstr(s + 1, name))
		if (s[n] != '-' && !isalpha((unsigned char)s[n]))
			return true;
	return false;
}

/* True if the row's words name the option, or an id that it gives: @workspace of --workspace. */
static bool
option_is_of(struct cli *cli, const struct cli_row *row, const char *name)
{
	const char *found = mem_printf(cli->c->mem, "@%s", name + strlen("--"));

	return str_eq(row->with, name) || is_named(row->sends, name) || is_named(row->note, name) ||
	    is_named(row->sends, found) || is_named(row->does, found);
}

static bool
args_fit(struct cli *cli, struct row_run *r, size_t at)
{
	const char *usage = r->row->args ? r->row->args : "", *rest;
	bool emails = strstr(usage, "EMAIL"), fits = true;
	struct usage_word w, next;

	for (r->arg_n = 0; usage_next(&usage, &w); at += r->args[r->arg_n++].n) {
		size_t left = cli->with.n - at, due = 0, n;

		for (rest = usage; usage_next(&rest, &next);)
			due += !next.optional;
		n = left > due ? w.more ? left - due : 1 : 0;
		if (emails && str_starts(w.s, "SLUG"))
			n = left && !strchr(cli->with.args[at], '@');
		fits &= n || w.optional;
		r->args[r->arg_n] = (struct row_arg){ w, at, n };
	}
	return fits && at == cli->with.n;
}

/* Returns the argument that a row lacks, or NULL. Typed ones count from the left. Where one is an
 * e-mail address, args_fit() has told them apart. at: number of the row's words. */
static const char *
arg_lacking(struct cli *cli, const struct row_run *r, size_t at)
{
	size_t typed = cli->with.n - at;

	for (const struct row_arg *a = r->args; a < r->args + r->arg_n; a++) {
		bool lacks = strstr(r->row->args, "EMAIL") ? !a->n : !typed;

		if (a->word.optional)
			continue;
		if (lacks)
			return mem_strndup(cli->c->mem, a->word.s, a->word.n);
		typed -= typed > 0;
	}
	return NULL;
}

/* Returns how many arguments the row's word takes up; 0 if something else was typed. */
static size_t
word_typed(struct cli *cli, const char *word)
{
	char *rest = mem_strdup(cli->c->mem, word ? word + (*word == '[') : ""), *one;
	size_t n = 0;

	while ((one = str_split(&rest, ' ')) && *one) {
		one[strcspn(one, "]")] = '\0';
		if (n == cli->with.n || !str_eq(cli->with.args[n++], one))
			return 0;
	}
	return n;
}

/* Sets r->row to the first row that fits. If none does, returns false, and *why says what the rows
 * with the typed words lack: an argument, else an option; else which argument is too many. */
static bool
row_fits(struct cli *cli, const char **why)
{
	struct row_run *r = cli->doing;
	const struct cli_row *row;
	const char *lacks = NULL, *option = NULL;
	size_t most = 0;
	bool typed = false;

	for (row = cli->cmd->rows; row->does || row->run; row++)
		typed |= word_typed(cli, row->word) > 0;
	for (r->row = row = cli->cmd->rows; row->does || row->run; r->row = ++row) {
		size_t n = word_typed(cli, row->word);
		bool fit;

		if (!n && (typed || (row->word && *row->word != '[')))
			continue;
		fit = args_fit(cli, r, n);
		if (fit && (!row->with || cli_option(cli, row->with)))
			return true;
		if (fit && !option)
			option = help_option(cli->cmd->options, row->with);
		if (!fit && !lacks)
			lacks = arg_lacking(cli, r, n);
		for (size_t i = 0; i < r->arg_n && !fit; i++)
			n += r->args[i].n;
		most = n > most ? n : most;
	}
	lacks = lacks ? lacks : option;
	*why = lacks          ? mem_printf(cli->c->mem, "%s is missing", lacks)
	    : most < cli->with.n ? help_too_many(cli, cli->with.args[most])
				 : NULL;
	return false;
}

/* Returns the usages of the rows whose words were typed, one a line, or NULL: none were. */
static const char *
usages_typed(struct cli *cli)
{
	struct buf b = BUF(cli->c->mem);
	const struct cli_option *options = cli->cmd->options;

	for (const struct cli_row *row = cli->cmd->rows; row->does || row->run; row++) {
		const char *with = row->with ? help_option(options, row->with) : NULL;

		if (!word_typed(cli, row->word))
			continue;
		buf_fmt(&b, "%s%s", b.n ? "\n" : "", cli->cmd->name);
		for (const char *w = row->word; *w; w++)
			buf_fmt(&b, "%s%.*s", w == row->word ? " " : "",
			    strchr("[]", *w) ? 0 : 1, w);
		buf_fmt(&b, "%s%s%s%s%s", row->args ? " " : "", row->args ? row->args : "",
		    with ? " " : "", with ? with : "",
		    options && options->name ? " [OPTION…]" : "");
	}
	return b.n ? buf_done(&b) : NULL;
}

/* ---- checks ---- */

/* Returns "list or add" of "[list]|add". */
static const char *
words_text(struct cli *cli, const char *words)
{
	struct buf b = BUF(cli->c->mem);

	for (; *words; words++)
		if (!strchr("[]", *words))
			buf_chr(&b, *words);
	return str_or(cli->c->mem, buf_done(&b));
}

/* Refuses an option that another row with the same words has, and the row that runs ignores. */
static int
option_refuse(struct cli *cli, const char *name)
{
	const struct cli_row *row = cli->cmd->rows, *is = cli->doing->row;
	const char *args;

	if (is->run || option_is_of(cli, is, name))
		return EXIT_FINE;
	while ((row->does || row->run) &&
	    (!str_eq(row->word, is->word) || !option_is_of(cli, row, name)))
		row++;
	if (!row->does && !row->run)
		return EXIT_FINE;
	args = row->args ? row->args : "";
	return cli_misuse("%s goes with other arguments: vitrine %s%s%s%s%s %s", name,
	    cli->cmd->name, row->word ? " " : "", row->word ? row->word : "", *args ? " " : "",
	    args, help_option(cli->cmd->options, row->with ? row->with : name));
}

static int
options_check(struct cli *cli)
{
	const char *word = cli->doing->row->word;

	for (const struct cli_option *o = cli->cmd->options; o && o->name; o++) {
		const char *name = mem_strndup(cli->c->mem, o->name, strcspn(o->name, " "));
		int status;

		if (!cli_option(cli, name))
			continue;
		if (o->only && !(word && str_in(word, o->only)))
			return cli_misuse("%s goes with vitrine %s %s", name, cli->cmd->name,
			    words_text(cli, o->only));
		if ((status = option_refuse(cli, name)))
			return status;
	}
	return EXIT_FINE;
}

static int
args_check(struct cli *cli)
{
	const struct cli_id *id = &cli->doing->row->id;
	const struct row_arg *emails = arg_find(cli, "EMAIL"), *ids = arg_find(cli, "ID");
	const char *const *args = cli->with.args;

	for (size_t i = emails->first; i < emails->first + emails->n; i++)
		if (!email_likely(cli->c->mem, args[i]))
			return cli_misuse("%s", email_wrong(cli->c->mem, args[i]));
	for (size_t i = ids->first; id->prefix && i < ids->first + ids->n; i++)
		if (!id_valid(args[i], id->prefix))
			return cli_misuse("%s isn't %s", args[i], id->is);
	return EXIT_FINE;
}

/* ---- errors ---- */

/* Returns the option or argument that gives a value such as "--above|--below" or "NAME|'x'": the
 * first that was given, or else the first option. NULL: the value has none. */
static const char *
value_typed(struct cli *cli, const char *value)
{
	const char *one, *option = NULL;

	for (size_t n; *value; value += n + (value[n] != '\0')) {
		n = strcspn(value, "|?");
		one = mem_strndup(cli->c->mem, value, n);
		if (*one == '-' ? cli_option(cli, one) != NULL
				: isupper((unsigned char)*one) && row_given(cli, one))
			return one;
		option = option || *one != '-' ? option : one;
	}
	return option;
}

/* The service's general answer also means that nobody has the workspace, or that the caller isn't
 * in it. Names the workspace if it was given by its id, which we don't look up. */
static const char *
unknown_reword(struct cli *cli, const char *error)
{
	const struct cli_row *row = cli->doing->row;
	const char *named = cli_option(cli, "--workspace");

	named = named ? named : getenv("VITRINE_WORKSPACE");
	if (!named || !id_valid(named, "wsp_") || !str_eq(error, err_table[E_NOT_FOUND].text) ||
	    !(is_named(row->does, "@workspace") || is_named(row->sends, "@workspace")))
		return NULL;
	return mem_printf(cli->c->mem, "There is no workspace %s%s, or you don't have access to it",
	    named, strstr(row->does, "{ID}") ? ", it lacks what you named" : "");
}

static const char *
error_reword(struct cli *cli, const char *error)
{
	const struct cli_row *row = cli->doing->row;
	const char *reworded = row->options ? cli_member_error(cli, error, row->options) : NULL;
	char *rest = mem_strdup(cli->c->mem, row->sends ? row->sends : ""), *name, *value;
	size_t n = strcspn(error, ":[ ");

	while (!reworded && (value = str_split(&rest, ' ')) && *value) {
		name = str_split(&value, '=');
		name[strcspn(name, ":")] = '\0';
		if (strlen(name) == n && memcmp(name, error, n) == 0)
			reworded = cli_option_error(cli, error, value_typed(cli, value));
	}
	return reworded ? reworded : unknown_reword(cli, error);
}

/* ---- the request ---- */

/* Adds a member; name: "path", or with its kind, "limit:number". */
static bool
member_add(struct cli *cli, struct buf *b, char *name, const char *value, bool query)
{
	const char *kind = strchr(name, ':') ? strchr(name, ':') + 1 : "",
		   *text = line_value(cli, NULL, value), *typed = value_typed(cli, value);
	const struct row_arg *a = arg_find(cli, value);
	char *rest;

	if (!text)
		return cli->doing->status == EXIT_FINE;
	if (str_eq(kind, "number") && (!*text || num_span(text, strlen(text)) != strlen(text)))
		return cli_fail("%s%s%s isn't a number", typed && *typed == '-' ? typed : "",
			   typed && *typed == '-' ? ": " : "", text) == EXIT_FINE;
	name[strcspn(name, ":")] = '\0';
	if (query) {
		buf_fmt(b, "%s%s=", b->n ? "&" : "", name);
		buf_form(b, text);
		return true;
	}
	json_key(b, name);
	if (!str_eq(kind, "list")) {
		(*kind ? buf_str : buf_json)(b, text);
		return true;
	}
	rest = mem_strdup(cli->c->mem, text);
	buf_chr(b, '[');
	for (size_t i = 0; a->word.more ? i < a->n : rest != NULL; i++) {
		buf_str(b, i ? "," : "");
		buf_json(b, a->word.more ? cli->with.args[a->first + i] : str_split(&rest, ','));
	}
	buf_chr(b, ']');
	return true;
}

/* Leaves *b empty if there is nothing to send. */
static int
sends_write(struct cli *cli, struct buf *b, bool query)
{
	const struct cli_row *row = cli->doing->row;
	char *rest = mem_strdup(cli->c->mem, row->sends ? row->sends : ""), *name, *value;
	bool good = true, braces = row->sends && !query;

	buf_str(b, braces ? "{" : "");
	while (good && (value = str_split(&rest, ' ')) && *value) {
		name = str_split(&value, '=');
		good = member_add(cli, b, name, value, query);
	}
	if (good && row->adds)
		good = row->adds(cli, b);
	if (!good)
		return cli->doing->status ? cli->doing->status : EXIT_USAGE;
	if (braces && b->n == 1)
		b->n = 0;
	else if (braces)
		buf_chr(b, '}');
	return EXIT_FINE;
}

static int
path_write(struct cli *cli, struct buf *b)
{
	const char *s = strchr(cli->doing->row->does, ' ') + 1, *text;
	bool rest;

	while (*s) {
		size_t n = strcspn(s, "{");

		buf_add(b, s, n);
		s += n + (s[n] == '{');
		n = strcspn(s, "}");
		if (!*s)
			break;
		rest = *s == '+';
		text = line_value(cli, NULL, mem_strndup(cli->c->mem, s + rest, n - rest));
		if (!text)
			return cli->doing->status ? cli->doing->status : EXIT_REFUSED;
		(rest ? buf_url : buf_form)(b, text);
		s += n + 1;
	}
	return EXIT_FINE;
}

/* ---- lists ---- */

static int
page_print(struct cli *cli, const struct json *reply, void *arg)
{
	const struct cli_row *row = cli->doing->row;
	size_t n, *all = arg;
	const struct json *rows = json_list(reply, row->list, &n);

	*all += n;
	if (cli->json)
		cli_print(cli, reply);
	else if (row->line)
		line_each(cli, row->line, reply, row->list, cli_line);
	for (size_t i = 0; !cli->json && row->prints && i < n; i++)
		row->prints(cli, json_at(rows, i));
	return EXIT_FINE;
}

/* ---- all ---- */

static int
reply_print(struct cli *cli, const struct json *reply)
{
	const struct cli_row *row = cli->doing->row;
	bool printed = cli->json && (row->line || !str_starts(row->does, "DELETE"));
	const struct json *about = row->of ? json_find(reply, row->of) : reply;

	if (row->then)
		return row->then(cli, reply);
	if (row->text)
		return cli_text(cli, reply, row->text);
	if (printed)
		cli_print(cli, reply);
	else if (row->of && !about)
		return cli_fail("%s answered without the %s", cli->url, row->of);
	else if (row->line)
		line_print(cli, row->line, about, cli_line);
	if (row->note && !printed && !cli->quiet)
		line_print(cli, row->note, reply, cli_note);
	return EXIT_FINE;
}

static int
row_do(struct cli *cli)
{
	const struct cli_row *row = cli->doing->row;
	bool query = str_starts(row->does, "GET ") || str_starts(row->does, "DELETE ");
	struct buf body = BUF(cli->c->mem), path = BUF(cli->c->mem);
	struct http_req req = { .save_fd = -1, .reword = row->reword };
	struct http_res res;
	const char *question;
	size_t n = 0;
	int status;

	if ((status = sends_write(cli, &body, query)) ||
	    (row->check && (status = row->check(cli))) || (status = path_write(cli, &path)))
		return status;
	if (query && body.n)
		buf_fmt(&path, "?%s", body.s);
	if (row->list) {
		status = http_pages(cli, path.s, row->list, page_print, &n);
		return !status && !n && row->none
		    ? cli_fail("%s", line_text(cli, row->none, NULL))
		    : status;
	}
	if (row->asks.question && !cli_option(cli, "--yes")) {
		question = cli_asks() ? line_text(cli, row->asks.question, NULL) : NULL;
		if (cli->doing->status)
			return cli->doing->status;
		if (!question || !cli_ask("%s", question))
			return cli_fail("%s", row->asks.refused);
	}
	req.method = mem_strndup(cli->c->mem, row->does, strcspn(row->does, " "));
	req.path = path.s;
	req.body = !query && body.n ? body.s : NULL;
	req.body_n = body.n;
	status = http_send(cli, &req, NULL, &res);
	return status ? status : reply_print(cli, res.json);
}

static int
row_turns(struct cli *cli, struct row_run *r)
{
	const struct row_arg *last;
	const char *at, *why;
	int status, first;

	if (!row_fits(cli, &why))
		return help_usage(cli, why, usages_typed(cli));
	if ((first = options_check(cli)) || (first = args_check(cli)))
		return first;
	if (r->row->run)
		return r->row->run(cli);
	/* The row is done for each value of its last argument, if that repeats and the address
	 * names it. */
	last = r->arg_n && r->args[r->arg_n - 1].word.more ? &r->args[r->arg_n - 1] : NULL;
	for (at = last ? strchr(r->row->does, '{') : NULL; at; at = strchr(at + 1, '{'))
		if (strncmp(at + 1, last->word.s, last->word.n) == 0)
			break;
	for (size_t n = at ? last->n : 1; r->turn < n; r->turn++) {
		status = row_do(cli);
		first = first ? first : status;
		if (r->status)
			break;
	}
	return first;
}

int
row_run(struct cli *cli)
{
	struct row_run r = { 0 };
	int status;

	cli->doing = &r;
	cli->reword = error_reword;
	status = row_turns(cli, &r);
	cli->reword = NULL;
	cli->doing = NULL;
	return status;
}
