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

bool
expiry_add(struct cli *cli, struct buf *b, const char *member)
{
	const char *when = cli_option(cli, "--expires"), *digits;
	int64_t until, days;

	if (!when)
		return true;
	digits = when + (*when == '-');
	if (*digits && !digits[strspn(digits, "0123456789")] &&
	    (!str_int(when, &days) || days < 1 || days > DAYS_MOST))
		return cli_fail("--expires: %s: a number of days must be from 1 to %d", when,
			   DAYS_MOST) == EXIT_FINE;
	if (str_int(when, &days))
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
	const char *password = NULL;

	if (cli_option(cli, "--password") &&
	    !cli_secret_read(cli, "Password for the link", &password))
		return false;
	json_texts(b, "password", password, NULL);
	return true;
}

static bool
wish_write(struct cli *cli, struct buf *b)
{
	buf_chr(b, '{');
	if (cli_option(cli, "--email")) {
		json_key(b, "to");
		json_split(b, cli_option(cli, "--email"));
	}
	if (cli_option(cli, "--domains")) {
		json_key(b, "domains");
		json_split(b, cli_option(cli, "--domains"));
	}
	json_texts(b, "message", cli_option(cli, "--message"), NULL);
	if (!expiry_add(cli, b, "expiresAt") || !password_add(cli, b))
		return false;
	buf_chr(b, '}');
	return true;
}

/* ---- the collection ---- */

static int
collection_write(struct cli *cli, const char *library, struct buf *b)
{
	const char *id;
	int status = EXIT_FINE;

	buf_chr(b, '{');
	json_texts(b, "name", cli_option(cli, "--name"), NULL);
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

/* Makes a collection and a link to it. does: "share" or "send"; *out is the reply to that. */
static int
link_make(struct cli *cli, const char *does, struct http_res *out)
{
	static const char *const options[][2] = { { "name", "--name" }, { "to", "--email" },
		{ "domains", "--domains" }, { "message", "--message" },
		{ "expiresAt", "--expires" }, { "password", "--password" }, { NULL } };
	struct buf wish = BUF(cli->c->mem), files = BUF(cli->c->mem);
	struct http_res dropped;
	const char *library, *id, *path;
	int status = EXIT_FINE;

	if (cli_option(cli, "--password") && cli_option(cli, "--domains"))
		return cli_misuse("--password and --domains: a link has one of them");
	if (!wish_write(cli, &wish))
		return EXIT_USAGE;
	if (!(library = library_which(cli, &status)) ||
	    (status = collection_write(cli, library, &files)) ||
	    (status = http_json(cli, "POST", mem_printf(cli->c->mem, "%s/collections", library),
		 &files, options, out)))
		return status;
	id = json_member(out->json, "collection.id");
	if (!id_valid(id, "col_"))
		return cli_fail("%s didn't return a collection", cli->url);
	path = mem_printf(cli->c->mem, "%s/collections/%s", library, id);
	status = http_json(
	    cli, "POST", mem_printf(cli->c->mem, "%s/%s", path, does), &wish, options, out);
	/* A collection without a link would be of no use. */
	if (status && (out->status / 100 == 4 || out->status == 503))
		http_do(cli, &dropped, "DELETE %s", path);
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

	if (!cli_option(cli, "--email"))
		return cli_misuse("--email: to whom? List addresses, separated by commas");
	if ((status = link_make(cli, "send", &res)))
		return status;
	return line_list(cli, "{to}  {url}", res.json, "links");
}

/* ---- a received link ---- */

/* Returns the secret in LINK: the end of its address, or LINK itself. */
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

static int
passed_print(struct cli *cli, const struct json *reply)
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
static const char *const key_options[][2] = { { "email", "--email" }, { "code", "--code" },
	{ "password", "--password" }, { NULL } };
static const struct cli_row delivery_rows[] = {
	{ NULL, "LINK", "POST /v1/deliveries/{@link}", "email=--email code=--code",
	    .adds = password_add, .options = key_options, .then = passed_print },
	{ 0 },
};

const struct cli_cmd delivery_cli[] = {
	{ "delivery", "LINK",
	    "list the files that a delivery link leads to, past its password or its code",
	    delivery_options, delivery_rows, .needs = NEEDS_SERVICE, .find = link_find },
	{ 0 },
};
