/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/import.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/credentials.h"
#include "cli/file.h"
#include "cli/upload.h"

#include <time.h>
#include <unistd.h>

/* After a lost connection, at most one piece is sent twice. */
enum { PIECE_BYTES = 8 << 20, SHOWN_MISFITS = 20, WAIT_MS = 100, WAIT_MOST_MS = 2000 };

struct importing {
	struct cli *cli;
	const char *path;    /* the file's, as it was typed */
	const char *imports; /* path of the artifact's imports at the service */
	const char *tables;
	const char *table;
	struct http_file file;
	struct stat was;
	const char *what;    /* the file's size and time, the mode and the key as a text */
	const char *kept;    /* the file that stores what was begun */
	const char *id;      /* of the import; NULL: there is none yet */
	const char *at;      /* path for its bytes */
	bool told;           /* its columns were printed */
	struct buf asked;    /* the ids of its questions that were answered: "a|b" */
};

/* ---- what was begun ---- */

static const char *
bytes_path(const char *url)
{
	return upload_path(url, "/v1/data/imports/", "upi_");
}

/* Stores what is needed to go on. */
static bool
kept_write(struct importing *m)
{
	struct buf kept = json_object_of(m->cli->c->mem, "file", m->what, "id", m->id, "path",
	    m->at, "asked", m->asked.n ? m->asked.s : NULL, NULL);

	buf_chr(&kept, '\n');
	return credentials_keep(m->cli, m->kept, &kept);
}

/* Goes on with an import of the same file. An import of what the file was before, or with another
 * mode or key, is cancelled. */
static int
kept_read(struct importing *m)
{
	const struct json *kept = upload_kept_read(m->cli, m->kept);
	struct http_req req = { .save_fd = -1 };
	struct http_res res;
	int status;

	m->id = kept ? json_member(kept, "id") : NULL;
	m->at = kept ? bytes_path(json_member(kept, "path")) : NULL;
	if (!m->at || !id_valid(m->id, "imp_")) {
		m->id = NULL;
		return EXIT_FINE;
	}
	req.path = mem_printf(m->cli->c->mem, "%s/%s", m->imports, m->id);
	req.method = str_eq(json_member(kept, "file"), m->what) ? "GET" : "DELETE";
	status = http_send(m->cli, &req, "NOT_FOUND|CONFLICT", &res);
	if (!status && *req.method == 'G' &&
	    !str_in(json_member(res.json, "import.state"), "failed|cancelled")) {
		buf_str(&m->asked, json_member(kept, "asked"));
		if (!m->cli->quiet)
			cli_note("%s: an import was begun; it goes on", m->path);
		return EXIT_FINE;
	}
	m->id = NULL;
	unlink(m->kept);
	return status && res.status != 404 && res.status != 409 ? status : EXIT_FINE;
}

/* ---- the import ---- */

static int
mode_find(struct importing *m, const char **mode)
{
	struct http_req req = { .method = "GET", .save_fd = -1 };
	struct http_res res;
	int status;

	*mode = cli_option(m->cli, "--mode");
	if (*mode)
		return EXIT_FINE;
	req.path = mem_printf(m->cli->c->mem, "%s/%s", m->tables, m->table);
	status = http_send(m->cli, &req, "NOT_FOUND", &res);
	*mode = status ? "create" : "add";
	return res.status == 404 ? EXIT_FINE : status;
}

/* Finds the table's key, by which upsert finds rows. */
static int
key_find(struct importing *m, const char **key)
{
	struct http_res res;
	int status = http_do(m->cli, &res, "GET %s/%s", m->tables, m->table);

	if (status)
		return status;
	*key = json_word(json_get(res.json, "table"), "key");
	return *key ? EXIT_FINE
		    : cli_fail("%s has no key, by which upsert finds rows; vitrine table key %s "
			       "COLUMN makes a column the key", m->table, m->table);
}

