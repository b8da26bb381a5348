/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view.h"

#include "base/str.h"
#include "cli/http.h"
#include "cli/row.h"
#include "cli/which.h"

/* Adds the values of in, nin and between as a list. */
static void
values_add(struct buf *b, char *text, const char *between)
{
	char *end;

	buf_chr(b, '[');
	for (bool first = true; text; first = false) {
		end = strstr(text, between);
		if (end)
			*end = '\0';
		buf_str(b, first ? "" : ",");
		buf_json(b, text);
		text = end ? end + strlen(between) : NULL;
	}
	buf_chr(b, ']');
}

/* Appends a condition to a JSON array: "age=gte.18" becomes ["age","gte","18"]. */
static bool
condition_add(struct buf *b, char *pair)
{
	char *op = strchr(pair, '='), *value;

	if (!op || !(value = strchr(op, '.')))
		return cli_fail("--where: %s isn't a condition such as age=gte.18", pair) ==
		    EXIT_FINE;
	*op++ = '\0';
	*value++ = '\0';
	if (!str_unescape(value, true))
		return cli_fail("--where: %s has a wrong percent-encoding", value) == EXIT_FINE;
	buf_chr(b, '[');
	buf_json(b, pair);
	buf_chr(b, ',');
	buf_json(b, op);
	buf_chr(b, ',');
	if (str_in(op, "in|nin|between"))
		values_add(b, value, str_eq(op, "between") ? ".." : ",");
	else
		buf_json(b, value);
	buf_chr(b, ']');
	return true;
}

bool
view_where_add(struct cli *cli, struct buf *body)
{
	const char *where = cli_option(cli, "--where");
	char *rest = mem_strdup(cli->c->mem, where), *pair;
	struct buf b = BUF(cli->c->mem);

	if (!where)
		return true;
	json_key(body, "where");
	if (*where == '[' || *where == '{') {
		buf_str(body, where);
		return true;
	}
	while ((pair = str_split(&rest, '&'))) {
		buf_str(&b, b.n ? "," : "{\"and\":[");
		if (!condition_add(&b, pair))
			return false;
	}
	buf_str(&b, "]}");
	buf_str(body, buf_done(&b));
	return true;
}

int
view_chart_save(struct cli *cli)
{
	const char *chart = row_given(cli, "CHART"), *file = row_given(cli, "FILE"), *id;
	const char *theme = cli_option(cli, "--theme");
	int status = EXIT_FINE;

	if (!str_starts(chart, "cht_"))
		return cli_misuse("%s isn't the id of a chart: vitrine table chart list lists them",
		    chart);
	if (!(id = which_artifact(cli, cli_option(cli, "--artifact"), &status)))
		return status;
	if (!file)
		file = mem_printf(cli->c->mem, "%s.svg", chart);
	return table_save(cli,
	    mem_printf(cli->c->mem, "/v1/data/%s/charts/%s/svg%s%s", id,
		url_encoded(cli->c->mem, chart), theme ? "?theme=" : "",
		theme ? form_encoded(cli->c->mem, theme) : ""),
	    file);
}
