/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/refers.h"

#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>

/* Returns the address in the next attribute or function that takes one; NULL if there is none. */
static const char *
address_next(const char *at)
{
	static const char *const names[] = { "src=", "href=", "poster=", "url(" };

	for (; *at; at++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (!isalnum((unsigned char)*at) &&
			    strncasecmp(at + 1, names[i], strlen(names[i])) == 0)
				return at + 1 + strlen(names[i]);
	return NULL;
}

/* Decodes percent-encoding in place. */
static void
path_decode(char *path)
{
	char *to = path;

	for (const char *s = path; *s; s++) {
		unsigned byte;

		if (*s == '%' && sscanf(s + 1, "%2x", &byte) == 1 && byte >= 0x10) {
			*to++ = (char)byte;
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

const char *
refers_next(void *owner, const char **at)
{
	const char *s = address_next(*at);
	const char quote[] = { s && (*s == '"' || *s == '\'') ? *s : '\0', 0 };
	size_t n;

	if (!s)
		return NULL;
	s += *quote != '\0';
	n = strcspn(s, *quote ? quote : " \t\r\n>)");
	*at = s + n - (*quote == '\0');
	return mem_strndup(owner, s, n);
}

struct strs
refers_find(void *owner, const char *html, const char *dir)
{
	struct strs all = { mem_array(owner, const char *, REFERS_MOST), 0 };
	const char *address;
	struct stat st;

	while (all.n < REFERS_MOST && (address = refers_next(owner, &html))) {
		char *path = mem_strndup(owner, address, strcspn(address, "?#"));

		/* Others can't be files beside the page. */
		if (!*path || *path == '/' || strchr(path, ':'))
			continue;
		path_decode(path);
		if (!strstr(path, "..") && !strs_have(&all, path) &&
		    stat(mem_printf(owner, "%s/%s", dir, path), &st) == 0 && S_ISREG(st.st_mode))
			all.v[all.n++] = path;
	}
	return all;
}
