/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp.h"

#include "base/crypto.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/http.h"
#include "cli/row.h"

#include <unistd.h>

struct mcp {
	struct cli *cli; /* its token is NULL while nobody is signed in */
	struct mcp_root root;
	const char *version; /* the protocol's version that initialize agreed on, or NULL */
	bool greeted;        /* we answered initialize ourselves, since nobody was signed in */
	bool changed;        /* somebody has signed in since, so the list of tools changed */
};
/* A message and its answer. Their memory, of cli.c, ends with them. */
struct message {
	struct mcp *m;
	struct cli cli;
	struct rpc rpc;
	struct buf heard; /* lines that were printed meanwhile */
};

/* ---- answers ---- */

static const char *
error_reply(struct message *k, int code, const char *text, const char *data)
{
	struct buf b = BUF(k->cli.c->mem);

	rpc_error_write(&b, k->rpc.id, code, text, data);
	return b.s;
}

static const char *
result_reply(struct message *k, const char *result)
{
	return mem_printf(k->cli.c->mem, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}",
	    k->rpc.id, result);
}

/* Returns a result that we made; b has its members. */
static const char *
own_reply(struct message *k, struct buf *b)
{
	if (k->rpc.modern)
		buf_fmt(b, "%s\"resultType\":\"complete\"", b->n ? "," : "");
	return result_reply(k, mem_printf(b->owner, "{%s}", buf_done(b)));
}

/* Returns the lines that were printed, as text, and removes them. */
static const char *
heard_text(struct message *k)
{
	const char *text = mem_strndup(
	    k->cli.c->mem, buf_done(&k->heard), k->heard.n ? k->heard.n - 1 : 0);

	k->heard.n = 0;
	return text;
}

static const char *
tool_refused(struct message *k, const char *text)
{
	struct buf b = BUF(k->cli.c->mem);

	buf_str(&b, "\"content\":[{\"type\":\"text\",\"text\":");
	buf_json(&b, text);
	buf_str(&b, "}],\"isError\":true");
	return own_reply(k, &b);
}

/* ---- nobody is signed in ---- */

#define CAPABILITIES "\"capabilities\":{\"tools\":{\"listChanged\":true}}"
#define SERVER "{\"name\":\"vitrine\",\"title\":\"Vitrine\",\"version\":\"" VITRINE_VERSION "\"}"

