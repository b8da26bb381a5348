/* SPDX-License-Identifier: Apache-2.0
 * Commands about the reviews of an artifact's versions. */
#include "base/id.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/delivery.h"
#include "cli/http.h"
#include "cli/line.h"
#include "cli/row.h"

/* WHO… would also take up an artifact's slug. */
static int
ask_check(struct cli *cli)
{
	for (size_t i = 1; i < cli->with.n; i++) {
		const char *who = cli->with.args[i];

		if (!strchr(who, '@') && !id_valid(who, "shr_") && !id_valid(who, "usr_"))
			return cli_misuse(
			    "%s is neither an address nor the id of a person or a client; "
			    "the artifact is given as --artifact SLUG",
			    who);
	}
	return EXIT_FINE;
}

/* Adds whom the arguments name: addresses, and ids of people and clients. */
static bool
ask_adds(struct cli *cli, struct buf *b)
{
	json_key(b, "ask");
	for (size_t i = 1; i < cli->with.n; i++) {
		const char *who = cli->with.args[i];

		buf_str(b, i > 1 ? ",{" : "[{");
		json_add(b,
		    str_starts(who, "shr_")	? "sharee_id"
			: str_starts(who, "usr_") ? "user_id"
						  : "email",
		    who);
		buf_chr(b, '}');
	}
	buf_chr(b, ']');
	return expiry_add(cli, b, "due_at");
}

/* An answer is about the bytes that the review names. */
static const char *
digest_find(struct cli *cli, const char *what, int *status)
{
	const char *artifact;
	struct http_res res;

	if (!str_eq(what, "digest") || !(artifact = row_found(cli, "artifact")))
		return NULL;
	*status = http_do(
	    cli, &res, "GET /v1/artifacts/%s/reviews/%s", artifact, row_given(cli, "ID"));
	return *status ? NULL : json_member(res.json, "review.digest");
}

static int
review_print(struct cli *cli, const struct json *reply)
{
	if (cli->json) {
		cli_print(cli, reply);
		return EXIT_FINE;
	}
	line_print(cli,
	    "{review.id}  {-10 review.status} version {review.version_no}"
	    "{review.applies?', live'}\ndigest {review.digest}\n{review.message:lines}",
	    reply, cli_line);
	line_each(cli,
	    "{-9 answer|gone?'gone'|'-'}  {person.name|person.email|person.id}"
	    "{client.id?' for '}{client.name}\n{note:lines}",
	    reply, "review.asked", cli_line);
	return EXIT_FINE;
}

static const struct cli_option reviews_options[] = {
	{ "--artifact SLUG", "for ask: which artifact (default: what was published from here)",
	    .only = "ask" },
	{ "--version N", "the version (default: the newest)", .only = "ask" },
	{ "--expires WHEN", "its last day: a date such as 2027-12-31, or a number of days",
	    .only = "ask" },
	{ "--message TEXT", "what they are told", .only = "ask" },
	{ "--note TEXT", "why; needed to send it back", .only = "answer" },
	{ 0 },
};
static const char *const ask_options[][2] = { { "due_at", "--expires" },
	{ "ask.email", "WHO" }, { "ask.user_id", "WHO" }, { "ask.sharee_id", "WHO" },
	{ "ask", "WHO" }, { NULL } };
#define REVIEWS "/v1/artifacts/{@artifact}/reviews"
#define REVIEW_ID .id = { "rvw_", "the id of a review: vitrine reviews lists them" }
static const struct cli_row reviews_rows[] = {
	{ "ask", "WHO…", "POST " REVIEWS, "version_no:number=--version message=--message",
	    .adds = ask_adds, .check = ask_check, .options = ask_options, .line = "{review.id}" },
	{ "show", "ID [SLUG]", "GET " REVIEWS "/{ID}", .then = review_print, REVIEW_ID },
	{ "answer", "ID ANSWER [SLUG]", "POST " REVIEWS "/{ID}/answer",
	    "answer=ANSWER digest=@digest note=--note",
	    .note = "answered; the review is {review.status}", REVIEW_ID },
	{ "close", "ID [SLUG]", "POST " REVIEWS "/{ID}/close", .note = "closed", REVIEW_ID },
	{ "[list]", "[SLUG]", "GET " REVIEWS, .list = "reviews",
	    .line = "{id}  {-10 status} version {version_no}  {created_at:time}"
		    "{applies?'  live'}" },
	{ 0 },
};

const struct cli_cmd reviews_cli[] = {
	{ "reviews", "[list|ask|show|answer|close] [ID] [WHO…] [ANSWER] [SLUG]",
	    "ask people to approve a version, list what they were asked, answer (approve or "
	    "send_back), close",
	    reviews_options, reviews_rows, .find = digest_find },
	{ 0 },
};
