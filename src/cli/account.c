/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "cli/credentials.h"
#include "cli/http.h"

static int
me(struct cli *cli, struct http_res *res)
{
	return http_send(cli, &(struct http_req){ .method = "GET", .path = "/v1/auth/me", .save_fd = -1 }, NULL, res);
}

static int
run_login(struct cli *cli)
{
	const char *token = cli_option(cli, "--token");
	struct http_res res;
	char line[256];
	int status;

	if (!token) {
		cli_fail("--token TOKEN is needed; - reads it from standard input");
		return EXIT_USAGE;
	}
	if (str_eq(token, "-")) {
		if (!fgets(line, sizeof line, stdin))
			return cli_fail("no token came");
		line[strcspn(line, "\r\n")] = '\0';
		token = line;
	}
	cli->token = token;
	if ((status = me(cli, &res)))
		return status;
	if (!credentials_save(cli, token))
		return EXIT_REFUSED;
	fprintf(stderr, "Signed in to %s as %s\n", cli->url, json_member(res.json, "email"));
	return EXIT_FINE;
}

static int
run_logout(struct cli *cli)
{
	return credentials_forget(cli) ? EXIT_FINE : cli_fail("the credentials file can't be removed");
}

static int
run_whoami(struct cli *cli)
{
	struct http_res res;
	int status = me(cli, &res);

	if (status)
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else
		printf("%s\n", json_member(res.json, "email"));
	return EXIT_FINE;
}

const struct cli_cmd account_cli[] = {
	{ "login", "--token TOKEN|-", "keep a token for this service", run_login, 0, 0, "--token=", true },
	{ "logout", "", "forget it", run_logout, 0, 0, "", true },
	{ "whoami", "", "whose token it is", run_whoami, 0, 0, "", false },
	{ 0 },
};