/* Answers without the service, so that the program starts and shows its user why. */
static const char *
out_reply(struct message *k, const char *why)
{
	const struct rpc *m = &k->rpc;
	struct buf b = BUF(k->cli.c->mem);

	if (str_eq(m->method, "tools/call"))
		return tool_refused(k, why);
	if (str_eq(m->method, "tools/list")) {
		buf_str(&b, "\"tools\":[");
		mcptool_write(&b, MCPTOOL_PUBLISH);
		buf_chr(&b, ',');
		mcptool_write(&b, MCPTOOL_PULL);
		buf_chr(&b, ']');
	} else if (m->modern && str_eq(m->method, "server/discover")) {
		buf_str(&b, "\"supportedVersions\":");
		rpc_versions_write(&b);
		buf_str(&b,
		    ",\"capabilities\":{\"tools\":{}},"
		    "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":" SERVER "}");
	} else if (!m->modern && str_eq(m->method, "initialize")) {
		const char *wanted = rpc_text(m, "protocolVersion");

		k->m->greeted = true;
		buf_fmt(&b, "\"protocolVersion\":\"%s\"," CAPABILITIES ",\"serverInfo\":" SERVER,
		    wanted && str_in(wanted, RPC_LEGACY) ? wanted : RPC_LEGACY_NEWEST);
	} else if (m->modern || !str_eq(m->method, "ping")) {
		return error_reply(k, 401, why, "{\"code\":\"UNAUTHENTICATED\"}");
	}
	if (m->modern)
		buf_str(&b, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
	return own_reply(k, &b);
}

/* Reads the environment and the stored token again. Returns false after saying there is none. */
static bool
sign_in(struct message *k)
{
	struct mcp *m = k->m;
	struct cli now = *m->cli;

	now.c = k->cli.c;
	now.token = now.kept_for = NULL;
	m->cli->token = NULL;
	if (cmd_service(&now, NEEDS_TOKEN))
		return false;
	k->cli.url = m->cli->url = mem_strdup(m->cli->c->mem, now.url);
	k->cli.token = m->cli->token = mem_strdup(m->cli->c->mem, now.token);
	return true;
}

/* ---- the service's answers ---- */

/* Adds each of our tools if the service offers its counterpart. */
static void
tools_add(struct buf *b, const struct json *tools)
{
	static const struct {
		const char *like;
		enum mcptool tool;
	} ours[] = { { "publish", MCPTOOL_PUBLISH }, { "fetch", MCPTOOL_PULL } };
	size_t n = json_kind(tools) == J_ARR ? json_len(tools) : 0;

	json_into(b, tools);
	b->n--; /* its closing bracket */
	for (size_t o = 0; o < sizeof ours / sizeof *ours; o++)
		for (size_t i = 0; i < n; i++)
			if (str_eq(json_member(json_at(tools, i), "name"), ours[o].like)) {
				buf_chr(b, ',');
				mcptool_write(b, ours[o].tool);
			}
	buf_chr(b, ']');
}

static int
list_member(void *arg, const char *name, const struct json *value)
{
	struct buf *b = arg;

	json_key(b, name);
	if (str_eq(name, "tools") && json_kind(value) == J_ARR)
		tools_add(b, value);
	else
		json_into(b, value);
	return 0;
}

static const char *
result_relay(struct message *k, const struct json *result)
{
	struct buf b = BUF(k->cli.c->mem);
	const char *version = json_member(result, "protocolVersion");

	if (str_eq(k->rpc.method, "initialize") && str_in(version, RPC_LEGACY))
		k->m->version = mem_strdup(k->m->cli->c->mem, version);
	if (!str_eq(k->rpc.method, "tools/list") || rpc_text(&k->rpc, "cursor"))
		return result_reply(k, json_text(k->cli.c->mem, result));
	buf_chr(&b, '{');
	json_each(result, list_member, &b);
	buf_chr(&b, '}');
	return result_reply(k, b.s);
}

/* Relays the service's answer. An error gets the message's id even if the service has none. */
static const char *
reply_relay(struct message *k, const struct http_res *res)
{
	void *mem = k->cli.c->mem;
	const struct json *result = json_find(res->json, "result"),
			  *error = json_find(res->json, "error"),
			  *data = json_find(error, "data"), *code = json_find(error, "code");
	const char *text = json_member(error, "message");

	if (result && json_kind(result) == J_OBJ)
		return result_relay(k, result);
	if (code && json_kind(code) == J_INT)
		return error_reply(k, (int)json_int(code),
		    res->again_s
			? mem_printf(mem, "%s; try again in %ld s", text, res->again_s)
			: text,
		    data ? json_text(mem, data) : NULL);
	return error_reply(k, res->status >= 400 ? (int)res->status : RPC_INTERNAL,
	    mem_printf(mem, "%s answered %ld, but not as Vitrine does", k->cli.url, res->status),
	    NULL);
}

/* ---- requests to the service ---- */

/* Returns a header line. A value that can't be a header's is encoded. */
static const char *
head_make(struct message *k, const char *name, const char *value)
{
	void *mem = k->cli.c->mem;
	bool plain = *value && *value != ' ' && !str_ends(value, " ") &&
	    !str_starts(value, RPC_BASE64);

	for (const char *p = value; *p; p++)
		plain &= *p >= ' ' && *p < 0x7f;
	return plain ? mem_printf(mem, "%s: %s", name, value)
		     : mem_printf(mem, "%s: " RPC_BASE64 "%s?=", name,
			   crypto_base64(mem, value, strlen(value)));
}

static bool
message_send(struct message *k, const struct buf *text, struct http_res *res)
{
	const struct rpc *m = &k->rpc;
	const char *version = m->modern ? m->version : k->m->version, *heads[5];
	struct http_req req = { .method = "POST",
		.path = "/mcp",
		.body = text->s,
		.body_n = text->n,
		.save_fd = -1,
		.once = true,
		.heads = heads };
	size_t n = 0;

	heads[n++] = "Accept: application/json, text/event-stream";
	if (version && (m->modern || !str_eq(m->method, "initialize")))
		heads[n++] = head_make(k, "MCP-Protocol-Version", version);
	if (m->modern)
		heads[n++] = head_make(k, "Mcp-Method", m->method);
	if (m->modern && rpc_named(m))
		heads[n++] = head_make(k, "Mcp-Name", rpc_named(m));
	heads[n] = NULL;
	return http_try(&k->cli, &req, res);
}

/* Sends a message on. After a 401, tries once more if another token is stored by now. */
static const char *
message_forward(struct message *k, const struct buf *text)
{
	const char *token = k->cli.token;
	struct http_res res;
	bool sent = message_send(k, text, &res);

	if (sent && res.status == 401 && sign_in(k) && !str_eq(k->cli.token, token))
		sent = message_send(k, text, &res);
	if (!k->rpc.id && (!sent || res.status >= 400))
		cli_fail("%s can't be told of %s", k->cli.url, k->rpc.method);
	if (!k->rpc.id)
		return NULL;
	if (!sent)
		return error_reply(k, RPC_INTERNAL, res.again, "{\"code\":\"UNAVAILABLE\"}");
	if (res.status != 401) {
		k->m->changed = k->m->greeted;
		k->m->greeted = false;
		return reply_relay(k, &res);
	}
	k->m->cli->token = NULL;
	return out_reply(k,
	    k->heard.n ? heard_text(k)
		       : mem_printf(k->cli.c->mem,
			     "%s doesn't take the token anymore: run vitrine login, "
			     "or set VITRINE_TOKEN to another",
			     k->cli.url));
}

/* ---- one after another ---- */

static const char *
tool_reply(struct message *k, enum mcptool tool)
{
	void *mem = k->cli.c->mem;
	struct buf members = BUF(mem), b = BUF(mem);
	const char *text, *line;
	char *notes;

	if (mcptool_call(&k->cli, &k->m->root, tool, &k->rpc, &members))
		return tool_refused(k, heard_text(k));
	if (k->heard.n) {
		buf_str(&members, ",\"notes\":");
		notes = mem_strdup(mem, heard_text(k));
		for (char before = '['; (line = str_split(&notes, '\n')); before = ',') {
			buf_chr(&members, before);
			buf_json(&members, line);
		}
		buf_chr(&members, ']');
	}
	text = mem_printf(mem, "{%s}", buf_done(&members));
	buf_str(&b, "\"content\":[{\"type\":\"text\",\"text\":");
	buf_json(&b, text);
	buf_fmt(&b, "}],\"structuredContent\":%s", text);
	return own_reply(k, &b);
}

/* Returns the answer; NULL for a notification. */
static const char *
message_reply(struct message *k, const struct buf *text)
{
	const struct rpc *m = &k->rpc;
	struct rpc_fault fault = { 0 };
	enum mcptool tool = MCPTOOL_NONE;
	const char *name;

	if (!rpc_parse(k->cli.c, text->s, text->n, &k->rpc, &fault))
		return m->method && !m->id ? NULL
					   : error_reply(k, fault.code, fault.text, NULL);
	if (!m->method)
		return NULL;
	name = rpc_text(m, "name");
	if (m->id && name && str_eq(m->method, "tools/call"))
		tool = mcptool_named(name);
	if (!k->cli.token && !sign_in(k))
		return m->id ? out_reply(k, heard_text(k)) : NULL;
	return tool ? tool_reply(k, tool) : message_forward(k, text);
}

static void
line_answer(struct mcp *m, const struct buf *text)
{
	struct message k = { .m = m, .cli = *m->cli };
	const char *reply, *line;
	char *said;

	k.cli.c = ctx_begin(NULL, NULL);
	k.heard = BUF(k.cli.c->mem);
	cli_listen(&k.heard);
	reply = message_reply(&k, text);
	said = k.heard.n ? mem_strdup(k.cli.c->mem, heard_text(&k)) : NULL;
	cli_listen(NULL);
	while (said && (line = str_split(&said, '\n')))
		cli_note("%s", line);
	if (m->changed)
		cli_line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	m->changed = false;
	if (reply)
		cli_line("%s", reply);
	ctx_end(k.cli.c);
}

static int
mcp_serve(struct cli *cli)
{
	struct mcp m = { .cli = cli };
	struct buf line = { 0 };
	ssize_t n;

	if (!mcptool_root(cli, &m.root))
		return EXIT_REFUSED;
	if (isatty(STDIN_FILENO))
		cli_note("This is for programs, which write messages to standard input; "
			 "vitrine mcp add tells them of it.");
	while ((n = getline(&line.s, &line.room, stdin)) >= 0) {
		line.n = (size_t)n;
		if (line.s[strspn(line.s, " \t\r\n")] || strlen(line.s) < line.n)
			line_answer(&m, &line);
		if (fflush(stdout))
			break;
	}
	free(line.s);
	return ferror(stdin) ? cli_fail("standard input can't be read") : EXIT_FINE;
}

static const struct cli_option mcp_options[] = {
	{ "--root DIR", "the only folder whose files agents may publish, or that they may fetch "
			"files into (default: the current one)" },
	{ "--stdio", "for add: have it run vitrine mcp, rather than ask the service itself",
	    .only = "add" },
	{ "--yes", "for add: run the command that it prints", .only = "add" },
	{ 0 },
};

static const struct cli_row mcp_rows[] = {
	{ .run = mcp_serve },
	{ "add", "CLIENT", .run = mcpadd_run },
	{ 0 },
};

const struct cli_cmd mcp_cli[] = {
	{ "mcp", "[add] [claude|codex|cursor|vscode]",
	    "let agents work with your artifacts and this folder (Model Context Protocol)",
	    mcp_options, mcp_rows, .needs = NEEDS_NOTHING },
	{ 0 },
};
