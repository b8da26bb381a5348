/* SPDX-License-Identifier: Apache-2.0 */
#include "base/principal.h"

#include "base/conf.h"
#include "base/str.h"

SHAPE_DEFINE(principal, PRINCIPAL);

const char *
scope_name(enum scope s)
{
	static const char *const names[SCOPE_END] = {
		[ANY_SCOPE] = "any",
#define SCOPE_TEXT_(name, wire) [name] = wire,
		SCOPES(SCOPE_TEXT_)
#undef SCOPE_TEXT_
	};

	return names[s];
}

int64_t
scope_bits(const enum scope *scopes)
{
	int64_t bits = 0;

	for (; *scopes; scopes++)
		bits |= INT64_C(1) << (*scopes - ANY_SCOPE - 1);
	return bits;
}

const char *
principal_workspace(const struct principal *who)
{
	return who->workspace_id && *who->workspace_id ? who->workspace_id : NULL;
}

bool
principal_is_agent(const struct principal *who)
{
	return who->grant_id || str_eq(who->kind, "agent");
}

bool
principal_is_limited(const struct principal *who)
{
	return who->has.scopes == GIVEN;
}

bool
principal_has_scope(const struct principal *who, enum scope need)
{
	if (need == ANY_SCOPE || !principal_is_limited(who))
		return true;
	return need != NO_SCOPE && (who->scopes >> (need - ANY_SCOPE - 1) & 1);
}

int64_t
scope_bits_of(const struct strs *words)
{
	int64_t bits = 0;

	for (size_t i = 0; i < words->n; i++)
		for (enum scope s = ANY_SCOPE + 1; s < SCOPE_END; s++) {
			int64_t bit = INT64_C(1) << (s - ANY_SCOPE - 1);

			if (!str_eq(words->v[i], scope_name(s)))
				continue;
			if (bits & bit)
				return -1;
			bits |= bit;
		}
	return bits;
}

struct strs
scope_words(void *owner, int64_t bits)
{
	struct strs out = { .v = mem_array(owner, const char *, SCOPE_END) };

	for (enum scope s = ANY_SCOPE + 1; s < SCOPE_END; s++)
		if (bits >> (s - ANY_SCOPE - 1) & 1)
			out.v[out.n++] = scope_name(s);
	return out;
}

struct strs
principal_scopes(void *owner, const struct principal *who)
{
	return scope_words(owner, who->scopes);
}

bool
principal_opens(const struct principal *who, const char *visibility)
{
	return !who || !who->opens_to || !visibility_opens(who->opens_to, visibility);
}

enum err
ceiling_check(struct ctx *c, const struct principal *who, const char *visibility,
    const char *field, const char *where)
{
	return principal_opens(who, visibility)
	    ? E_OK
	    : fail(c, E_ABOVE_CEILING,
		  "%s: needs %s, but the ceiling of this token (opens_to) is %s; "
		  "a person can do it at %s%s",
		  field, visibility, who->opens_to, c->conf->base_url, where);
}