static int
import_make(struct importing *m)
{
	static const char *const options[][2] = { { "mode", "--mode" }, { "key", "--key" },
		{ NULL, NULL } };
	const char *key = cli_option(m->cli, "--key"), *mode;
	struct buf body = BUF(m->cli->c->mem);
	struct http_res res;
	int status;

	if ((status = mode_find(m, &mode)) ||
	    (!key && str_eq(mode, "upsert") && (status = key_find(m, &key))))
		return status;
	buf_chr(&body, '{');
	json_add(&body, "filename", str_base(m->path));
	json_key(&body, "size");
	buf_fmt(&body, "%lld", (long long)m->file.n);
	json_add(&body, "table", m->table);
	json_add(&body, "mode", mode);
	if (key)
		json_add(&body, "key", key);
	buf_chr(&body, '}');
	status = http_json(m->cli, "POST", m->imports, &body, options, &res);
	if (status && str_eq(json_member(res.json, "code"), "LIMIT_REACHED"))
		cli_note("  vitrine table imports lists them, vitrine table cancel ID cancels one");
	if (status)
		return status;
	m->id = json_member(res.json, "import.id");
	m->at = bytes_path(json_member(res.json, "import.upload_url"));
	if (!m->at || !id_valid(m->id, "imp_"))
		return cli_fail("%s didn't return an address to send a file to", m->cli->url);
	if (!kept_write(m))
		cli_note("  if this is interrupted, it begins again");
	return EXIT_FINE;
}

/* Sends the next piece; a small file in one piece. sure: the service has just said how much it has.
 * If it hasn't, asks for that. */
static int
piece_send(struct importing *m, int64_t received, bool sure, struct http_res *res)
{
	int64_t left = m->file.n - received;
	struct http_file piece = { .fd = m->file.fd, .at = received,
		.n = left < PIECE_BYTES ? left : PIECE_BYTES,
		.all = m->file.n > PIECE_BYTES ? m->file.n : 0 };
	struct http_req req = { .method = sure ? "PUT" : "GET", .path = m->at,
		.file = sure ? &piece : NULL, .save_fd = -1, .once = true };

	if (!upload_unchanged(&m->file, &m->was))
		return cli_fail("%s: changed while it was being sent; import it again", m->path);
	return http_send(m->cli, &req, "CONFLICT", res);
}

/* Sends what the service hasn't. Fails after several tries without progress. */
static int
bytes_send(struct importing *m)
{
	int64_t received = 0;
	bool sure = false;
	int tries = 0;

	for (;;) {
		struct http_res res = { 0 };
		int status = piece_send(m, received, sure, &res);

		/* A conflict in answer to this question means that the service has all bytes. */
		if (!sure && res.status == 409)
			break;
		if (sure && res.status == 409)
			res.again = "another command sends it, too";
		if (status && !(res.again && http_wait(m->cli, m->path, &res, &tries)))
			return status;
		if (!status && json_number(res.json, "received") != received)
			tries = 0;
		if (!status)
			received = json_number(res.json, "received");
		if (!status && !str_eq(json_member(res.json, "state"), "uploading"))
			break;
		sure = !status;
		if (received < 0 || (received && received >= m->file.n))
			return cli_fail("%s: the service returned an impossible size", m->path);
		cli_progress(m->cli, m->path, received, m->file.n);
	}
	cli_progress(m->cli, "", 1, 1);
	return EXIT_FINE;
}

static int
import_edit(struct importing *m, const char *method, const char *more, const struct buf *body)
{
	struct http_res res;

	return http_json(m->cli, method,
	    mem_printf(m->cli->c->mem, "%s/%s%s", m->imports, m->id, more), body, NULL, &res);
}

/* ---- questions ---- */

static bool
is_choice(const struct json *question, const char *text)
{
	size_t n;
	const struct json *choices = json_list(question, "choices", &n);

	for (size_t i = 0; i < n; i++)
		if (str_eq(json_str(json_at(choices, i)), text))
			return true;
	return false;
}

static const char *
choices_text(struct cli *cli, const struct json *question)
{
	size_t n;
	const struct json *choices = json_list(question, "choices", &n);
	struct buf b = BUF(cli->c->mem);

	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "%s%s", i ? " | " : "", json_str(json_at(choices, i)));
	return buf_done(&b);
}

