/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cli/credentials.h"
#include "cli/http.h"
#include "cli/row.h"

#include <unistd.h>

/* Limits for the times that a service gives, in seconds. A code is valid for some minutes. */
enum { INTERVAL_MAX_S = 60, DEVICE_MAX_S = 3600 };

static int
post(struct cli *cli, const char *path, const char *member, const char *value, struct http_res *res)
{
	struct buf b = json_object_of(cli->c->mem, member, value, NULL);

	return http_json(cli, "POST", path, &b, NULL, res);
}

/* Opens a browser if there is a desktop. The address is printed in any case. */
static void
browser_open(const char *url)
{
	static const char *const openers[] = { "xdg-open", "open" };
	pid_t pid;

	if (!str_http_url(url) || !isatty(STDERR_FILENO) ||
	    !(getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) ||
	    (pid = fork()))
		return;
	if (freopen("/dev/null", "r+", stdin) && freopen("/dev/null", "w", stdout) &&
	    freopen("/dev/null", "w", stderr))
		for (size_t i = 0; i < 2; i++)
			execlp(openers[i], openers[i], url, (char *)NULL);
	_exit(127);
}

/* Waits until a person has decided in the browser. */
static int
device_wait(struct cli *cli, const struct json *device, const char **token)
{
	int64_t interval = json_number(device, "interval");
	struct http_res res;

	for (int64_t waited = 0;;) {
		const char *state;
		int status;

		if (interval <= 0 || interval > INTERVAL_MAX_S)
			interval = 5;
		if (waited > DEVICE_MAX_S)
			return cli_fail("nobody approved the login; run vitrine login again");
		sleep((unsigned)interval);
		waited += interval;
		if ((status = post(cli, "/v1/auth/device/token", "device_code",
			 json_member(device, "device_code"), &res)))
			return status;
		state = json_member(res.json, "status");
		if (str_eq(state, "approved"))
			break;
		if (!str_eq(state, "pending"))
			return cli_fail(str_eq(state, "denied")
				? "the login was denied in the browser"
				: "the code has expired; run vitrine login again");
		interval = json_number(res.json, "interval");
	}
	*token = json_member(res.json, "token");
	if (*json_member(res.json, "warn"))
		cli_note("Warning: %s", json_member(res.json, "warn"));
	return EXIT_FINE;
}

static int
device_login(struct cli *cli, const char **token)
{
	struct http_res res;
	int status = post(
	    cli, "/v1/auth/device/start", "expected_email", cli_option(cli, "--email"), &res);

	if (status)
		return status;
	if (!*json_member(res.json, "device_code") ||
	    !str_http_url(json_member(res.json, "verification_uri_complete"))) {
		cli_fail("%s didn't return a code to sign in with: is it the right address?",
		    cli->url);
		return EXIT_NETWORK;
	}
	cli_note("Open this address in a browser and check that the code matches:");
	cli_note("  %s", json_member(res.json, "verification_uri_complete"));
	cli_note("  %s", json_member(res.json, "user_code"));
	if (!cli_option(cli, "--no-browser"))
		browser_open(json_member(res.json, "verification_uri_complete"));
	return device_wait(cli, res.json, token);
}

static void
token_of_environment(const char *so)
{
	const char *given = getenv("VITRINE_TOKEN");

	if (given && *given)
		cli_warn("VITRINE_TOKEN is set and takes precedence: %s", so);
}

static int
run_login(struct cli *cli)
{
	const char *token = cli_option(cli, "--token");
	struct http_res res;
	char line[256] = "";
	int status;

	token_of_environment("the token that login saves isn't used until you unset VITRINE_TOKEN");
	/* An invalid stored token must not prevent signing in. */
	cli->token = NULL;
	if (!token) {
		if ((status = device_login(cli, &token)))
			return status;
	} else if (str_eq(token, "-")) {
		if (!fgets(line, sizeof line, stdin))
			return cli_fail("no token on standard input");
		token = unicode_line(cli->c->mem, line, sizeof line);
	} else {
		token = unicode_line(cli->c->mem, token, strlen(token));
	}
	if (!credentials_token_valid(token))
		return cli_fail(
		    "that isn't a token: a token has only visible characters and no spaces");
	cli->token = token;
	if ((status = http_do(cli, &res, "GET /v1/auth/me")))
		return status;
	if (!id_valid(json_member(res.json, "token_id"), "tok_")) {
		cli_fail("%s doesn't say whose token it is: is it the right address?", cli->url);
		return EXIT_NETWORK;
	}
	if (!credentials_save(cli, token))
		return EXIT_REFUSED;
	cli_note("Signed in to %s as %s", cli->url, json_member(res.json, "email"));
	return EXIT_FINE;
}

/* Revokes the stored token, so a copy of the file is worthless. A token of the environment isn't
 * this command's to revoke. */
static int
run_logout(struct cli *cli)
{
	struct http_res res;
	bool ended;

	credentials_use_kept(cli);
	if (cli->token && credentials_token_valid(cli->token)) {
		ended = !http_do(cli, &res, "GET /v1/auth/me") &&
		    id_valid(json_member(res.json, "token_id"), "tok_") &&
		    !http_do(
			cli, &res, "DELETE /v1/auth/tokens/%s", json_member(res.json, "token_id"));
		if (!ended)
			cli_fail(
			    "the token wasn't revoked at the service; "
			    "revoke it on your account page");
	}
	token_of_environment(
	    "its token wasn't revoked and is used until you unset VITRINE_TOKEN");
	return credentials_forget(cli) ? EXIT_FINE
				       : cli_fail("the credentials file can't be removed");
}

static const struct cli_option login_options[] = {
	{ "--email ADDRESS", "address of the account that should sign in" },
	{ "--no-browser", "only print the address, don't open it" },
	{ "--token TOKEN|-", "save a token you already have; - reads it from standard input" },
	{ 0 },
};

static const struct cli_row whoami_rows[] = {
	{ .does = "GET /v1/auth/me", .line = "{email|name}{!email?' (an agent)'}" },
	{ 0 },
};
static const struct cli_row tokens_rows[] = {
	{ NULL, NULL, "GET /v1/auth/tokens", .list = "tokens",
	    .line = "{id}  {revoked_at?'revoked'|'expires'} "
		    "{revoked_at:time|expires_at:time|'(no time)'}  "
		    "used {last_used_at:time|'never               '}  {name}" },
	{ "revoke", "ID…", "DELETE /v1/auth/tokens/{ID}", .note = "{ID} is revoked",
	    .id = { "tok_", "a token id: vitrine tokens lists them" } },
	{ 0 },
};

const struct cli_cmd account_cli[] = {
	{ "login", "", "sign in with the browser, or save a token you have", login_options,
	    .run = run_login, .needs = NEEDS_SERVICE },
	{ "logout", "", "revoke the saved token and forget it", .run = run_logout,
	    .needs = NEEDS_SERVICE },
	{ "whoami", "", "show whose token it is", .rows = whoami_rows },
	{ "tokens", "[revoke] [ID…]", "list your tokens, or revoke some of them",
	    .rows = tokens_rows },
	{ 0 },
};
