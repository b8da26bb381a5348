/* SPDX-License-Identifier: Apache-2.0
 * Tools of agents: a tool is a row. A tool asks routes of the API as the agent's person
 * (tool_ask()), so the routes' rows alone define its rights. Some tools have their own arguments,
 * for frequent work; three reach all other routes (tool_action.c). Source: agents/README.md. */
#ifndef VITRINE_TOOL_H
#define VITRINE_TOOL_H
#include "agents/rpc.h"
#include "base/buf.h"
#include "base/shape.h"
#include "http/req.h"

struct tool;
/* A call of a tool. */
struct call {
	struct req *r;
	const struct tool *tool;
	const struct json *args; /* the arguments as they were sent */
	struct buf out;   /* the answer: members of a JSON object */
	const char *link; /* address of the thing that it is about, or NULL */
	const char *link_name;
};

struct tool {
	const char *name, *title, *doc;
	const struct shape *in;
	enum scope scope; /* the scope that a limited token needs */
	enum scope also;  /* another scope that some calls need; NO_SCOPE: none */
	bool reads;       /* changes nothing */
	bool destroys;    /* deletes something */
	bool again;       /* a second call changes nothing more */
	bool card;        /* its answer can be shown in the card */
	enum err (*call)(struct call *, const void *in);
};
/* The address of the card, the page that shows answers (resource.c). */
#define CARD_URI "ui://vitrine/card"
extern const struct tool tools_about[], tools_site[], tools_data[], tools_catalog[], tools_notes[],
    tools_action[];

enum { TOOL_NAME_CHARS = 40, TOOL_DOC_CHARS = 300, TOOL_TEXT_CHARS = 40000 };
/* The most bytes of a file that is written out in a call. */
enum { TOOL_INLINE_BYTES = 512 << 10 };

const struct tool *tool_at(size_t i); /* in the list's order; NULL: after the last */
const struct tool *tool_named(const char *name);          /* NULL: none */
bool tool_shown(const struct req *, const struct tool *); /* true if the caller's list has it */
void tools_write(struct req *, struct buf *);             /* the list for tools/list */
/* Ends the process if a row contradicts itself. */
void tools_check(void);

/* Hands the message to the slow pool, where it begins again. Call it before you change anything. */
enum err tool_slow(struct call *);
/* True if the call has made its change before, and has waited since (http/await.h). */
bool tool_waited(const struct call *);
/* Says that the call waits for another server (share_outside()). Call it after tool_slow(). */
enum err tool_outside(struct call *);
/* Returns the workspace that is named, else the token's only one; NULL: neither. */
const char *tool_workspace(const struct call *, const char *named);
/* Sets *out to the workspace that is named or confined to, else to the caller's only one. E_INVALID
 * if the caller is in none or in several. */
enum err tool_workspace_only(struct call *, const char *named, const char **out);
/* Serves a request as the caller's. *served has all that it found. Fails as its route does. */
enum err tool_serve(struct call *, const struct serving *, const struct req **served);
/* Asks a route. *got: the fields, noun, or list that it answers; got may be NULL. */
enum err tool_ask(struct call *, const struct serving *, struct shaped *got);
/* tool_ask() for a list, with the cursor of its next part, or NULL. */
enum err tool_ask_page(
    struct call *, const struct serving *, struct shaped *got, const char **cursor);
/* tool_ask() of a GET without a query, by a format and its arguments. */
#define tool_look(k, got, ...) tool_ask((k), ASKS(GET, tool_uri((k), __VA_ARGS__)), (got))
/* Adds all of a reply but "success"; *reply is the reply. */
enum err tool_tell_all(struct call *, const struct req *served, const struct json **reply);
/* Asks a route, and adds all that it answers. */
enum err tool_ask_all(struct call *, const struct serving *);
/* Asks for a list with so few items that its text has at most TOOL_TEXT_CHARS. The request gets a
 * `limit` and needs no method. field: the list's name in an answer that has more; else NULL. */
struct tool_list {
	struct shaped all;  /* the answer */
	const char *text;   /* the list */
	const char *cursor; /* of the next part, or NULL */
};
enum err tool_ask_list(struct call *, int64_t limit, const struct serving *, const char *field,
    struct tool_list *out);
/* A request: ASKS(GET, "/v1/…", other members of struct serving). Its query is
 * QUERY({ "q", in->q }, { "limit", "20" }). */
#define ASKS(method_, uri_, ...) \
	(&(struct serving){ .method = method_names[method_], .uri = (uri_), ##__VA_ARGS__ })
#define QUERY(...) .query = (const struct pair[]){ __VA_ARGS__, { NULL, NULL } }
const char *tool_uri(struct call *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns a number for a query. str_number() is for people: it has commas from 1,000 on. */
const char *tool_digits(struct call *, int64_t);
/* Add a value to the answer, unless it is null. tool_tell_field(): under the field's own name. */
void tool_tell(struct call *, const char *name, struct shaped value);
void tool_tell_field(struct call *, struct shaped, const char *field);
void tool_tell_text(struct call *, const char *name, const char *value);
void tool_tell_int(struct call *, const char *name, int64_t value);
/* Adds the address where people manage an artifact, and makes it what the answer links to. */
void tool_tell_links(struct call *, const char *artifact_id, const char *slug);
/* Returns JSON without members that are null. */
const char *tool_lean(struct call *, struct shaped);

/* Adds a note: its text, and its links in both directions. */
enum err tool_tell_note(struct call *, const char *ws, const char *path);
/* Adds what a browser saw of a version (site/seen.h), and what to do about it. */
enum err tool_tell_seen(struct call *, const char *artifact_id, int64_t no);
/* Adds what went wrong when the live version was opened (site/seen.h). */
void tool_tell_problems(struct call *, const char *name, struct shaped problems);

/* Returns a route's error in terms of the tool: "batch_id: …" becomes "undo: …" if the tool takes
 * no batch_id, but undo. */
const char *tool_reword(const struct call *, const char *message);
/* Finds an artifact by id, slug or address. *no: the version after an @; *path: the path behind it;
 * both may be NULL. E_NOT_FOUND names the argument. */
enum err tool_artifact(struct call *, const char *argument, const char *named, const char **id,
    int64_t *no, const char **path);
/* Returns e with its message. If e is E_NOT_FOUND because the artifact lacks the table, the message
 * names the tables and the nearest one. */
enum err tool_table_unknown(struct call *, enum err e, const char *artifact_id, const char *name);
/* Returns the address where a person decides what an agent may not: about the version, or, if that
 * is 0, about the visibility. */
const char *tool_review_url(
    struct call *, const char *artifact_id, int64_t version, const char *visibility);
/* Puts others' text between two lines with a random mark, without invisible characters. */
const char *tool_quote(struct call *, const char *by, const char *text);
#endif
