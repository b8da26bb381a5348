/* SPDX-License-Identifier: Apache-2.0
 * Commands about domains of one's own at which an artifact is served. */
#include "base/str.h"
#include "cli/commands.h"
#include "cli/line.h"
#include "cli/named.h"
#include "cli/row.h"

/* The domain that HOST names. */
static const char *
host_find(struct cli *cli, const char *what, int *status)
{
	const char *host = row_given(cli, "HOST"), *artifact, *id;

	if (!str_eq(what, "domain"))
		return NULL;
	if (!(artifact = row_found(cli, "artifact")))
		return NULL;
	id = named_find(cli, mem_printf(cli->c->mem, "/v1/artifacts/%s/domains", artifact),
	    &(struct named){ "domains", "host", "dom_", false }, host, status);
	if (!id && !*status)
		*status = cli_fail(
		    "the artifact has no domain %s; vitrine domains lists them", host);
	return id;
}

#define DOMAIN_LINE "{-8 state} {host}[  {reason}]"
static int
added_print(struct cli *cli, const struct json *reply)
{
	if (cli->json) {
		cli_print(cli, reply);
		return EXIT_FINE;
	}
	line_each(cli, "{-5 type}  {name}  {value}", reply, "domain.records", cli_line);
	if (!cli->quiet)
		cli_note("create these records, and keep them; then the domain is proven by "
			 "itself, and vitrine domains shows how far it is");
	return EXIT_FINE;
}

static const struct cli_option domains_options[] = {
	{ "--redirect", "redirect the artifact's plain address to it once it is active",
	    .only = "add" },
	{ "--yes", "remove it without asking", .only = "rm" },
	{ 0 },
};
static const struct cli_row domains_rows[] = {
	{ "add", "HOST [SLUG]", "POST /v1/artifacts/{@artifact}/domains",
	    "host=HOST redirect:json=--redirect?'true'", .then = added_print },
	{ "check", "HOST [SLUG]", "POST /v1/artifacts/{@artifact}/domains/{@domain}/check",
	    .of = "domain", .line = DOMAIN_LINE, .note = "its records are looked at now" },
	{ "rm", "HOST [SLUG]", "DELETE /v1/artifacts/{@artifact}/domains/{@domain}",
	    .note = "{HOST} is no longer served",
	    .asks = ASKS_DELETE("Remove the domain {HOST}?") },
	{ "[list]", "[SLUG]", "GET /v1/artifacts/{@artifact}/domains", .list = "domains",
	    .line = DOMAIN_LINE },
	{ 0 },
};

const struct cli_cmd domains_cli[] = {
	{ "domains", "[list|add|check|rm] [HOST] [SLUG]",
	    "domains of your own at which an artifact is served: list, add, check or remove them",
	    domains_options, domains_rows, .find = host_find },
	{ 0 },
};
