/* SPDX-License-Identifier: Apache-2.0
 * The pages of a workspace's clients: all of them, one with what it can open and its people, and
 * what they did. */
#include "sharing/client_page.h"

#include "base/str.h"
#include "core/notice.h"
#include "http/req.h"
#include "sharing/client_look.h"
#include "sharing/share_grant.h"
#include "sharing/sharee_act.h"
#include "sharing/sharee_note.h"
#include "sharing/sharee_member.h"
#include "team/folder.h"

enum { LATEST = 5, NOTES_SHOWN = 8 };

SHAPE_DEFINE(client_act, CLIENT_ACT);

const char *
client_path(const struct req *r)
{
	return mem_printf(
	    r->c->mem, "/w/%s/clients/%s", req_param(r, "ws"), req_param(r, "shr"));
}

static bool
sharing_included(const struct req *r)
{
	return workspace_tier(r->c, r->ws).features & 1u << FEATURE_EXTERNAL_SHARING;
}

static const char *
clients_path(const struct req *r)
{
	return mem_printf(r->c->mem, "/w/%s/clients", r->ws->id);
}

enum err
client_here(struct req *r, struct sharee **out)
{
	*out = NULL;
	return sharing_included(r) ? sharee_get(r->c, r->ws, req_param(r, "shr"), out)
				   : reply_redirect(r, clients_path(r));
}

enum err
client_back(struct req *r, const char *page, const char *done)
{
	return reply_redirect(
	    r, mem_printf(r->c->mem, "%s%s?done=%s", client_path(r), page, done));
}

const char *
client_thing_path(const struct req *r, const char *type, const char *id)
{
	if (str_eq(type, "artifact"))
		return mem_printf(r->c->mem, "/a/%s", id);
	return mem_printf(r->c->mem, "/w/%s/%s/%s", r->ws->id,
	    str_eq(type, "folder") ? "folders" : "library", id);
}

static const char *
person_named(const struct outside_person *p)
{
	return p->name ? p->name : p->email;
}

/* ---- what they did ---- */

static struct client_act
act_of(const struct req *r, const struct sharee_act *a)
{
	const char *who = person_named(a->member);

	return (struct client_act){ .who = who,
		.letters = page_initials(r->c->mem, who),
		.action = a->action,
		.what = a->resource_name,
		.path = client_thing_path(r, a->resource_type, a->resource_id),
		.when = a->at };
}

static enum err
acts_tell_clients(struct req *r, const struct sharee_act_list *rows, struct client_act *acts)
{
	const char **ids = mem_array(r->c->mem, const char *, rows->n + 1),
		   **clients = mem_zalloc(r->c->mem, (rows->n + 1) * sizeof *clients);

	for (size_t i = 0; i < rows->n; i++)
		ids[i] = ((const struct outside_person *)rows->v[i].member)->id;
	TRY(people_clients(r->c, r->ws, ids, rows->n, clients));
	for (size_t i = 0; i < rows->n; i++)
		acts[i].clients = clients[i];
	return E_OK;
}

/* client_id NULL: all clients', each with its name. */
static enum err
acts_read(struct req *r, const char *client_id, int64_t limit, const char *cursor,
    struct list *out, const char **next)
{
	struct sharee_act_list rows;

	TRY(sharee_act_list(r->c, r->ws, client_id,
	    &(struct page_query){ .limit = limit, .cursor = cursor }, &rows, next));
	*out = list_made(r->c->mem, &rows, a, act_of(r, a));
	return client_id ? E_OK : acts_tell_clients(r, &rows, out->v);
}

/* ---- all clients ---- */

#define CLIENT_ROW(F, T) \
	F(T, ID,   id,     .arg = "shr_") \
	F(T, STR,  name) \
	F(T, URL,  logo) \
	F(T, STR,  letters) \
	F(T, INT,  people) \
	F(T, STR,  access, .doc = "How much it can open; NULL: nothing") \
	F(T, TIME, seen)
SHAPE_DECLARE(client_row, CLIENT_ROW);
SHAPE_DEFINE(client_row, CLIENT_ROW);

