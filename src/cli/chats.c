/* SPDX-License-Identifier: Apache-2.0
 * Reads exports of chats: conversations.json is an array of conversations. Claude's have
 * chat_messages, whose artifacts are calls of a tool or, in older ones, <antArtifact> in the text.
 * ChatGPT's have a mapping, a tree of messages, whose canvases are calls of canmore. An artifact is
 * written anew or changed in places; its last state counts. One conversation is parsed at a time,
 * since an export can have years of them. */
#include "cli/elsewhere.h"

#include "base/str.h"

struct made {
	const char *id, *title, *type, *language;
	struct buf content;
	const char *wrong; /* why its last state can't be told, or NULL */
};
struct chat {
	struct elsewhere *e;
	void *mem; /* the conversation's */
	const char *name;
	struct made *v;
	size_t n;
};

/* ---- artifacts ---- */

static struct made *
made_find(struct chat *chat, const char *id)
{
	for (size_t i = 0; i < chat->n; i++)
		if (str_eq(chat->v[i].id, id))
			return &chat->v[i];
	return NULL;
}

/* Finds the artifact, or begins one, and replaces its content. */
static struct made *
made_write(struct chat *chat, const char *id, const char *content)
{
	struct made *m = made_find(chat, id);

	if (!m) {
		if ((chat->n & (chat->n - 1)) == 0)
			chat->v = mem_grow(chat->mem, chat->v,
			    (chat->n ? 2 * chat->n : 1) * sizeof *chat->v);
		m = &chat->v[chat->n++];
		*m = (struct made){ .id = id };
	}
	m->content = BUF(chat->mem);
	buf_str(&m->content, content);
	m->wrong = NULL;
	return m;
}

/* Replaces a text that the content has exactly once. */
static void
made_change(struct made *m, const char *was, const char *now)
{
	const char *content = buf_done(&m->content), *at = *was ? strstr(content, was) : NULL;
	struct buf b = BUF(m->content.owner);

	if (!at || strstr(at + 1, was)) {
		m->wrong = "a change of it names a text that it doesn't have once";
		return;
	}
	buf_add(&b, content, (size_t)(at - content));
	buf_str(&b, now);
	buf_str(&b, at + strlen(was));
	m->content = b;
}

/* ---- Claude ---- */

static void
claude_call(struct chat *chat, const struct json *call)
{
	const struct json *in = json_get_as(call, "input", J_OBJ);
	const char *tool = json_member(call, "name"), *what = json_member(in, "command"),
		   *id = json_word(in, str_eq(tool, "artifacts") ? "id" : "path"),
		   *content = json_word(in, "content");
	struct made *m;

	if (!id || !str_in(tool, "artifacts|create_file|str_replace"))
		return;
	if (!content)
		content = json_word(in, "file_text");
	if (str_eq(tool, "str_replace") || str_eq(what, "update")) {
		if ((m = made_find(chat, id)))
			made_change(
			    m, json_member(in, "old_str"), json_member(in, "new_str"));
		return;
	}
	if (!content)
		return;
	m = made_write(chat, id, content);
	m->type = json_word(in, "type") ? json_word(in, "type") : m->type;
	m->title = json_word(in, "title") ? json_word(in, "title") : m->title;
	m->language = json_word(in, "language") ? json_word(in, "language") : m->language;
	if (!m->title)
		m->title = str_base(id);
}

/* Returns an attribute of a tag that ends at `end`, or NULL. */
static const char *
attribute(struct chat *chat, const char *tag, const char *end, const char *name)
{
	const char *all = mem_strndup(chat->mem, tag, (size_t)(end - tag)),
		   *at = strstr(all, mem_printf(chat->mem, " %s=\"", name));

	if (!at)
		return NULL;
	at += strlen(name) + 3;
	return mem_strndup(chat->mem, at, strcspn(at, "\""));
}

