/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/delivery.h"
#include "cli/commands.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/http.h"
#include "cli/library.h"
#include "cli/line.h"
#include "cli/row.h"

#include <time.h>

enum { DAY_S = 86400, DAYS_MOST = 36500 };

static const char *
option(const struct cli *cli, const char *name)
{
	return usage_option(&cli->with, name);
}

/* ---- what is wished ---- */

bool
expiry_add(struct cli *cli, struct buf *b, const char *member)
{
	const char *when = option(cli, "--expires");
	int64_t until, days;

	if (!when)
		return true;
	if (str_int(when, &days) && days > 0 && days <= DAYS_MOST)
		until = time(NULL) + days * DAY_S;
	else if (!str_from_rfc3339(mem_printf(cli->c->mem, "%sT23:59:59Z", when), &until))
		return cli_fail("--expires: %s is neither a date such as 2027-12-31 nor a number "
				"of days",
			   when) == EXIT_FINE;
	json_key(b, member);
	buf_fmt(b, "%lld", (long long)until);
	return true;
}

static bool
password_add(struct cli *cli, struct buf *b)
{
	const char *password;

	if (!option(cli, "--password"))
		return true;
	if (!cli_secret_read(cli, "Password for the link", &password))
		return false;
	json_add(b, "password", password);
	return true;
}

static void
list_add(struct cli *cli, struct buf *b, const char *name, const char *words)
{
	char *rest = mem_strdup(cli->c->mem, words), *one;

	if (!words)
		return;
	json_key(b, name);
	buf_chr(b, '[');
	while ((one = str_split(&rest, ','))) {
		buf_str(b, b->s[b->n - 1] == '[' ? "" : ",");
		buf_json(b, one + strspn(one, " "));
	}
	buf_chr(b, ']');
}

static bool
wish_write(struct cli *cli, struct buf *b)
{
	buf_chr(b, '{');
	list_add(cli, b, "to", option(cli, "--email"));
	list_add(cli, b, "domains", option(cli, "--domains"));
	if (option(cli, "--message"))
		json_add(b, "message", option(cli, "--message"));
	if (!expiry_add(cli, b, "expiresAt") || !password_add(cli, b))
		return false;
	buf_chr(b, '}');
	return true;
}

/* ---- the collection ---- */

static int
collection_write(struct cli *cli, const char *library, struct buf *b)
{
	const char *name = option(cli, "--name"), *id;
	int status = EXIT_FINE;

	buf_chr(b, '{');
	if (name)
		json_add(b, "name", name);
	json_key(b, "deliverableIds");
	for (size_t i = 1; i < cli->with.n; i++) {
		if (!(id = library_file_id(cli, library, cli->with.args[i], &status)))
			return status;
		buf_chr(b, i > 1 ? ',' : '[');
		buf_json(b, id);
	}
	buf_str(b, "]}");
	return EXIT_FINE;
}

/* In terms of what was typed. */
static const char *
wish_told(struct cli *cli, const char *error, const void *arg)
{
	static const char *const options[][2] = { { "name", "--name" }, { "to", "--email" },
		{ "domains", "--domains" }, { "message", "--message" },
		{ "expiresAt", "--expires" }, { "password", "--password" } };
	const char *member = mem_strndup(cli->c->mem, error, strcspn(error, ":[ "));

	(void)arg;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (str_eq(member, options[i][0]))
			return cli_told_of(cli, error, options[i][1]);
	return NULL;
}

static int
post(struct cli *cli, const char *path, const struct buf *body, struct http_res *res)
{
	return http_send(cli,
	    &(struct http_req){ .method = "POST",
		.path = path,
		.body = body->s,
		.body_n = body->n,
		.save_fd = -1,
		.told = wish_told },
	    NULL, res);
}

/* A collection that the service makes no link to isn't left there. */
static void
collection_drop(struct cli *cli, const char *path)
{
	struct http_res res;

	http_call(cli, "DELETE", path, NULL, &res);
}