#define CLIENTS_PAGE(F, T) \
	F(T, STR,  done) \
	F(T, BOOL, included,  .doc = "The plan includes sharing; else there is only that to say") \
	F(T, STR,  asleep,    .doc = "How many clients have nothing by that") \
	F(T, STR,  plan_name) \
	F(T, STR,  plans,     .doc = "Those that include it; NULL: none") \
	F(T, BOOL, making,    .doc = "The form for a new client is open") \
	F(T, STR,  q) \
	F(T, BOOL, listed,    .doc = "There is something to search") \
	F(T, BOOL, some) \
	F(T, LIST, clients,   .sub = &client_row_shape) \
	F(T, STR,  next) \
	F(T, BOOL, happened) \
	F(T, LIST, acts,      .sub = &client_act_shape)
SHAPE_DECLARE(clients_page, CLIENTS_PAGE);
SHAPE_DEFINE(clients_page, CLIENTS_PAGE);

#define CLIENTS_QUERY(F, T) \
	F(T, STR, q,      .hi = 200) \
	F(T, STR, cursor, .hi = 400) \
	F(T, STR, done,   .hi = 40)
SHAPE_DECLARE(clients_query, CLIENTS_QUERY);
SHAPE_DEFINE(clients_query, CLIENTS_QUERY);

/* "1 folder, 2 artifacts"; NULL: nothing. */
static const char *
access_told(struct ctx *c, const struct client_look *l)
{
	const struct {
		int64_t n;
		const char *noun;
	} parts[] = { { l->folders, "folder" }, { l->artifacts, "artifact" },
		{ l->files, "file" } };
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].n)
			buf_fmt(&b, "%s%s", b.n ? ", " : "",
			    str_count(c->mem, parts[i].n, parts[i].noun));
	return b.n ? buf_done(&b) : NULL;
}

static struct client_row
client_row_of(struct ctx *c, const struct client_look *l)
{
	return (struct client_row){ .id = l->id,
		.name = l->name,
		.logo = workspace_logo_url(c, l->logo),
		.letters = page_initials(c->mem, l->name),
		.people = l->people,
		.access = access_told(c, l),
		.seen = l->seen };
}

static enum err
clients_asleep(struct req *r, struct clients_page *page)
{
	int64_t n;

	TRY(client_count(r->c, r->ws, &n));
	page->asleep = n ? str_count(r->c->mem, n, "client") : NULL;
	page->plan_name = workspace_tier(r->c, r->ws).plan->name;
	page->plans = tier_plans_with(r->c, FEATURE_EXTERNAL_SHARING);
	return reply_page(r, 0, page);
}

static enum err
h_clients(struct req *r)
{
	const struct clients_query *q = r->query;
	struct clients_page page = { .done = notice_text(r->c, q->done),
		.included = sharing_included(r),
		.making = r->refused.row != NULL,
		.q = str_given(q->q) };
	struct client_look_list rows;
	const char *next, *older;

	if (!page.included)
		return clients_asleep(r, &page);
	TRY(client_looks(r->c, r->ws, page.q, q->cursor, &rows, &next));
	page.clients = list_made(r->c->mem, &rows, l, client_row_of(r->c, l));
	page.some = rows.n > 0;
	page.listed = page.some || page.q;
	page.next = req_next(r, next, NEXT_WITHOUT);
	if (!page.q && !q->cursor)
		TRY(acts_read(r, NULL, LATEST, NULL, &page.acts, &older));
	page.happened = page.acts.n > 0;
	return reply_page(r, 0, &page);
}

#define CLIENTS_ACTIVITY_PAGE(F, T) \
	F(T, BOOL, happened) \
	F(T, LIST, acts, .sub = &client_act_shape) \
	F(T, STR,  next)
SHAPE_DECLARE(clients_activity_page, CLIENTS_ACTIVITY_PAGE);
SHAPE_DEFINE(clients_activity_page, CLIENTS_ACTIVITY_PAGE);

