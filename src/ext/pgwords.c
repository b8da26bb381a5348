/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/pgwords.h"

#include "base/mem.h"
#include "base/str.h"

enum { WORDS_CHARS = 300, STATE_CHARS = 5 };

static const char *
message_cut(void *owner, const char *message)
{
	return str_cut(owner, str_one_line(owner, message), WORDS_CHARS);
}

/* Returns a name in the form for a statement. */
static const char *
name_quoted(void *owner, const char *name)
{
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")]
	    ? mem_printf(owner, "\"%s\"", name)
	    : name;
}

/* "permission denied for table orders" names what to grant. Messages in other languages get general
 * advice. */
static const char *
grant(void *owner, const struct postgres_server *s, const char *message)
{
	static const struct {
		const char *words, *grant;
	} things[] = { { "permission denied for table ", "SELECT ON" },
		{ "permission denied for view ", "SELECT ON" },
		{ "permission denied for materialized view ", "SELECT ON" },
		{ "permission denied for foreign table ", "SELECT ON" },
		{ "permission denied for sequence ", "SELECT ON" },
		{ "permission denied for schema ", "USAGE ON SCHEMA" },
		{ "permission denied for database ", "CONNECT ON DATABASE" },
		{ "permission denied for function ", "EXECUTE ON FUNCTION" } };
	const char *to = name_quoted(owner, s->username);

	for (size_t i = 0; i < sizeof things / sizeof *things; i++)
		if (str_starts(message, things[i].words)) {
			const char *name = message + strlen(things[i].words);

			return mem_printf(owner, ". An owner of it can run: GRANT %s %s TO %s",
			    things[i].grant, name_quoted(owner, name), to);
		}
	return mem_printf(owner, ". Let %s read it with GRANT SELECT ON … TO %s", to, to);
}

static const char *
query_advice(void *owner, const struct postgres_server *s, const struct pgwords *w)
{
	if (str_eq(w->sqlstate, "42501"))
		return grant(owner, s, w->message);
	if (str_eq(w->sqlstate, "25006") || str_eq(w->sqlstate, "0A000"))
		return ". A job can only read";
	if (str_eq(w->sqlstate, "42601"))
		return ". It must be one statement, and one that gives rows: "
		       "SELECT, VALUES, TABLE or WITH";
	if (str_eq(w->sqlstate, "57014"))
		return ". Let it ask for less at a time, or add an index";
	return "";
}

const char *
pgwords_query(
    void *owner, const struct postgres_server *s, const struct pgwords *w, bool *final)
{
	const char *line = w->line ? mem_printf(owner, ", line %zu of the query", w->line) : "";

	/* Syntax, names and rights; statements that don't read; values that can't be computed. */
	*final = str_in(mem_strndup(owner, w->sqlstate, 2), "42|0A|25|22");
	return mem_printf(owner, "PostgreSQL says: %s (%s%s)%s", message_cut(owner, w->message),
	    w->sqlstate, line, query_advice(owner, s, w));
}

/* ---- connections ---- */

/* Returns where an SQLSTATE begins, or NULL. */
static const char *
state_find(const char *text)
{
	for (const char *p = text; (p = strstr(p, ":  ")); p++)
		if (strspn(p + 3, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == STATE_CHARS &&
		    str_starts(p + 3 + STATE_CHARS, ": "))
			return p + 3;
	return NULL;
}

static const char *
refusal(void *owner, const struct postgres_server *s, const char *state)
{
	const char *message = state + STATE_CHARS + 2;
	const char *code = mem_strndup(owner, state, STATE_CHARS);

	if (str_eq(code, "28P01"))
		return mem_printf(owner,
		    "the server doesn't accept the password of %s, or has no such user (28P01)",
		    s->username);
	if (str_eq(code, "28000"))
		return mem_printf(owner,
		    "the server doesn't let %s in from here (28000); its pg_hba.conf needs a line "
		    "for this user, the database %s, and the address of this service",
		    s->username, s->database);
	if (str_eq(code, "3D000"))
		return mem_printf(owner, "the server has no database %s (3D000)", s->database);
	if (str_eq(code, "53300"))
		return "the server has no free connection (53300); try again later, or raise its "
		       "max_connections";
	if (str_eq(code, "57P03"))
		return "the server is starting up or shutting down (57P03)";
	message = mem_strndup(owner, message, strcspn(message, "\n"));
	return mem_printf(owner, "PostgreSQL says: %s (%s)%s", message_cut(owner, message), code,
	    str_eq(code, "42501") ? grant(owner, s, message) : "");
}

const char *
pgwords_connect(
    void *owner, const struct postgres_server *s, enum postgres_step step, const char *text)
{
	const char *state = state_find(text);

	if (state)
		return refusal(owner, s, state);
	if (strstr(text, "does not match host name")) {
		const char *name = strstr(text, "certificate for \"");

		/* The text is: server certificate for "other" (and 1 other name) does not match
		 * host name "host". */
		name = name ? name + strlen("certificate for \"") : "another";
		return mem_printf(owner,
		    "its certificate is for %s, not for %s; use the name that the certificate has",
		    mem_strndup(owner, name, strcspn(name, "\"")), s->host);
	}
	if (strstr(text, "certificate verify failed"))
		return "its certificate isn't signed by an authority that this service trusts, or "
		       "has expired; the operator can name another in egress_ca_file";
	if (strstr(text, "does not support SSL"))
		return "the server doesn't offer an encrypted connection; "
		       "switch on ssl in its postgresql.conf";
	if (strstr(text, "no password supplied"))
		return mem_printf(owner, "the server asks for a password of %s", s->username);
	return step <= POSTGRES_REACH	  ? "couldn't connect to the server"
	    : step == POSTGRES_ENCRYPT
	    ? "an encrypted connection couldn't be established"
	    : "the server closed the connection while signing in";
}
