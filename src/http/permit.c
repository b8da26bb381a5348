/* SPDX-License-Identifier: Apache-2.0
 * Decides whether the caller may make the request. No other file checks a route's who and scope. */
#include "http/req.h"
#include "http/who.h"

WHO(PUBLIC, "public", ANYBODY);
WHO(SIGNED_IN, "signed_in", KNOWN);
WHO(SESSION, "session", PERSON);
WHO(OVERSIGHT, "oversight", STAFF);

static enum err
permit_not_found(struct req *r)
{
	return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

enum err
permit_unknown(struct req *r)
{
	return fail(r->c, E_UNAUTHENTICATED, "%s",
	    r->site ? "You must be signed in; /_vitrine/signin signs you in and returns here"
		    : err_table[E_UNAUTHENTICATED].text);
}

static enum err
caller_check(struct req *r, const struct who_row *row)
{
	bool reads = r->method == GET;
	bool asks = reads && row->noun && row->noun->opens;

	if (row->caller == STAFF)
		return !r->who ? permit_unknown(r)
		    : r->who->staff && r->who->session_id ? E_OK
							      : permit_not_found(r);
	/* A caller who is not signed in may read a thing that is open. So a GET of a thing goes on
	 * to standing_check(), which knows whether it is. */
	if (!r->who && (row->caller == PERSON || (row->caller == KNOWN && !asks) ||
			   (!reads && row->noun && !row->visitors)))
		return permit_unknown(r);
	if (row->caller == PERSON && !r->who->session_id)
		return fail(r->c, E_DENIED,
		    "Only a person signed in with a browser can do this; a token can't");
	return E_OK;
}

static enum err
scope_check(struct req *r)
{
	enum scope need = r->route->scope;

	if (r->who && principal_workspace(r->who) && route_refuses_confined(r->route))
		return fail(r->c, E_SCOPE,
		    "This token is limited to one workspace; use a personal token");
	if (!r->who || principal_has_scope(r->who, need))
		return E_OK;
	if (need == NO_SCOPE)
		return fail(r->c, E_SCOPE,
		    "This requires a token that isn't limited to scopes, such as a personal token");
	return fail(r->c, E_SCOPE, "The token lacks the scope %s", scope_name(need));
}

/* Refuses a caller who may know of the thing, with what is required. */
static enum err
standing_refuse(struct req *r, const struct who_row *row, const struct standing *s)
{
	if (row->refusal)
		return s->lacks
		    ? fail(r->c, row->refusal, "%s", s->lacks)
		    : fail(r->c, row->refusal,
			  "This requires the role of %s, which you don't have here",
			  row->noun->rungs[row->least].needed);
	if (s->given && row->given)
		return fail(r->c, E_DENIED,
		    "This was shared with you to %s; this request requires that it is shared "
		    "with you to %s. Ask the person who shared it",
		    row->noun->capabilities[s->given], row->noun->capabilities[row->given]);
	if (row->noun->rungs[row->least].word)
		return fail(r->c, E_DENIED,
		    "This requires the role of %s, which you don't have here",
		    row->noun->rungs[row->least].needed);
	return fail(r->c, E_DENIED, "What is shared with you from outside doesn't include this");
}

static enum err
standing_check(struct req *r, const struct who_row *row, const struct standing *s)
{
	bool suffices = (row->given && s->given >= row->given) ||
	    ((s->role || s->open) && s->role >= row->least) || (row->governed && s->governs);

	/* A thing that the caller may not know of gets exactly the reply of one that does not
	 * exist. */
	if (s->deleted && !(row->trash && suffices))
		return permit_not_found(r);
	if (!s->role && !s->open && !s->given)
		return permit_not_found(r);
	if (row->caller == KNOWN && !r->who)
		return permit_unknown(r);
	if (s->reads_only && r->method != GET)
		return fail(r->c, E_DENIED, "%s", s->reads_only);
	if (s->paused)
		return fail(r->c, E_PAUSED, "%s", err_table[E_PAUSED].text);
	return suffices ? E_OK : standing_refuse(r, row, s);
}

static enum err
noun_standing_check(struct req *r, const struct who_row *row)
{
	struct standing s;

	return row->noun->standing(r, &s) ? standing_check(r, row, &s) : permit_not_found(r);
}

/* Finds the id of the thing: in the path, or else in what the query or body says. */
static enum err
noun_named(struct req *r, const struct noun *noun, const char **id)
{
	if (noun->named && !route_has_param(r->route, noun->param))
		return noun->named(r, id);
	*id = req_param(r, noun->param);
	return E_OK;
}

static enum err
noun_check(struct req *r, const struct who_row *row)
{
	const char *id;

	TRY(noun_named(r, row->noun, &id));
	/* A thing that authenticate() looked for and did not find stays absent, even where the
	 * transaction could load it: on a content host it would be another host's. */
	if (!r->loaded)
		TRY(row->noun->load(r, id, false));
	TRY(noun_standing_check(r, row));
	if (!row->lock || r->method == GET)
		return E_OK;
	/* Only who may change the thing gets as far as its lock: a stranger who waited for it would
	 * learn that it exists, and could hold it. While one waits, the role may be taken away. */
	TRY(row->noun->load(r, id, true));
	return noun_standing_check(r, row);
}

enum err
authorise_caller(struct req *r)
{
	const struct who_row row = who_of(r);

	TRY(caller_check(r, &row));
	return row.caller != ANYBODY || row.noun ? scope_check(r) : E_OK;
}

enum err
authorise_look(struct req *r)
{
	const struct who_row row = who_of(r);

	TRY(authorise_caller(r));
	if (!row.noun)
		return E_OK;
	if (!r->loaded) {
		const char *id;

		TRY(noun_named(r, row.noun, &id));
		TRY(row.noun->load(r, id, false));
	}
	return noun_standing_check(r, &row);
}

enum err
authorise(struct req *r)
{
	const struct who_row row = who_of(r);

	TRY(authorise_caller(r));
	if (row.noun)
		TRY(noun_check(r, &row));
	if (r->route->opens)
		TRY(ceiling_check(r->c, r->who, r->route->opens, "this request", "/"));
	r->judged = true;
	return E_OK;
}
