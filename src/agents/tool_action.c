/* SPDX-License-Identifier: Apache-2.0
 * Three tools that reach all routes an agent may use. They are three so that a program can ask its
 * user before each change, and only then. */
#include "agents/tool.h"
#include "base/conf.h"
#include "base/str.h"
#include "http/describe.h"

enum { FOUND = 8, WORDS = 8 };

/* True if an agent may use the route: a limited token may, it answers JSON, and takes JSON or
 * nothing. No scope reaches routes that return secrets or give others access. */
static bool
is_reachable(const struct route *row)
{
	return str_starts(row->path, "/v1/") && row->scope > NO_SCOPE && row->who != PUBLIC &&
	    !row->agents && !row->no_agents && row->body.kind <= BODY_OBJECT &&
	    row->answer.kind <= ANSWER_ANY && row->answer.kind != ANSWER_BYTES &&
	    row->answer.kind != ANSWER_STREAM;
}

/* ---- find_actions ---- */

#define FIND_IN(F, T) \
	F(T, STR, query, .flags = F_REQ, .lo = 1, .hi = 200, \
		.doc = "What you want to do: \"schedule a job\", \"move to a folder\"")
SHAPE(find_in, FIND_IN);

static bool
has_word(const char *text, const char *word)
{
	return text && strcasestr(text, word);
}

/* Returns 1 if a field's name or one of its words has the word. */
static int
shape_points(const struct shape *s, const char *word)
{
	for (size_t i = 0; s && i < s->n; i++) {
		const struct field *f = &s->fields[i];

		if (!(f->flags & F_HID) &&
		    (has_word(field_wire(f), word) ||
			(f->kind == K_WORD && has_word(f->arg, word))))
			return 1;
	}
	return 0;
}

/* Scores how well a route fits a word without its plural's ending. */
static int
points(const struct route_list *list, const struct route *row, const char *word)
{
	return 4 * has_word(row->doc, word) + 3 * has_word(row->path, word) +
	    2 * has_word(list->tag, word) + has_word(list->doc, word) +
	    shape_points(row->body.shape, word) + shape_points(row->query, word);
}

/* Scores a word as it is and as the word of our routes that people mean by it. */
static int
points_meant(const struct route_list *list, const struct route *row, const char *word)
{
	static const struct {
		const char *typed, *meant;
	} words[] = {
		{ "night|nightly|day|daily|every|hour|hourly|week|weekly|month|monthly|morning"
		  "|regularly|cron|recurring|timer|automate|remind", "job" },
		{ "send|add|new|make|set|write|start|begin", "create" },
		{ "colleague|coworker|teammate|user|somebody|someone|person|team", "member" },
		{ "remove|drop|erase|trash", "delete" },
		{ "rename|edit|update|modify", "change" },
		{ "show|see|view|read", "get" },
		{ "customer|guest|outsider|partner", "client" },
		{ "revert|rollback|undo|previous", "restore" },
		{ "notify|notification|warn|threshold", "alert" },
		{ "slack|discord|telegram|http", "webhook" },
		{ "csv|spreadsheet|sheet|row", "table" },
		{ "load|xlsx|excel|workbook", "import" },
	};

	int own = points(list, row, word), other;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_in(word, words[i].typed)) {
			other = points(list, row, words[i].meant);
			return own > other ? own : other;
		}
	return own;
}

static size_t
words_of(void *mem, const char *query, const char *words[WORDS])
{
	static const char small[] = "a|an|the|to|of|for|in|on|my|it|its|and|or|with|is|be|how|do|i";
	char *rest = mem_strdup(mem, query), *part;
	size_t n = 0;

	while (n < WORDS && (part = str_split(&rest, ' '))) {
		size_t chars = strlen(part);

		if (!chars || str_in(part, small))
			continue;
		/* Drops the ending of a plural. */
		if (chars > 3 && strchr("sS", part[chars - 1]))
			chars--;
		words[n++] = str_lower(mem_strndup(mem, part, chars));
	}
	return n;
}

static void
write_schema(struct buf *b, const char *name, const struct shape *s)
{
	if (!s)
		return;
	buf_fmt(b, ",\"%s\":", name);
	shape_schema(b, s, false);
}

