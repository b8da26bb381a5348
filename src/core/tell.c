/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tell.h"

#include "base/log.h"
#include "ext/mailtext.h"

/* A bad address must not make other people's acts fail. */
static bool
address_is_valid(struct ctx *c, const struct mail *m)
{
	const char *address;

	if (!mail_address(c, "to", m->to, &address))
		return true;
	log_line(LOG_LEVEL_INFO, "not mailed", "why", ctx_why(c), NULL);
	ctx_forgive(c);
	return false;
}

enum err
tell_noting(struct ctx *c, const struct mail *m, bool *sent)
{
	enum err e;

	*sent = false;
	if (!mail_enabled(c) || !address_is_valid(c, m))
		return E_OK;
	e = mail_send(c, m);
	*sent = !e;
	return e == E_RATE_LIMITED ? ctx_forgive(c) : e;
}

enum err
tell(struct ctx *c, const struct mail *m)
{
	bool sent;

	return tell_noting(c, m, &sent);
}

enum err
tell_many(struct ctx *c, const struct mail *all, size_t n)
{
	struct mail *reached = mem_array(c->mem, struct mail, n + 1);
	bool *sent = mem_array(c->mem, bool, n + 1);
	size_t kept = 0;

	if (!mail_enabled(c))
		return E_OK;
	for (size_t i = 0; i < n; i++)
		if (address_is_valid(c, &all[i]))
			reached[kept++] = all[i];
	return mail_send_many(c, reached, kept, sent);
}