/* does: "share" or "send"; *out is its reply. */
static int
link_make(struct cli *cli, const char *does, struct http_res *out)
{
	struct buf wish = BUF(cli->c->mem), files = BUF(cli->c->mem);
	const char *library, *id, *path;
	int status = EXIT_FINE;

	if (option(cli, "--password") && option(cli, "--domains"))
		return cli_misuse("--password and --domains: a link has one of them");
	if (!wish_write(cli, &wish))
		return EXIT_USAGE;
	if (!(library = library_which(cli, &status)) ||
	    (status = collection_write(cli, library, &files)) ||
	    (status = post(cli, mem_printf(cli->c->mem, "%s/collections", library), &files, out)))
		return status;
	id = json_member(out->json, "collection.id");
	if (!id_valid(id, "col_"))
		return cli_fail("%s didn't return a collection", cli->url);
	path = mem_printf(cli->c->mem, "%s/collections/%s", library, id);
	status = post(cli, mem_printf(cli->c->mem, "%s/%s", path, does), &wish, out);
	if (status && (out->status / 100 == 4 || out->status == 503))
		collection_drop(cli, path);
	return status;
}

/* ---- the commands ---- */

#define WHO_OPENS \
	"{link.id} opens for {link.gate=password?'anyone who has the password'|" \
	"link.gate=domain?'people with a mailbox at its domains'|'anyone with the link'}" \
	"[ until {link.expiresAt}]"

int
run_share(struct cli *cli)
{
	struct http_res res;
	int status = link_make(cli, "share", &res);

	if (status)
		return status;
	if (!cli->quiet)
		line_print(cli, WHO_OPENS, res.json, cli_note);
	return line_result(cli, "{url}", res.json);
}

int
run_send(struct cli *cli)
{
	struct http_res res;
	int status;

	if (!option(cli, "--email"))
		return cli_misuse("--email: to whom? List addresses, separated by commas");
	if ((status = link_make(cli, "send", &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else
		line_each(cli, "{to}  {url}", res.json, "links", cli_line);
	return EXIT_FINE;
}

/* ---- a link that one was given ---- */

/* The secret in the link's address, or the secret alone. */
static const char *
link_find(struct cli *cli, const char *what, int *status)
{
	const char *link = row_given(cli, "LINK");
	const char *start = mem_printf(cli->c->mem, "%s/d/", cli->url);

	if (!str_eq(what, "link"))
		return NULL;
	if (str_starts(link, start))
		link += strlen(start);
	else if (strchr(link, '/'))
		*status = cli_misuse("%s isn't a link of %s; say with --url whose it is", link,
		    cli->url);
	return *status ? NULL : mem_strndup(cli->c->mem, link, strcspn(link, "/?#"));
}

static const char *
key_told(struct cli *cli, const char *error, const void *arg)
{
	const char *member = mem_strndup(cli->c->mem, error, strcspn(error, ":"));

	(void)arg;
	return str_in(member, "email|code|password")
	    ? cli_told_of(cli, error, mem_printf(cli->c->mem, "--%s", member))
	    : NULL;
}

static int
passed_say(struct cli *cli, const struct json *reply)
{
	if (cli->json)
		cli_print(cli, reply);
	else if (!*json_member(reply, "pass"))
		cli_note("if the link is for this address, a code is mailed to it: "
			 "run the same with --code");
	else {
		line_each(cli, "{10 size:bytes}  {name}  {url}", reply, "delivery.files", cli_line);
		if (!cli->quiet)
			line_print(cli,
			    "curl --cookie vitrine_delivery={pass} gets them, for 12 hours", reply,
			    cli_note);
	}
	return EXIT_FINE;
}

static const struct cli_option delivery_options[] = {
	{ "--password", "ask for the link's password, or read it from standard input" },
	{ "--email ADDRESS", "have a code mailed to this address" },
	{ "--code CODE", "the code that was mailed to --email" },
	{ 0 },
};
static const struct cli_row delivery_rows[] = {
	{ NULL, "LINK", "POST /v1/deliveries/{@link}", "email=--email code=--code",
	    .adds = password_add, .told = key_told, .then = passed_say },
	{ 0 },
};

const struct cli_cmd delivery_cli[] = {
	{ "delivery", "LINK",
	    "list the files that a delivery link leads to, past its password or its code",
	    delivery_options, delivery_rows, .needs = NEEDS_SERVICE, .find = link_find },
	{ 0 },
};
