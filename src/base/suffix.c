/* SPDX-License-Identifier: Apache-2.0 */
#include "base/suffix.h"

#include "base/str.h"

#include <libpsl.h>

static const char *
registrable_domain(const char *host)
{
	const char *domain = psl_registrable_domain(psl_builtin(), host);

	return domain ? domain : host;
}

bool
suffix_same_site(const char *host_a, const char *host_b)
{
	return str_eq(registrable_domain(host_a), registrable_domain(host_b));
}

bool
suffix_is_public(const char *domain)
{
	return psl_is_public_suffix2(psl_builtin(), domain, PSL_TYPE_ICANN);
}

bool
suffix_is_any(const char *domain)
{
	return psl_is_public_suffix2(psl_builtin(), domain, PSL_TYPE_ANY);
}

bool
suffix_is_registrable(const char *domain)
{
	return str_eq(psl_registrable_domain(psl_builtin(), domain), domain);
}