/* Returns the choice that --answer has for a question; NULL: none. */
static const char *
answer_given(struct cli *cli, const char *id)
{
	const char *given = cli_option(cli, "--answer");
	char *rest = given ? mem_strdup(cli->c->mem, given) : NULL, *one;
	size_t n = strlen(id);

	while (rest && (one = str_split(&rest, ';')))
		if (str_starts(one, id) && one[n] == '=')
			return one + n + 1;
	return NULL;
}

/* Refuses answers that aren't of the form ID=CHOICE. */
static int
answers_check(struct cli *cli)
{
	const char *given = cli_option(cli, "--answer");
	char *rest = given ? mem_strdup(cli->c->mem, given) : NULL, *one;

	while (rest && (one = str_split(&rest, ';')))
		if (*one == '=' || !strchr(one, '='))
			return cli_misuse("--answer: %s isn't ID=CHOICE", one);
	return EXIT_FINE;
}

/* Once no question is open, refuses an answer to none of those that were asked, and cancels the
 * import: the question that was meant has another answer. */
static int
answers_used(struct importing *m)
{
	const char *given = cli_option(m->cli, "--answer");
	char *rest = given ? mem_strdup(m->cli->c->mem, given) : NULL, *one;
	struct http_res res;

	while (rest && (one = str_split(&rest, ';'))) {
		const char *id = str_split(&one, '=');

		if (m->asked.n && str_in(id, m->asked.s))
			continue;
		http_do(m->cli, &res, "DELETE %s/%s", m->imports, m->id);
		unlink(m->kept);
		return cli_misuse("--answer: %s has no question %s%s%s", m->path, id,
		    m->asked.n ? "; it has " : "", m->asked.n ? m->asked.s : "");
	}
	return EXIT_FINE;
}

/* Asks at the terminal. Returns NULL if nothing can be read. */
static const char *
answer_asked(struct cli *cli, const struct json *question)
{
	const char *proposed = json_member(question, "proposed"), *line;

	cli_note("%s", json_member(question, "text"));
	do {
		line = cli_read(cli, "%s [%s]", choices_text(cli, question), proposed);
		if (line && !*line)
			return proposed;
	} while (line && !is_choice(question, line));
	return line;
}

/* Adds an answer. *open: nobody has answered, so the question is printed. */
static int
question_answer(struct importing *m, const struct json *question, struct buf *body, bool *open)
{
	const char *id = json_member(question, "id"), *answer = answer_given(m->cli, id);

	if (answer && !is_choice(question, answer))
		return cli_misuse("--answer: %s can't be %s; its choices are %s", id, answer,
		    choices_text(m->cli, question));
	if (!answer && cli_option(m->cli, "--yes"))
		answer = json_member(question, "proposed");
	if (!answer && cli_asks())
		answer = answer_asked(m->cli, question);
	if (answer)
		json_add(body, id, answer);
	else
		cli_note("%s: %s (%s; proposed: %s)", id, json_member(question, "text"),
		    choices_text(m->cli, question), json_member(question, "proposed"));
	*open |= !answer;
	return EXIT_FINE;
}

static int
questions_answer(struct importing *m, const struct json *questions, size_t n)
{
	struct buf body = BUF(m->cli->c->mem);
	bool open = false;
	int status;

	buf_str(&body, "{\"answers\":{");
	for (size_t i = 0; i < n; i++)
		if ((status = question_answer(m, json_at(questions, i), &body, &open)))
			return status;
	buf_str(&body, "}}");
	if (open)
		return cli_misuse("%s: answer these with --answer ID=CHOICE, or accept what is "
				  "proposed with --yes", m->path);
	for (size_t i = 0; i < n; i++)
		buf_fmt(&m->asked, "%s%s", m->asked.n ? "|" : "",
		    json_member(json_at(questions, i), "id"));
	return kept_write(m) ? import_edit(m, "PATCH", "", &body) : EXIT_REFUSED;
}

/* ---- lines that don't fit ---- */

