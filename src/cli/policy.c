/* SPDX-License-Identifier: Apache-2.0
 * Commands about who can see and change an artifact's data. */
#include "cli/commands.h"

#include "base/str.h"
#include "cli/line.h"
#include "cli/row.h"

/* Prints the sentences of each table on standard error. */
static int
sentence_print(void *arg, const char *table, const struct json *said)
{
	(void)arg;
	for (size_t i = 0; i < json_len(said); i++)
		cli_note("%s: %s", table, json_member(json_at(said, i), ""));
	return 0;
}

static int
policy_print(struct cli *cli, const struct json *reply)
{
	const struct json *sentences = json_get_as(reply, "sentences", J_OBJ);

	if (!cli->quiet && !cli->json && sentences)
		json_each(sentences, sentence_print, NULL);
	if (!cli->json && !*json_member(reply, "text")) {
		if (!cli->quiet)
			cli_note("there are no rules: everyone who can open it sees all rows, and "
				 "editors change them");
		return EXIT_FINE;
	}
	return cli_text(cli, reply, "text");
}

static bool
text_add(struct cli *cli, struct buf *body, const char *given)
{
	struct buf text = BUF(cli->c->mem);

	if (!cli_given(given, &text))
		return false;
	json_add(body, "text", buf_done(&text));
	return true;
}

static bool
set_body(struct cli *cli, struct buf *body)
{
	buf_chr(body, '{');
	if (!text_add(cli, body, row_given(cli, "FILE")))
		return false;
	if (cli_option(cli, "--accept-exposure")) {
		json_key(body, "accept_exposure");
		buf_str(body, "true");
	}
	buf_chr(body, '}');
	return true;
}

static bool
try_body(struct cli *cli, struct buf *body)
{
	const char *who = row_given(cli, "WHO"), *file = row_given(cli, "FILE");

	if (!strchr(who, '@') && !str_in(who, "stranger|signed-in"))
		return cli_misuse("%s: try takes stranger, signed-in, or an e-mail address", who) ==
		    EXIT_FINE;
	buf_str(body, "{\"as\":{");
	if (strchr(who, '@'))
		json_add(body, "email", who);
	else
		buf_str(body, str_eq(who, "stranger") ? "\"stranger\":true" : "\"signed_in\":true");
	buf_chr(body, '}');
	if (file && !text_add(cli, body, file))
		return false;
	buf_chr(body, '}');
	return true;
}

static int
tried_print(struct cli *cli, const struct json *reply)
{
	if (!cli->quiet && !cli->json && !json_true(json_get(reply, "reaches")))
		cli_note("they can't open the artifact now; this applies once they can");
	return line_list(cli,
	    "{name}  read {read}[ ({rows_read} of {rows} rows)], add {add}, change {change}"
	    "[ ({rows_change})], delete {delete}",
	    reply, "tables");
}

static const struct cli_option policy_options[] = {
	{ "--artifact SLUG", "whose rules (default: what was published from here)" },
	{ "--accept-exposure", "for agents: your person knows what strangers can then do",
	    .only = "set" },
	{ 0 },
};

#define POLICY "/v1/data/{@artifact}/policy"
static const struct cli_row policy_rows[] = {
	{ "get", NULL, "GET " POLICY, .then = policy_print },
	{ "set", "FILE", "PUT " POLICY, .adds = set_body, .note = "saved as version {version}" },
	{ "try", "WHO [FILE]", "POST " POLICY "/try", .adds = try_body, .then = tried_print },
	{ "versions", NULL, "GET " POLICY "/versions", .list = "versions",
	    .line = "{version}  {updated_at:time|'-'}  {updated_by.name|updated_by.user_id|'-'}" },
	{ 0 },
};

const struct cli_cmd policy_cli[] = {
	{ "policy", "get|set|try|versions [WHO|FILE] [FILE]",
	    "who can see and change an artifact's data: get; set FILE; try WHO [FILE], where WHO "
	    "is stranger, signed-in, or an e-mail address, and FILE a draft; versions",
	    policy_options, policy_rows },
	{ 0 },
};