static enum err
h_clients_activity(struct req *r)
{
	const struct tab_query *q = r->query;
	struct clients_activity_page page = { 0 };
	const char *next;

	if (!sharing_included(r))
		return reply_redirect(r, clients_path(r));
	TRY(acts_read(r, NULL, WS_ROWS, q->cursor, &page.acts, &next));
	page.happened = page.acts.n > 0;
	page.next = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- one: what it can open ---- */

#define GRANT_ROW(F, T) \
	F(T, ID,   id,      .arg = "grt_") \
	F(T, WORD, subject_type, .arg = GRANT_SUBJECTS) \
	F(T, STR,  subject_id) \
	F(T, STR,  only,    .doc = "The one of its people who has it; NULL: all of them") \
	F(T, WORD, type,    .arg = OUTSIDE_THINGS) \
	F(T, STR,  thing_id) \
	F(T, STR,  name,    .doc = "Of a folder its path; NULL: a file that is private now") \
	F(T, STR,  path) \
	F(T, WORD, capability, .arg = CAPABILITIES) \
	F(T, TIME, ends) \
	F(T, STR,  expires, .doc = "The same, as the form sends it") \
	F(T, BOOL, ended) \
	F(T, TIME, since)
SHAPE_DECLARE(grant_row, GRANT_ROW);
SHAPE_DEFINE(grant_row, GRANT_ROW);

#define CLIENT_PERSON(F, T) \
	F(T, ID,   id,     .arg = "usr_") \
	F(T, STR,  name) \
	F(T, STR,  email) \
	F(T, STR,  letters) \
	F(T, WORD, status, .arg = "invited|active") \
	F(T, TIME, seen) \
	F(T, TIME, since)
SHAPE_DECLARE(client_person, CLIENT_PERSON);
SHAPE_DEFINE(client_person, CLIENT_PERSON);

#define NOTE_LINE(F, T) \
	F(T, STR,  note) \
	F(T, TIME, changed)
SHAPE_DECLARE(note_line, NOTE_LINE);
SHAPE_DEFINE(note_line, NOTE_LINE);

#define CLIENT_FIRST_PAGE(F, T) \
	CLIENT_PAGE(F, T) \
	F(T, BOOL, given) \
	F(T, LIST, grants,   .sub = &grant_row_shape) \
	F(T, STR,  more_grants) \
	F(T, INT,  people_n) \
	F(T, LIST, people,   .sub = &client_person_shape) \
	F(T, STR,  more_people) \
	F(T, BOOL, happened) \
	F(T, LIST, acts,     .sub = &client_act_shape) \
	F(T, BOOL, noted) \
	F(T, LIST, notes,    .sub = &note_line_shape) \
	F(T, INT,  views) \
	F(T, INT,  viewers) \
	F(T, STR,  kind) \
	F(T, TIME, since)
SHAPE_DECLARE(client_page, CLIENT_FIRST_PAGE);
SHAPE_DEFINE(client_page, CLIENT_FIRST_PAGE);

static const char *
time_typed(struct ctx *c, int64_t at)
{
	return at ? mem_printf(c->mem, "%lld", (long long)at) : NULL;
}

static struct grant_row
grant_row_of(const struct req *r, const struct share_grant *g, const char *path)
{
	return (struct grant_row){ .id = g->id,
		.subject_type = g->subject_type,
		.subject_id = g->subject_id,
		.only = str_eq(g->subject_type, "external_user") ? g->subject_name : NULL,
		.type = g->resource_type,
		.thing_id = g->resource_id,
		.name = path ? path + 1 : g->resource_name,
		.path = client_thing_path(r, g->resource_type, g->resource_id),
		.capability = g->capability,
		.ends = g->expires_at,
		.expires = time_typed(r->c, g->expires_at),
		.ended = g->expires_at && g->expires_at <= r->c->now,
		.since = g->created_at };
}

/* Folders by their paths, since their names alone say little. */
static enum err
grants_read(struct req *r, const struct sharee *s, const char *cursor, struct client_page *page)
{
	struct share_grant_list rows;
	const char **folders, **paths, *next;
	struct grant_row *out;

	TRY(share_grants_of_client(r->c, r->ws, s->id,
	    &(struct page_query){ .limit = WS_ROWS, .cursor = cursor }, &rows, &next));
	folders = mem_zalloc(r->c->mem, (rows.n + 1) * sizeof *folders);
	paths = mem_zalloc(r->c->mem, (rows.n + 1) * sizeof *paths);
	for (size_t i = 0; i < rows.n; i++)
		if (str_eq(rows.v[i].resource_type, "folder"))
			folders[i] = rows.v[i].resource_id;
	TRY(folder_paths(r->c, folders, rows.n, paths));
	out = mem_array(r->c->mem, struct grant_row, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++)
		out[i] = grant_row_of(r, &rows.v[i], paths[i]);
	page->grants = (struct list){ out, rows.n };
	page->given = rows.n > 0;
	page->more_grants = next ? req_with(r, "grants", next, "grants|done") : NULL;
	return E_OK;
}

static enum err
people_read(struct req *r, const struct sharee *s, const char *cursor, struct client_page *page)
{
	struct sharee_member_list rows;
	struct client_person *out;
	const char **ids, *next;
	int64_t *seen;

	TRY(sharee_member_list(r->c, s,
	    &(struct page_query){ .limit = WS_ROWS, .cursor = cursor }, &rows, &next));
	ids = mem_array(r->c->mem, const char *, rows.n + 1);
	seen = mem_zalloc(r->c->mem, (rows.n + 1) * sizeof *seen);
	out = mem_array(r->c->mem, struct client_person, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++)
		ids[i] = rows.v[i].id;
	TRY(people_seen(r->c, r->ws, ids, rows.n, seen));
	for (size_t i = 0; i < rows.n; i++) {
		const struct sharee_member *m = &rows.v[i];

		out[i] = (struct client_person){ .id = m->id,
			.name = m->name,
			.email = m->email,
			.letters = page_initials(r->c->mem, m->name ? m->name : m->email),
			.status = m->status,
			.seen = seen[i],
			.since = m->created_at };
	}
	page->people = (struct list){ out, rows.n };
	page->people_n = s->member_count;
	page->more_people = next ? req_with(r, "people", next, "people|done") : NULL;
	return E_OK;
}

static enum err
beside_read(struct req *r, const struct sharee *s, struct client_page *page)
{
	const struct client_views *views;
	struct sharee_note_list notes;
	const char *more;

	TRY(sharee_note_list(
	    r->c, r->ws, s->id, &(struct page_query){ .limit = NOTES_SHOWN }, &notes, &more));
	page->notes = list_made(r->c->mem, &notes, n,
	    (struct note_line){ .note = n->name, .changed = n->updated_at });
	page->noted = notes.n > 0;
	TRY(client_views(r->c, s->id, &views));
	page->views = views->views;
	page->viewers = views->viewers;
	return E_OK;
}

#define CLIENT_QUERY(F, T) \
	F(T, STR, grants, .hi = 40, .doc = "Cursor of this list, as people is of the other") \
	F(T, STR, people, .hi = 40) \
	F(T, STR, done,   .hi = 40)
SHAPE_DECLARE(client_query, CLIENT_QUERY);
SHAPE_DEFINE(client_query, CLIENT_QUERY);

static enum err
h_client(struct req *r)
{
	const struct client_query *q = r->query;
	struct client_page page;
	struct sharee *s;
	const char *older;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	page = (struct client_page){ CLIENT_PAGE_OF(r, s, "Access", "access"),
		.kind = s->type,
		.since = s->created_at };
	TRY(grants_read(r, s, q->grants, &page));
	TRY(people_read(r, s, q->people, &page));
	TRY(acts_read(r, s->id, LATEST, NULL, &page.acts, &older));
	page.happened = page.acts.n > 0;
	TRY(beside_read(r, s, &page));
	return reply_page(r, 0, &page);
}

/* ---- one: what it did ---- */

#define CLIENT_ACTIVITY_PAGE(F, T) \
	CLIENT_PAGE(F, T) \
	F(T, BOOL, happened) \
	F(T, LIST, acts, .sub = &client_act_shape) \
	F(T, STR,  next)
SHAPE_DECLARE(client_activity_page, CLIENT_ACTIVITY_PAGE);
SHAPE_DEFINE(client_activity_page, CLIENT_ACTIVITY_PAGE);

static enum err
h_client_activity(struct req *r)
{
	const struct tab_query *q = r->query;
	struct client_activity_page page;
	struct sharee *s;
	const char *next;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	page = (struct client_activity_page){ CLIENT_PAGE_OF(r, s, "Activity", "activity") };
	TRY(acts_read(r, s->id, WS_ROWS, q->cursor, &page.acts, &next));
	page.happened = page.acts.n > 0;
	page.next = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

static enum err
person_find(struct req *r, struct shown *out)
{
	struct sharee_member *m;
	struct sharee *s;

	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	TRY(sharee_member_get(r->c, s, req_param(r, "ext"), &m));
	*out = SHOWN(sharee_member, m);
	return E_OK;
}

#define CLIENTS "/w/{ws}/clients"
#define CLIENT CLIENTS "/{shr}"
#define API "/v1/workspaces/{ws}"
static const struct route client_page_routes[] = {
/*  method path                        who
    body                    reply                   handler */
  { GET,  CLIENTS,                     WS_ADMIN,
    TAKES_NOTHING,          GIVES_PAGE(clients),    h_clients,
    .query = &clients_query_shape, .doc = "Its clients" },
  { POST, CLIENTS, DOES("POST " API "/sharees"),
    .then = CLIENTS "/{id}?done=client_made", .again = CLIENTS, .doc = "Create a client" },
  { GET,  CLIENTS "/activity",         WS_ADMIN,
    TAKES_NOTHING,          GIVES_PAGE(clients_activity), h_clients_activity,
    .query = &tab_query_shape, .doc = "What people outside did" },
  { GET,  CLIENT,                      WS_ADMIN,
    TAKES_NOTHING,          GIVES_PAGE(client),     h_client,
    .query = &client_query_shape, .opened = true,
    .doc = "A client: what it can open, and its people" },
  { POST, CLIENT "/grants/{grt}", DOES("POST " API "/grants"),
    .then = CLIENT "?done=share_changed", .again = CLIENT,
    .doc = "Change what it can do with something" },
  { POST, CLIENT "/grants/{grt}/stop", DOES("DELETE " API "/grants/{grt}"),
    .then = CLIENT "?done=share_stopped", .again = CLIENT, .doc = "Stop sharing something" },
  { POST, CLIENT "/people", DOES("POST " API "/sharees/{shr}/members"),
    .then = CLIENT "?done=outsider_{status}", .again = CLIENT, .doc = "Invite somebody into it" },
  { POST, CLIENT "/people/{ext}/remove", DOES("DELETE " API "/sharees/{shr}/members/{ext}"),
    .ask = ASK("Remove {name|email}?",
	"They can no longer open what was shared with this client, and their tokens for it stop "
	"working at once. What they published stays.",
	"Remove person", CLIENT, .find = person_find),
    .then = CLIENT "?done=member_removed", .doc = "Remove them" },
  { GET,  CLIENT "/activity",          WS_ADMIN,
    TAKES_NOTHING,          GIVES_PAGE(client_activity), h_client_activity,
    .query = &tab_query_shape, .doc = "What its people did" },
  { POST, CLIENT "/delete", DOES("DELETE " API "/sharees/{shr}"),
    .ask = ASK("Delete {name}?",
	"Its people can no longer open what was shared with it, and their tokens stop working "
	"at once. Notes and activity go with it. What its people published stays. "
	"This can’t be undone.",
	"Delete client", CLIENT "/settings", .of = "GET " API "/sharees/{shr}"),
    .then = CLIENTS "?done=client_deleted", .doc = "Delete it" },
};
ROUTES(client_page, "Pages: clients",
    "What admins see of a workspace's clients in the browser.");