static void
misfits_print(struct importing *m, const struct json *imp)
{
	size_t n;
	const struct json *misfits = json_list(imp, "misfits", &n);
	const char *unit = str_eq(json_member(imp, "format"), "json") ? "row" : "line";

	for (size_t i = 0; i < n && i < SHOWN_MISFITS; i++) {
		const struct json *one = json_at(misfits, i);
		const char *column = json_member(one, "column"), *value = json_member(one, "value");

		cli_note("%s: %s %lld: %s%s%s%s%s", m->path, unit,
		    (long long)json_number(one, "line"), column, *column ? ": " : "",
		    *value ? mem_printf(m->cli->c->mem, "“%s”", value) : "", *value ? " " : "",
		    json_member(one, "why"));
	}
}

/* True if upsert would store lines that don't fit, since their keys are in the table. */
static bool
keys_are_taken(const struct json *imp)
{
	size_t n;
	const struct json *misfits = json_list(imp, "misfits", &n);

	for (size_t i = 0; i < n; i++)
		if (str_eq(json_member(json_at(misfits, i), "why"),
			"is the key of a row of the table"))
			return true;
	return false;
}

/* Decides what becomes of lines that don't fit the table: by --misfits, or by asking. */
static int
misfits_decide(struct importing *m, const struct json *imp)
{
	const char *way = cli_option(m->cli, "--misfits");
	int64_t n = json_number(imp, "misfit_rows");
	const char *lines = n == 1 ? "1 line doesn't fit"
				   : mem_printf(m->cli->c->mem, "%s lines don't fit",
					 str_number(m->cli->c->mem, n));
	struct buf body = BUF(m->cli->c->mem);

	if (!way)
		misfits_print(m, imp);
	if (!way && cli_ask("%s. Leave %s out?", lines, n == 1 ? "it" : "them"))
		way = "leave_out";
	if (!way)
		return cli_fail("%s: %s, so nothing is imported; correct the file, or give "
				"--misfits leave_out or --misfits null%s", m->path, lines,
		    keys_are_taken(imp) ? ", or --mode upsert, which changes the rows that have "
					  "the same key" : "");
	buf_chr(&body, '{');
	json_add(&body, "on_misfit", way);
	buf_chr(&body, '}');
	return import_edit(m, "PATCH", "", &body);
}

/* ---- to its end ---- */

static void
columns_print(struct importing *m, const struct json *imp)
{
	size_t n;
	const struct json *columns = json_list(imp, "columns", &n);
	struct buf b = BUF(m->cli->c->mem);

	if (m->told || m->cli->quiet)
		return;
	m->told = true;
	for (size_t i = 0; i < n; i++) {
		const struct json *col = json_at(columns, i);
		const char *name = json_member(col, "name"), *note = json_member(col, "note");
		bool take = json_true(json_get(col, "take"));

		if (take)
			buf_fmt(&b, " %s:%s", name, json_member(col, "type"));
		if (*note || !take)
			cli_note("column %s%s%s%s",
			    take ? name : json_member(col, "source"), take ? "" : " is left out",
			    *note ? ": " : "", note);
	}
	cli_note("columns:%s", buf_done(&b));
}

static int
ready_go(struct importing *m, const struct json *imp)
{
	size_t n;
	const struct json *questions = json_list(imp, "questions", &n);
	struct buf body = BUF(m->cli->c->mem);
	int status;

	if (n)
		return questions_answer(m, questions, n);
	if ((status = answers_used(m)))
		return status;
	columns_print(m, imp);
	if (json_number(imp, "misfit_rows") && str_eq(json_member(imp, "on_misfit"), "refuse"))
		return misfits_decide(m, imp);
	buf_str(&body, "{}");
	return import_edit(m, "POST", "/start", &body);
}

