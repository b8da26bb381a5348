/* SPDX-License-Identifier: Apache-2.0
 * Brings pages from elsewhere: lists what is there, then publishes, private, what is picked. */
#include "cli/elsewhere.h"

#include "base/mime.h"
#include "base/path.h"
#include "base/str.h"
#include "base/viewkind.h"
#include "cli/cmd.h"
#include "cli/fill.h"
#include "cli/publish.h"
#include "cli/unpack.h"

#include <ctype.h>
#include <errno.h>

#define CHATS_FILE "conversations.json"
/* An export of years of chats; its conversations are parsed one by one. */
enum { CHATS_BYTES = 1 << 30, TITLE_CHARS = 100 };

struct item *
item_add(struct elsewhere *e, const char *kind, const char *title)
{
	if (e->n == ELSEWHERE_ITEMS) {
		left_add(e, "%s: there are more than %d", title, ELSEWHERE_ITEMS);
		return NULL;
	}
	title = str_cut(e->cli->c->mem, str_one_line(e->cli->c->mem, title), TITLE_CHARS);
	if (!e->v)
		e->v = mem_array(e->cli->c->mem, struct item, ELSEWHERE_ITEMS);
	e->v[e->n] = (struct item){ .kind = kind, .title = title, .files = { .place = title } };
	return &e->v[e->n++];
}

void
item_add_file(struct elsewhere *e, const char *kind, const char *title, const char *from,
    const char *path, const char *bytes, size_t n)
{
	struct item *item = item_add(e, kind, title);

	if (!item)
		return;
	item->from = from;
	folder_make(e->cli, &item->files, path, bytes, n);
}

void
left_add(struct elsewhere *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strs_add(e->cli->c->mem, &e->left, mem_vprintf(e->cli->c->mem, fmt, ap));
	va_end(ap);
}

const char *
name_of(void *owner, const char *text)
{
	enum { NAME_BYTES = 60 };
	struct buf b = BUF(owner);

	for (const char *s = text; *s && b.n < NAME_BYTES; s++)
		if (isalnum((unsigned char)*s))
			buf_chr(&b, (char)tolower((unsigned char)*s));
		else if (b.n && b.s[b.n - 1] != '-')
			buf_chr(&b, '-');
	while (b.n && b.s[b.n - 1] == '-')
		b.s[--b.n] = '\0';
	return b.n ? b.s : "page";
}

/* ---- what is there ---- */

static int
chats_found(struct elsewhere *e, const struct folder *o, const struct folder_file *f)
{
	char *text;

	if (f->size > CHATS_BYTES)
		return cli_fail("%s is larger than %s", f->path,
		    str_amount_1024(e->cli->c->mem, CHATS_BYTES));
	return folder_content(e->cli, o, f, &text) && chats_read(e, text, (size_t)f->size)
	    ? EXIT_FINE
	    : EXIT_REFUSED;
}

static int
archive_found(struct elsewhere *e, const char *place)
{
	struct folder files;
	struct item *item;
	int status = unpack_read(e->cli, place, &files);

	if (status)
		return status;
	for (size_t i = 0; i < files.n; i++)
		if (str_eq(str_base(files.v[i].path), CHATS_FILE))
			return chats_found(e, &files, &files.v[i]);
	item = item_add(e, "site", unpack_name(e->cli, place));
	item->files = files;
	for (size_t i = 0; i < files.left_n && i < sizeof files.left / sizeof *files.left; i++)
		left_add(e, "%s: is left out, as in a folder", files.left[i]);
	item->files.left_n = 0;
	hosted_convert(e, item);
	return EXIT_FINE;
}