static void
write_row(struct call *k, const struct route *row)
{
	struct buf *b = &k->out;

	buf_fmt(b, "{\"action\":\"%s\",\"tool\":\"%s\",\"does\":", route_operation(b->owner, row),
	    row->method == GET ? "read_action" : "call_action");
	buf_json(b, row->doc);
	buf_fmt(b, ",\"address\":\"%s %s\",\"who\":", method_names[row->method],
	    route_address(b->owner, row));
	buf_json(b, route_callers(b->owner, row));
	if (strchr(row->path, '{')) {
		const char *between = "";

		buf_str(b, ",\"path\":{");
		for (const char *p = row->path; (p = strchr(p, '{')); p++) {
			buf_fmt(b, "%s\"%s\":\"%s\"", between, param_outside(p + 1),
			    param_prefix(p + 1) ? param_prefix(p + 1) : "");
			between = ",";
		}
		buf_chr(b, '}');
	}
	write_schema(b, "query", row->query);
	write_schema(b, "body", row->body.shape);
	buf_chr(b, '}');
}

struct found {
	const struct route *row;
	int points;
};

/* Inserts a route into the list, which is ordered by points. */
static void
found_add(struct found all[FOUND], const struct route *row, int points)
{
	struct found one = { row, points };

	for (size_t i = 0; i < FOUND; i++)
		if (one.points > all[i].points) {
			struct found next = all[i];

			all[i] = one;
			one = next;
		}
}

/* Lists routes that fit better than all that agents may use. */
static void
write_theirs(struct call *k, const struct found theirs[FOUND])
{
	buf_str(&k->out, ",\"your_person_can\":[");
	for (size_t i = 0; i < 2 && theirs[i].row; i++) {
		buf_str(&k->out, i ? ",{\"does\":" : "{\"does\":");
		buf_json(&k->out, theirs[i].row->doc);
		buf_str(&k->out, ",\"at\":");
		buf_json(&k->out, k->r->c->conf->base_url);
		buf_chr(&k->out, '}');
	}
	buf_chr(&k->out, ']');
}

static enum err
t_find(struct call *k, const void *arg)
{
	const struct find_in *in = arg;
	const char *words[WORDS];
	size_t n = words_of(k->r->c->mem, in->query, words);
	struct found found[FOUND] = { 0 }, theirs[FOUND] = { 0 };

	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++)
		for (size_t i = 0; i < list->n; i++) {
			int sum = 0;

			for (size_t w = 0; w < n; w++)
				sum += points_meant(list, &list->rows[i], words[w]);
			if (is_reachable(&list->rows[i]))
				found_add(found, &list->rows[i], sum);
			else if (route_is_api(&list->rows[i]))
				found_add(theirs, &list->rows[i], sum);
		}
	buf_str(&k->out, "\"actions\":[");
	for (size_t i = 0; i < FOUND && found[i].row; i++) {
		buf_str(&k->out, i ? "," : "");
		write_row(k, found[i].row);
		if (k->out.n > TOOL_TEXT_CHARS)
			break;
	}
	buf_chr(&k->out, ']');
	if (theirs[0].points > found[0].points)
		write_theirs(k, theirs);
	return E_OK;
}

/* ---- read_action, call_action ---- */

/* Each object names a member, since some clients drop a server otherwise. */
#define ACTION_PATH(F, T) F(T, STR, artifact_id, .doc = "Or others")
SHAPE(action_path, ACTION_PATH);

#define ACTION_QUERY(F, T) F(T, STR, cursor, .doc = "Or others")
SHAPE(action_query, ACTION_QUERY);

#define ACTION_BODY(F, T) F(T, STR, name, .doc = "Or others")
SHAPE(action_body, ACTION_BODY);

#define ACTION_IN(F, T) \
	F(T, STR,  action, .flags = F_REQ, .lo = 1, .hi = 200, .doc = "As find_actions names it") \
	F(T, JSON, path,   .arg = "object", .sub = &action_path_shape, .hi = 8000, \
		.doc = "Ids and names in its address") \
	F(T, JSON, query,  .arg = "object", .sub = &action_query_shape, .hi = 8000)
#define READ_IN(F, T) ACTION_IN(F, T)
SHAPE(read_in, READ_IN);
#define CALL_IN(F, T) \
	ACTION_IN(F, T) \
	F(T, JSON, body,          .arg = "object", .sub = &action_body_shape, .hi = 1 << 20) \
	F(T, STR,  operation_key, .lo = 1, .hi = 200)
SHAPE(call_in, CALL_IN);

struct action {
	const char *name;
	const struct route *row;
};

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct action *)a)->name, ((const struct action *)b)->name);
}

