/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

int
cli_fail(const char *fmt, ...)
{
	va_list ap;

	fputs("vitrine: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_REFUSED;
}

void
cli_print(struct cli *cli, const struct json *reply)
{
	printf("%s\n", json_text(cli->c->mem, reply));
}

static const struct json *
find(const struct json *j, const char *path)
{
	while (j && *path) {
		size_t n = strcspn(path, ".");
		char name[64];

		if (n >= sizeof name || json_kind(j) != J_OBJ)
			return NULL;
		memcpy(name, path, n);
		name[n] = '\0';
		j = json_get(j, name);
		path += n + (path[n] == '.');
	}
	return j;
}

const char *
json_member(const struct json *j, const char *path)
{
	j = find(j, path);
	return j && json_kind(j) == J_STR ? json_str(j) : "";
}

int64_t
json_number(const struct json *j, const char *path)
{
	j = find(j, path);
	return j && json_kind(j) == J_INT ? json_int(j) : 0;
}