static int
import_done(struct importing *m, const struct json *reply)
{
	const char *rows = str_count(
	    m->cli->c->mem, json_number(reply, "import.rows_done"), "row");
	int64_t out = json_number(reply, "import.misfit_rows");
	const char *mode = json_member(reply, "import.mode");
	const char *table = json_member(reply, "import.table");

	unlink(m->kept);
	if (m->cli->json)
		cli_print(m->cli, reply);
	if (m->cli->quiet || m->cli->json)
		return EXIT_FINE;
	if (str_eq(mode, "create"))
		cli_note("table %s is created with %s", table, rows);
	else if (str_eq(mode, "replace"))
		cli_note("table %s has %s now", table, rows);
	else
		cli_note("%s added to %s%s", rows, table,
		    str_eq(mode, "upsert") ? " or changed there" : "");
	if (out && str_eq(json_member(reply, "import.on_misfit"), "leave_out"))
		cli_note("%s left out: vitrine table left-out %s saves them with their reasons",
		    str_count(m->cli->c->mem, out, "line"), m->id);
	return EXIT_FINE;
}

/* Returns why the import failed. An editor makes a key with a command here. */
static const char *
failure_text(struct importing *m, const struct json *imp)
{
	const char *error = json_member(imp, "error"), *api = strstr(error, "; an editor can make");

	if (!*error)
		return "the import was cancelled";
	return str_starts(error, "key: ") && api
	    ? mem_printf(m->cli->c->mem, "--%.*s; vitrine table key %s %s makes it the key",
		  (int)(api - error), error, m->table, json_member(imp, "key"))
	    : error;
}

/* Does what the import's state asks for. *wait: the service works on it. */
static int
import_step(struct importing *m, bool *end, bool *wait)
{
	const struct json *imp;
	const char *state;
	struct http_res res;
	int status;

	if ((status = http_do(m->cli, &res, "GET %s/%s", m->imports, m->id)))
		return status;
	imp = json_get(res.json, "import");
	state = json_member(imp, "state");
	*wait = str_in(state, "checking|storing");
	*end = str_in(state, "done|failed|cancelled");
	if (str_eq(state, "uploading"))
		return bytes_send(m);
	if (str_eq(state, "ready"))
		return ready_go(m, imp);
	if (str_eq(state, "done"))
		return import_done(m, res.json);
	if (*end) {
		unlink(m->kept);
		return cli_fail("%s: %s", m->path, failure_text(m, imp));
	}
	if (str_eq(state, "storing"))
		cli_progress(m->cli, "storing", json_number(imp, "rows_done"),
		    json_number(imp, "rows") + 1);
	return EXIT_FINE;
}

static int
import_follow(struct importing *m)
{
	struct cli *whole = m->cli;
	bool end = false, wait = false;
	long ms = WAIT_MS;
	int status = EXIT_FINE;

	while (!end && !status) {
		struct cli part = *whole;

		if (wait)
			nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
		ms = !wait ? WAIT_MS : ms * 2 < WAIT_MOST_MS ? ms * 2 : WAIT_MOST_MS;
		part.c = ctx_begin(NULL, NULL);
		m->cli = &part;
		status = import_step(m, &end, &wait);
		whole->shown = part.shown;
		ctx_end(part.c);
	}
	m->cli = whole;
	cli_progress(whole, "", 1, 1);
	return status;
}

int
import_file(struct cli *cli, const char *artifact_id, const char *path, const char *table)
{
	void *mem = cli->c->mem;
	const char *mode = cli_option(cli, "--mode"), *key = cli_option(cli, "--key");
	struct importing m = { .cli = cli, .path = path, .table = table, .asked = BUF(mem) };
	int status;

	if ((status = answers_check(cli)))
		return status;
	m.imports = mem_printf(mem, "/v1/data/%s/imports", artifact_id);
	m.tables = mem_printf(mem, "/v1/data/%s/tables", artifact_id);
	if (str_eq(path, "-"))
		m.path = "stdin";
	status = str_eq(path, "-") ? file_stdin(cli, &m.file, &m.was)
				   : file_open(cli, path, &m.file, &m.was);
	if (status)
		return status;
	m.what = mem_printf(mem, "%s %s %s", upload_what(cli, &m.file, &m.was), mode ? mode : "",
	    key ? key : "");
	m.kept = upload_kept(cli, "imports", mem_printf(mem, "%s %s", m.imports, table), path);
	if (!m.kept)
		return EXIT_REFUSED;
	if ((status = kept_read(&m)) || (!m.id && (status = import_make(&m))))
		return status;
	return import_follow(&m);
}
