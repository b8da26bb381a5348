/* SPDX-License-Identifier: Apache-2.0
 * What an agent can ask for: a tool is a row. Each is made of routes of the API, which it asks as
 * the agent's person would (tool_ask()), so what the agent may is said by their rows alone. Few
 * tools have arguments of their own, for what agents do all day; three reach every other row
 * (tool_action.c). Source: agents/README.md. */
#ifndef VITRINE_TOOL_H
#define VITRINE_TOOL_H
#include "agents/rpc.h"
#include "base/buf.h"
#include "base/shape.h"
#include "http/req.h"

struct tool;
/* One call of a tool. */
struct call {
	struct req *r;
	const struct tool *tool;
	struct buf out;   /* what it answers: the members of a JSON object */
	const char *link; /* the address of what it was about, or NULL */
	const char *link_name;
};

struct tool {
	const char *name, *title, *doc;
	const struct shape *in;
	enum scope scope; /* the least that it needs of a token that is limited */
	enum scope also;  /* and this, where what it is asked for needs it; NO_SCOPE: none */
	bool reads;       /* changes nothing */
	bool destroys;    /* takes something away */
	bool again;       /* twice is as once */
	bool card;        /* what it answers, a person can be shown */
	enum err (*call)(struct call *, const void *in);
};
/* The page in which a person is shown it (resource.c). */
#define CARD_URI "ui://vitrine/card"
extern const struct tool tools_about[], tools_site[], tools_data[], tools_catalog[], tools_notes[],
    tools_action[];

enum { TOOL_NAME_CHARS = 40, TOOL_DOC_CHARS = 300, TOOL_TEXT_CHARS = 40000 };
/* A file that is written out in a call is no longer. */
enum { TOOL_INLINE_BYTES = 512 << 10 };

const struct tool *tool_at(size_t i); /* in the order of the list; NULL: behind the last */
const struct tool *tool_named(const char *name);          /* NULL: none */
bool tool_shown(const struct req *, const struct tool *); /* to this caller */
void tools_write(struct req *, struct buf *);             /* the list, as tools/list has it */
/* Ends the process when a row can't be what it says. */
void tools_check(void);

/* What follows takes long: the message begins again among what does. Before anything is done. */
enum err tool_slow(struct call *);
/* What follows waits for another server (share_outside()). After tool_slow(). */
enum err tool_outside(struct call *);
/* Asks a row of the API as the caller: *out is its reply, parsed. Fails as the row does. json: the
 * body, or NULL; key: an Idempotency-Key, or NULL. */
enum err tool_ask(struct call *, enum method, const char *json, const char *key,
    const struct json **out, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The same; also the request that was served, for what it found. attached: a file, or NULL. */
enum err tool_serve(struct call *, enum method, const char *json, const char *key,
    const struct span *attached, const char *uri, const struct req **served);
/* A list, with so few items that its reply is no longer than TOOL_TEXT_CHARS. uri ends where
 * "limit=…" can follow. */
enum err tool_ask_list(struct call *, int64_t limit, const struct json **out, const char *uri);
/* name=value& of a query; without a value nothing. */
void query_add(struct buf *, const char *name, const char *value);
/* Adds a member to what is answered: a value without what says nothing (null, "success"). */
void tool_tell(struct call *, const char *name, const struct json *value);
void tool_tell_text(struct call *, const char *name, const char *value);
void tool_tell_int(struct call *, const char *name, int64_t value);
/* The members of a reply, but for its list's cursor, which comes last as next_cursor. */
void tool_tell_all(struct call *, const struct json *reply);
/* The same text without nulls. */
void json_lean(struct buf *, const struct json *value);

/* A note: its text, and what leads from and to it. */
enum err tool_tell_note(struct call *, const char *ws, const char *path);
/* What went wrong when the live version was opened (site/pagecheck.h), and it as a member of that
 * name. */
enum err tool_ask_problems(struct call *, const char *artifact_id, const struct json **out);
void tool_tell_problems(struct call *, const char *name, const struct json *problems);

/* The id of what an agent calls by its id, its slug or its address; *path (may be NULL) is what
 * stands behind it there, *no the version behind an @. E_NOT_FOUND names the argument. */
enum err tool_artifact(struct call *, const char *argument, const char *said, const char **id,
    int64_t *no, const char **path);
/* Where a person sees and settles what an agent may not: that others see the artifact, or, with
 * version (else 0), that this one is live. */
const char *tool_review_url(
    struct call *, const char *artifact_id, int64_t version, const char *visibility);
/* What others have written stands between two lines that they can't know, without characters that
 * nobody sees. */
const char *tool_quote(struct call *, const char *by, const char *text);
#endif