static void
claude_text(struct chat *chat, const char *text)
{
	static const char open[] = "<antArtifact ", close[] = "</antArtifact>";
	const char *tag = text, *end, *stop;

	while ((tag = strstr(tag, open)) && (end = strchr(tag, '>')) &&
	    (stop = strstr(end, close))) {
		const char *id = attribute(chat, tag, end, "identifier");
		size_t n = (size_t)(stop - end - 1);
		struct made *m = made_write(chat, id ? id : "artifact",
		    mem_strndup(chat->mem, end + 1 + (end[1] == '\n'), n - (end[1] == '\n')));

		m->type = attribute(chat, tag, end, "type");
		m->title = attribute(chat, tag, end, "title");
		m->language = attribute(chat, tag, end, "language");
		tag = stop;
	}
}

static void
claude_read(struct chat *chat, const struct json *conversation)
{
	const struct json *messages = json_get(conversation, "chat_messages");

	for (size_t i = 0; i < json_len(messages); i++) {
		const struct json *one = json_at(messages, i),
				  *parts = json_get_as(one, "content", J_ARR);

		for (size_t k = 0; k < json_len(parts); k++) {
			const struct json *part = json_at(parts, k);

			if (str_eq(json_member(part, "type"), "tool_use"))
				claude_call(chat, part);
			else
				claude_text(chat, json_member(part, "text"));
		}
		if (!json_len(parts))
			claude_text(chat, json_member(one, "text"));
	}
}

/* ---- ChatGPT ---- */

static void
canvas_call(struct chat *chat, const char *to, const struct json *call)
{
	const struct json *updates = json_get_as(call, "updates", J_ARR);
	struct made *m;

	if (str_eq(to, "canmore.create_textdoc") && json_word(call, "content")) {
		m = made_write(chat, mem_printf(chat->mem, "%zu", chat->n),
		    json_word(call, "content"));
		m->title = json_word(call, "name");
		m->type = json_word(call, "type");
		return;
	}
	/* A change is of the canvas that was opened last. */
	m = str_eq(to, "canmore.update_textdoc") && chat->n ? &chat->v[chat->n - 1] : NULL;
	for (size_t i = 0; m && i < json_len(updates); i++) {
		const struct json *one = json_at(updates, i);

		if (str_in(json_member(one, "pattern"), ".*|(?s).*"))
			made_write(chat, m->id, json_member(one, "replacement"));
		else
			m->wrong = "a change of it is a pattern, which only ChatGPT applies";
	}
}

static void
canvas_message(struct chat *chat, const struct json *message)
{
	const char *to = json_member(message, "recipient"),
		   *text = json_word(json_get(message, "content"), "text");
	const struct json *parts = json_get_as(json_get(message, "content"), "parts", J_ARR),
			  *part = json_len(parts) ? json_at(parts, 0) : NULL;
	struct json *call;

	if (!str_starts(to, "canmore."))
		return;
	if (!text && part && json_kind(part) == J_STR)
		text = json_str(part);
	if (text && !json_parse(chat->e->cli->c, text, strlen(text), &call))
		canvas_call(chat, to, call);
	else
		left_add(chat->e, "%s: a canvas can't be read", chat->name);
}

/* Goes from the current message up to the first one, then reads them in order: branches that were
 * left aren't part of the conversation. */
static void
chatgpt_read(struct chat *chat, const struct json *conversation)
{
	const struct json *mapping = json_get(conversation, "mapping"), *node;
	const struct json **way = mem_array(chat->mem, const struct json *, json_len(mapping) + 1);
	const char *id = json_word(conversation, "current_node");
	size_t n = 0;

	while (id && n < json_len(mapping) && (node = json_get_as(mapping, id, J_OBJ))) {
		way[n++] = node;
		id = json_word(node, "parent");
	}
	while (n--)
		canvas_message(chat, json_get(way[n], "message"));
}

/* ---- items ---- */

/* Returns the name of the artifact's file, by its type and language; NULL if the type is none that
 * a page can show. */