/* A text that should be JSON and isn't is published all the same. */
static void
broken_warn(struct elsewhere *e, const struct folder *o)
{
	enum { BROKEN_BYTES = 256 << 10 };
	const struct folder_file *f = &o->v[0];
	const char *why;
	struct json *tree;
	char *text;
	size_t at;

	if (!mime_ends(f->path, ".json") || f->size > BROKEN_BYTES ||
	    !folder_content(e->cli, o, f, &text))
		return;
	why = json_wrong(e->cli->c, text, (size_t)f->size, &tree, &at);
	if (why)
		cli_warn("%s isn't JSON: at byte %zu, %s", f->path, at, why);
}

static int
file_found(struct elsewhere *e, const char *place)
{
	const char *base = str_base(place), *dot = strrchr(base, '.');
	struct folder files;
	struct item *item;
	struct stat st;

	if (!stat(place, &st) && S_ISDIR(st.st_mode))
		return cli_misuse(
		    "%s is a folder: vitrine publish %s publishes it", place, place);
	if (!folder_read(e->cli, place, -1, &files))
		return EXIT_REFUSED;
	if (str_eq(base, CHATS_FILE))
		return chats_found(e, &files, &files.v[0]);
	broken_warn(e, &files);
	item = item_add(e, view_kind_of(base) == VIEW_NONE ? "page" : "file",
	    dot && dot > base ? mem_strndup(e->cli->c->mem, base, (size_t)(dot - base)) : base);
	item->files = files;
	return EXIT_FINE;
}

/* ---- what is picked ---- */

/* Reads "1,3-5". Returns false after saying what is wrong. */
static bool
picks_read(const struct elsewhere *e, const char *typed, bool *picked)
{
	char *rest = mem_strdup(e->cli->c->mem, typed), *one;

	while ((one = str_split(&rest, ','))) {
		char *to = one, *from = str_split(&to, '-');
		int64_t a, b;

		one += strspn(one, " ");
		if (!str_int(from + strspn(from, " "), &a) || !str_int(to ? to : from, &b) ||
		    a < 1 || b < a || b > (int64_t)e->n)
			return cli_fail("--pick: %s isn't one of 1 to %zu", one, e->n) == EXIT_FINE;
		for (int64_t i = a; i <= b; i++)
			picked[i - 1] = true;
	}
	return true;
}

static void
list_print(const struct elsewhere *e)
{
	struct cli *cli = e->cli;
	struct buf b = BUF(cli->c->mem);

	if (cli->json)
		buf_str(&b, "{\"items\":[");
	for (size_t i = 0; i < e->n; i++) {
		const struct item *it = &e->v[i];

		if (!cli->json) {
			cli_line("%3zu  %-8s  %s (%s, %s)%s%s", i + 1, it->kind, it->title,
			    str_count(b.owner, (int64_t)it->files.n, "file"),
			    str_amount(b.owner, it->files.bytes), it->from ? ", from " : "",
			    it->from ? it->from : "");
			continue;
		}
		buf_fmt(&b, "%s{\"n\":%zu,\"files\":%zu,\"bytes\":%lld", i ? "," : "", i + 1,
		    it->files.n, (long long)it->files.bytes);
		json_texts(&b, "kind", it->kind, "title", it->title, "from", it->from, NULL);
		buf_chr(&b, '}');
	}
	if (!cli->json)
		return;
	buf_str(&b, "],\"left\":");
	buf_jsons(&b, e->left.v, e->left.n);
	buf_chr(&b, '}');
	cli_line("%s", b.s);
}

/* Sets which items are picked; at a terminal, asks for them. *any is false if none is. */
static int
picks_find(struct elsewhere *e, bool *picked, bool *any)
{
	const char *typed = cli_option(e->cli, "--pick"), *answer = NULL;

	*any = typed || cli_option(e->cli, "--all");
	if (typed && cli_option(e->cli, "--all"))
		return cli_misuse("--pick and --all: leave one of them out");
	if (!*any)
		list_print(e);
	for (size_t i = 0; i < e->left.n && !(e->cli->quiet || e->cli->json); i++)
		cli_note("left: %s", e->left.v[i]);
	if (!*any && !e->cli->json && cli_asks())
		answer = cli_read(e->cli, "Which? Numbers with commas, or all (none): ");
	if (answer && *answer && !str_eq(answer, "all"))
		typed = answer;
	*any = *any || (answer && *answer);
	if (!*any && !e->cli->quiet && !e->cli->json)
		cli_note("nothing was published: choose with --pick N,N or --all");
	if (typed)
		return picks_read(e, typed, picked) ? EXIT_FINE : EXIT_USAGE;
	for (size_t i = 0; i < e->n; i++)
		picked[i] = *any;
	return EXIT_FINE;
}

