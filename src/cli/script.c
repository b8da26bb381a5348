/* SPDX-License-Identifier: Apache-2.0
 * The client's answers in place of base/script.c's, so that it needs no ICU, whose tables are
 * larger than the client. It knows no other scripts and character sets; the service does. */
#include "base/mem.h"
#include "base/unicode.h"

void
unicode_open(void)
{
}

char *
unicode_ascii(void *owner, const char *s)
{
	return mem_strdup(owner, s);
}

char *
unicode_host_ascii(void *owner, const char *host)
{
	(void)owner, (void)host;
	return NULL;
}

char *
unicode_host_readable(void *owner, const char *host)
{
	return mem_strdup(owner, host);
}

size_t
unicode_letters(void *owner, const char *s, struct letter **out)
{
	(void)owner, (void)s;
	*out = NULL;
	return 0;
}

char *
unicode_from(void *owner, const char *charset, const char *bytes, size_t n, size_t *out_n)
{
	(void)owner, (void)charset, (void)bytes, (void)n, (void)out_n;
	return NULL;
}