/* Finds a row by its operation. The sorted list of all is made once per process. */
static const struct route *
row_named(const char *name)
{
	static struct action *all;
	static size_t n;
	const struct action *found;

	if (!all) {
		all = mem_array(mem_root("actions"), struct action, route_count());
		for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++)
			for (size_t i = 0; i < list->n; i++)
				all[n++] = (struct action){ route_operation(all, &list->rows[i]),
					&list->rows[i] };
		qsort(all, n, sizeof *all, by_name);
	}
	found = bsearch(&(struct action){ .name = name }, all, n, sizeof *all, by_name);
	return found ? found->row : NULL;
}

static enum err
row_pick(struct call *k, const char *action, bool reads, const struct route **out)
{
	struct ctx *c = k->r->c;

	*out = row_named(action);
	if (!*out)
		return fail(c, E_NOT_FOUND,
		    "action: there is no action of this name; find_actions names them");
	if (!is_reachable(*out))
		return fail(c, E_DENIED, "action: agents can't do this; your person can, at %s",
		    c->conf->base_url);
	if (reads != ((*out)->method == GET))
		return fail(c, E_INVALID, "action: this one is for %s",
		    reads ? "call_action" : "read_action");
	return E_OK;
}

/* Writes the address. {+}, the rest of a path, keeps its slashes. */
static enum err
address_make(struct call *k, const struct route *row, struct buf *uri)
{
	const struct json *path = json_get_as(k->args, "path", J_OBJ);
	struct ctx *c = k->r->c;

	for (const char *p = row->path; *p; p++) {
		const struct json *j;
		const char *value;

		if (*p != '{') {
			buf_chr(uri, *p);
			continue;
		}
		j = json_get(path, param_outside(p + 1));
		value = !j || json_kind(j) == J_NULL ? NULL
		    : json_kind(j) == J_STR          ? json_str(j)
						     : json_text(c->mem, j);
		if (!value || !*value)
			return fail(c, E_INVALID, "path: %s is missing", param_outside(p + 1));
		if (p[1] == '+')
			buf_url(uri, value);
		else
			buf_form(uri, value);
		p += strcspn(p, "}");
	}
	return E_OK;
}

struct query {
	struct call *k;
	struct pair *next;
};

static int
pair_add(void *arg, const char *key, const struct json *value)
{
	struct query *q = arg;
	enum json_kind kind = json_kind(value);

	*q->next++ = (struct pair){ key,
		kind == J_NULL       ? NULL
		    : kind == J_STR  ? json_str(value)
		    : kind == J_BOOL ? json_true(value) ? "1" : "0"
				     : json_text(q->k->r->c->mem, value) };
	return 0;
}

static enum err
action_do(struct call *k, const struct route *row, const char *key)
{
	const struct json *query = json_get_as(k->args, "query", J_OBJ),
			  *body = json_get_as(k->args, "body", J_OBJ);
	struct pair *pairs = mem_array(k->r->c->mem, struct pair, json_len(query) + 1);
	struct buf uri = BUF(k->r->c->mem);

	if (row->slow && !row->quick_when_small)
		TRY(tool_slow(k));
	TRY(address_make(k, row, &uri));
	if (query)
		json_each(query, pair_add, &(struct query){ k, pairs });
	TRY(tool_ask_all(k,
	    ASKS(row->method, buf_done(&uri), .query = pairs,
		.body = !row->body.kind ? NULL : body ? body : json_new(k->r->c, NULL, NULL),
		.key = key)));
	if (k->out.n > 2 * TOOL_TEXT_CHARS)
		return fail(k->r->c, E_INVALID,
		    "the reply is too long to show; ask for less, by limit or a filter in query");
	return E_OK;
}

static enum err
t_read(struct call *k, const void *arg)
{
	const struct read_in *in = arg;
	const struct route *row;

	TRY(row_pick(k, in->action, true, &row));
	return action_do(k, row, NULL);
}

static enum err
t_call(struct call *k, const void *arg)
{
	const struct call_in *in = arg;
	const struct route *row;

	TRY(row_pick(k, in->action, false, &row));
	return action_do(k, row, in->operation_key);
}

const struct tool tools_action[] = {
	{ "find_actions", "Find an action",
	    "Finds what else can be done: jobs, schedules, folders, alerts, the asset library, "
	    "versions and more. Answers each action's name and arguments for read_action or "
	    "call_action.",
	    &find_in_shape, ANY_SCOPE, .reads = true, .call = t_find },
	{ "read_action", "Read by an action",
	    "Does an action that find_actions marks with read_action. It changes nothing.",
	    &read_in_shape, ANY_SCOPE, .reads = true, .call = t_read },
	{ "call_action", "Do an action",
	    "Does an action that find_actions marks with call_action; it changes something.",
	    &call_in_shape, ANY_SCOPE, .destroys = true, .call = t_call },
	{ NULL },
};
