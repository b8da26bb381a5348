/* SPDX-License-Identifier: Apache-2.0 */
#include "base/host.h"

#include "base/conf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/unicode.h"

#include <string.h>

enum { LABEL = 63, NAME = 253 };

static bool
labels_valid(const char *host)
{
	/* Host names may have an underscore, although IDNA forbids it. */
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	size_t n;

	for (;; host += n + 1) {
		n = strcspn(host, ".");
		if (!n || n > LABEL || *host == '-' || host[n - 1] == '-' ||
		    strspn(host, letters) < n)
			return false;
		if (!host[n])
			return true;
	}
}

char *
host_name(void *owner, const char *typed)
{
	char *host = str_is_ascii(typed) ? mem_strdup(owner, typed)
					 : unicode_host_ascii(owner, typed);
	size_t n = host ? strlen(host) : 0;

	if (!n || n > NAME + 1)
		return NULL;
	if (host[n - 1] == '.')
		host[n - 1] = '\0';
	for (char *p = host; *p; p++)
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p | 0x20 : *p);
	return strlen(host) <= NAME && labels_valid(host) ? host : NULL;
}

bool
host_is_ours(const struct conf *conf, const char *host)
{
	const char *ours = conf->base_url + strlen("https://"), *pages = conf->content_domain;
	size_t n = strcspn(ours, ":/"), tail = strlen(pages), len = strlen(host);

	len -= len && host[len - 1] == '.';
	if (len == n && !strncmp(host, ours, n))
		return true;
	if (len < tail || strncmp(host + len - tail, pages, tail) != 0)
		return false;
	return len == tail || host[len - tail - 1] == '.';
}

const char *
host_loopback(const char *uri, const char **rest)
{
	static const char *const hosts[] = { "127.0.0.1", "[::1]", "localhost" };
	const char *host = strstr(uri, "://");

	for (size_t i = 0; host && i < sizeof hosts / sizeof *hosts; i++) {
		const char *end = host + strlen("://") + strlen(hosts[i]);

		if (strncmp(host + strlen("://"), hosts[i], strlen(hosts[i])) != 0)
			continue;
		if (*end == ':')
			end += 1 + strspn(end + 1, "0123456789");
		if (*end && *end != '/' && *end != '?')
			return NULL;
		*rest = end;
		return hosts[i];
	}
	return NULL;
}