/* ---- writing and publishing the items ---- */

static int
item_publish(struct cli *cli, const struct item *it)
{
	struct publish_what what = { .place = it->title, .dir = -1, .files = &it->files };
	struct cli one = *cli;
	const struct json *reply;
	int status;

	one.with = (struct usage){ .option_n = 3,
		.options = { { "--new", "" }, { "--visibility", "private" },
		    { "--name", it->title } } };
	if (cli_option(cli, "--yes"))
		one.with.options[one.with.option_n++] = (struct usage_option){ "--yes", "" };
	if (it->entry)
		one.with.options[one.with.option_n++] =
		    (struct usage_option){ "--entrypoint", it->entry };
	if ((status = publish(&one, &what, &reply)))
		return status;
	if (cli->json)
		cli_print(cli, reply);
	else
		cli_line("%s", json_member(reply, "deployment.url"));
	return EXIT_FINE;
}

static int
item_write(struct elsewhere *e, size_t i, const char *dir)
{
	void *mem = e->cli->c->mem;
	const char *name = name_of(mem, e->v[i].title);
	const char *to = mem_printf(mem, "%s/%s", dir, name);
	int status;

	for (size_t j = 0; j < i; j++)
		if (str_eq(name_of(mem, e->v[j].title), name))
			to = mem_printf(mem, "%s/%s-%zu", dir, name, i + 1);
	status = fill_folder(e->cli, to, &e->v[i].files);
	if (!status)
		cli_line("%s", to);
	return status;
}

static int
run_import(struct cli *cli)
{
	struct elsewhere e = { .cli = cli };
	const char *from = cli->with.args[0], *dir = cli_option(cli, "--dir");
	bool *picked, any;
	int status = strstr(from, "://") ? crawl_read(&e, from)
	    : unpack_is_archive(from)    ? archive_found(&e, from)
					 : file_found(&e, from);

	if (status)
		return status;
	picked = mem_array(cli->c->mem, bool, e.n + 1);
	if ((status = picks_find(&e, picked, &any)) || !any)
		return status;
	status = dir ? EXIT_FINE : cmd_service(cli, NEEDS_TOKEN);
	if (status)
		return status;
	if (dir && mkdir(dir, 0777) && errno != EEXIST)
		return cli_fail("%s: %s", dir, strerror(errno));
	/* Does all that is picked, also after one fails, and returns the first failure. */
	for (size_t i = 0; i < e.n; i++) {
		int one;

		if (!picked[i])
			continue;
		one = !folder_hash(cli, &e.v[i].files) ? EXIT_REFUSED
		    : dir                              ? item_write(&e, i, dir)
						       : item_publish(cli, &e.v[i]);
		status = status ? status : one;
	}
	return status;
}

static const struct cli_option import_options[] = {
	{ "--pick NUMBERS", "which of the list: 2, or 1,4-6" },
	{ "--all", "all of the list" },
	{ "--dir DIR", "write them into folders in DIR, and publish nothing" },
	{ "--yes", "don't ask about files that look like secrets" },
	{ 0 },
};

const struct cli_cmd elsewhere_cli[] = {
	{ "import", "FILE|URL",
	    "list what a chat's export, a file, another host's archive, or an address has, "
	    "and publish, private, what you pick",
	    import_options, .run = run_import, .needs = NEEDS_NOTHING },
	{ 0 },
};
