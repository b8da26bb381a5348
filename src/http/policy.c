/* SPDX-License-Identifier: Apache-2.0
 * Who may do what: the one place that reads a route's who and scope. */
#include "base/str.h"
#include "http/req.h"

static enum err
policy_not_found(struct req *r)
{
	return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

static enum err
scope_check(struct req *r)
{
	enum scope need = r->route->scope;

	if (!r->who || str_eq(r->who->kind, "user") || need == ANY_SCOPE)
		return E_OK;
	if (need == NO_SCOPE)
		return fail(r->c, E_SCOPE,
		    "This needs a person's token; agent and external tokens can't do it");
	if (!r->who->scopes ||
	    !strstr(r->who->scopes, mem_printf(r->c->mem, "\"%s\"", scope_names[need])))
		return fail(r->c, E_SCOPE, "The token lacks the scope %s", scope_names[need]);
	return E_OK;
}

/* What the caller may not know of is answered exactly as what does not exist. */
static enum err
artifact_check(struct req *r)
{
	const char *user = r->who ? r->who->user_id : NULL;
	enum who need = r->route->who;
	struct artifact *a = r->art_seen;
	bool own, edit, open;

	if (!a && r->method == GET && r->who)
		return policy_not_found(r);
	if (!a)
		TRY(artifact_get(r->c, r->p[0], user, r->method != GET, &a));
	own = str_eq(a->role, "owner");
	edit = own || str_eq(a->role, "editor");
	open = !str_eq(a->visibility, "private") && a->version_no;
	r->art = a;
	if (a->deleted_at && !(own && need == ART_TRASH))
		return policy_not_found(r);
	if (!a->role && !open)
		return policy_not_found(r);
	if (need != ART_READ && !r->who)
		return fail(r->c, E_UNAUTHENTICATED, "%s", err_table[E_UNAUTHENTICATED].text);
	if (a->paused && !own)
		return fail(r->c, E_PAUSED, "%s", err_table[E_PAUSED].text);
	if (need == ART_VIEW && !a->role)
		return fail(r->c, E_DENIED, "Only the owner and collaborators may do this");
	if ((need == ART_EDIT && !edit) || ((need == ART_OWN || need == ART_TRASH) && !own))
		return fail(r->c, E_DENIED, "%s",
		    need == ART_EDIT ? "Only the owner and editors may do this"
				     : "Only the owner may do this");
	return E_OK;
}

enum err
authorise(struct req *r)
{
	if (r->route->who == PUBLIC)
		return E_OK;
	if (!r->who && (r->route->who == SIGNED_IN || r->route->who == SESSION || r->method != GET))
		return fail(r->c, E_UNAUTHENTICATED, "%s", err_table[E_UNAUTHENTICATED].text);
	if (r->route->who == SESSION && !r->who->session_id)
		return fail(
		    r->c, E_DENIED, "This is for a person in a browser; a token can't do it");
	TRY(scope_check(r));
	return r->route->who >= ART_READ ? artifact_check(r) : E_OK;
}
