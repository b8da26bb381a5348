/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/waiting.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/http.h"
#include "cli/line.h"

#include <unistd.h>

enum { EACH_S = 50, ITEMS = 200 };

/* Reads a number; *out stays if the option wasn't given. Returns false after saying what is wrong.
 */
static bool
number_read(struct cli *cli, const char *option, int64_t *out)
{
	const char *text = cli_option(cli, option);

	if (!text || (str_int(text, out) && *out >= 0))
		return true;
	cli_fail("%s must be a number", option);
	return false;
}

int
waiting_run(struct cli *cli, const char *path, const char *list, const char *line)
{
	int64_t since = -1, most = INT32_MAX, began = clock_ms(), asked, left;
	struct http_res res;
	int status;

	if (!number_read(cli, "--since", &since) || !number_read(cli, "--wait", &most))
		return EXIT_USAGE;
	if (since < 0) {
		status = http_do(cli, &res, "GET %s&limit=1&since=0", path);
		if (status)
			return status;
		since = json_number(res.json, "change_no");
	}
	for (;;) {
		asked = clock_ms();
		left = most - (asked - began) / 1000;
		if (left <= 0)
			return cli_fail(
			    "nothing new in %s", str_count(cli->c->mem, most, "second"));
		status = http_do(cli, &res, "GET %s&limit=%d&since=%lld&wait=%d", path, ITEMS,
		    (long long)since, (int)(left < EACH_S ? left : EACH_S));
		if (status)
			return status;
		if (json_number(res.json, "change_no") != since)
			return line_list(cli, line, res.json, list);
		if (clock_ms() - asked < 1000) /* too many wait already */
			sleep(1);
	}
}