static const char *
file_name(void *mem, const struct made *m)
{
	static const struct {
		const char *types, *ending, *whole; /* whole: the file's name, or NULL */
	} kinds[] = { { "text/html|code/html", "html", "index.html" },
		{ "application/vnd.ant.react|code/react", "tsx", "App.tsx" },
		{ "text/markdown|document", "md", NULL }, { "image/svg+xml", "svg", NULL },
		{ "application/vnd.ant.mermaid", "mmd", NULL }, { "code/javascript", "js", NULL },
		{ "code/typescript", "ts", NULL }, { "code/python", "py", NULL },
		{ "code/java", "java", NULL }, { "code/cpp", "cpp", NULL } };
	static const char *const endings[][2] = { { "javascript", "js" }, { "typescript", "ts" },
		{ "python", "py" }, { "bash", "sh" }, { "markdown", "md" }, { "ruby", "rb" },
		{ "rust", "rs" }, { "csharp", "cs" }, { "kotlin", "kt" } };
	const char *name = name_of(mem, m->title ? m->title : m->id), *type = m->type,
		   *dot = strrchr(m->id, '.'), *ending = m->language;

	for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
		if (str_in(type, kinds[i].types))
			return kinds[i].whole ? kinds[i].whole
					      : mem_printf(mem, "%s.%s", name, kinds[i].ending);
	if (!type && dot) /* a file by its path */
		return str_in(dot, ".html|.htm") ? "index.html"
						 : str_base(m->id) + strspn(str_base(m->id), ".");
	if (!type || !str_eq(type, "application/vnd.ant.code"))
		return NULL;
	for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
		if (str_eq(ending, endings[i][0]))
			ending = endings[i][1];
	return mem_printf(mem, "%s.%s", name, ending ? name_of(mem, ending) : "txt");
}

static void
made_add(struct chat *chat, struct made *m)
{
	void *mem = chat->e->cli->c->mem;
	const char *title = str_one_line(mem, m->title && *m->title ? m->title : "Untitled"),
		   *name = file_name(mem, m), *content = buf_done(&m->content);

	if (m->wrong || !name)
		left_add(chat->e, "%s, from %s: %s", title, chat->name,
		    m->wrong ? m->wrong
			     : mem_printf(mem, "is of the type %s", m->type ? m->type : "unknown"));
	else
		item_add_file(chat->e, str_ends(name, ".html") ? "page" : "file", title, chat->name,
		    mem_strdup(mem, name), mem_strdup(mem, content), m->content.n);
}

static void
conversation_read(struct elsewhere *e, const char *text, size_t n, size_t no)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct chat chat = { .e = e, .mem = c->mem };
	struct json *all;

	if (json_parse(c, text, n, &all)) {
		left_add(e, "conversation %zu: %s", no, ctx_why(c));
	} else {
		const char *name = json_word(all, "name");

		name = str_one_line(e->cli->c->mem, name ? name : json_member(all, "title"));
		chat.name = *name ? name : mem_printf(e->cli->c->mem, "conversation %zu", no);
		if (json_get_as(all, "chat_messages", J_ARR))
			claude_read(&chat, all);
		else if (json_get_as(all, "mapping", J_OBJ))
			chatgpt_read(&chat, all);
		else
			left_add(e, "%s: isn't a conversation that is known here", chat.name);
		for (size_t i = 0; i < chat.n; i++)
			made_add(&chat, &chat.v[i]);
	}
	ctx_end(c);
}

/* Returns the end of a JSON value that begins at s: the comma or bracket behind it. */
static const char *
value_end(const char *s, const char *end)
{
	int depth = 0;
	bool quoted = false;

	for (; s < end; s++) {
		if (quoted) {
			s += *s == '\\';
			quoted = *s != '"';
		} else if (*s == '"') {
			quoted = true;
		} else if (*s == '{' || *s == '[') {
			depth++;
		} else if (*s == '}' || *s == ']' || *s == ',') {
			if (!depth)
				return s;
			depth -= *s != ',';
		}
	}
	return end;
}

bool
chats_read(struct elsewhere *e, const char *text, size_t n)
{
	const char *end = text + n, *s = text + strspn(text, "\xef\xbb\xbf \t\r\n");
	size_t no = 0;

	if (*s++ != '[')
		return cli_fail("conversations.json isn't a list of conversations") == EXIT_FINE;
	for (s += strspn(s, " \t\r\n"); s < end && *s && *s != ']'; s += strspn(s, " \t\r\n")) {
		const char *stop = value_end(s, end);

		conversation_read(e, s, (size_t)(stop - s), ++no);
		if (stop == end || *stop != ',')
			return true;
		s = stop + 1;
	}
	return true;
}
