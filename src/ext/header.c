/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/header.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

bool
header_name_valid(const char *name)
{
	size_t n = strlen(name);

	return n && n <= HEADER_NAME_BYTES &&
	    strspn(name,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`~") ==
	    n;
}

bool
header_is_ours(const char *name)
{
	static const char *const ours =
	    "host|content-length|content-type|content-encoding|connection|keep-alive|"
	    "transfer-encoding|te|trailer|upgrade|expect|accept-encoding|range|if-range";
	char lower[HEADER_NAME_BYTES + 1];
	size_t n = strlen(name);

	for (size_t i = 0; i <= n; i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	return str_in(lower, ours) || str_starts(lower, "webhook-") || str_starts(lower, "proxy-");
}

bool
header_value_valid(const char *value)
{
	size_t n = strlen(value);

	if (!n || *value == ' ' || value[n - 1] == ' ')
		return false;
	for (const char *p = value; *p; p++)
		if (*p < ' ' || *p > '~')
			return false;
	return true;
}
