/* SPDX-License-Identifier: Apache-2.0 */
#include "agents/rpc.h"

#include "base/buf.h"
#include "base/crypto.h"
#include "base/str.h"

#define META "io.modelcontextprotocol/"

static bool
wrong(struct rpc_fault *f, enum rpc_code code, int status, const char *text)
{
	*f = (struct rpc_fault){ .code = code, .status = status, .text = text };
	return false;
}

const char *
rpc_text(const struct rpc *m, const char *name)
{
	return json_word(m->params, name);
}

static bool
shape_is_right(struct ctx *c, const struct json *j, struct rpc *out, struct rpc_fault *fault)
{
	const struct json *id;

	if (json_kind(j) == J_ARR)
		return wrong(fault, RPC_REQUEST, 400, "send one message at a time, not a list");
	if (json_kind(j) != J_OBJ || !str_eq(json_word(j, "jsonrpc"), "2.0"))
		return wrong(
		    fault, RPC_REQUEST, 400, "must be an object with \"jsonrpc\": \"2.0\"");
	id = json_get(j, "id");
	if (id && json_kind(id) != J_STR && json_kind(id) != J_INT)
		return wrong(fault, RPC_REQUEST, 400, "id must be a string or a whole number");
	if (id)
		out->id = json_text(c->mem, id);
	out->method = json_word(j, "method");
	if (!out->method)
		return json_get(j, "result") || json_get(j, "error")
		    ? true
		    : wrong(fault, RPC_REQUEST, 400, "method must be a string");
	out->params = json_get(j, "params");
	if (out->params && json_kind(out->params) != J_OBJ)
		return wrong(fault, RPC_REQUEST, 400, "params must be an object");
	return true;
}

static bool
header_is(
    struct ctx *c, const char *name, const char *sent, const char *meant, struct rpc_fault *fault)
{
	static const char head[] = RPC_BASE64;
	size_t n = sent ? strlen(sent) : 0, most = sizeof head - 1, out_n;
	const char *text = sent;
	uint8_t *out;

	if (!sent)
		return wrong(
		    fault, RPC_HEADER, 400, mem_printf(c->mem, "the header %s is missing", name));
	if (str_starts(sent, head) && str_ends(sent, "?=") && n >= most + 2) {
		out = mem_zalloc(c->mem, n);
		text = crypto_unbase64(sent + most, n - most - 2, out, &out_n) ? (char *)out : NULL;
	}
	return str_eq(text, meant) ||
	    wrong(fault, RPC_HEADER, 400,
		mem_printf(c->mem, "the header %s differs from the message", name));
}

void
rpc_versions_write(struct buf *b)
{
	buf_str(b, "[\"" RPC_MODERN "\"");
	for (const char *at = RPC_LEGACY; *at; at += *at == '|') {
		int n = (int)strcspn(at, "|");

		buf_fmt(b, ",\"%.*s\"", n, at);
		at += n;
	}
	buf_chr(b, ']');
}

static bool
version_is_known(struct ctx *c, const char *version, struct rpc_fault *fault)
{
	struct buf data = BUF(c->mem);

	if (str_eq(version, RPC_MODERN))
		return true;
	buf_str(&data, "{\"supported\":");
	rpc_versions_write(&data);
	buf_str(&data, ",\"requested\":");
	buf_json(&data, version);
	buf_chr(&data, '}');
	wrong(fault, RPC_VERSION, 400, "this version of the protocol isn't spoken here");
	fault->data = buf_done(&data);
	return false;
}

const char *
rpc_named(const struct rpc *m)
{
	if (str_eq(m->method, "resources/read"))
		return rpc_text(m, "uri");
	return str_in(m->method, "tools/call|prompts/get") ? rpc_text(m, "name") : NULL;
}

static bool
modern_is_right(struct ctx *c, const struct rpc_headers *h, struct rpc *m, struct rpc_fault *fault)
{
	const struct json *can = m->meta ? json_get(m->meta, META "clientCapabilities") : NULL;
	const char *version = json_word(m->meta, META "protocolVersion");

	m->version = RPC_MODERN;
	if (!version || !can || json_kind(can) != J_OBJ)
		return wrong(fault, RPC_PARAMS, 400,
		    "params._meta must have " META "protocolVersion and " META
		    "clientCapabilities");
	if (!header_is(c, "MCP-Protocol-Version", h->version, version, fault) ||
	    !header_is(c, "Mcp-Method", h->method, m->method, fault))
		return false;
	if (rpc_named(m) && !header_is(c, "Mcp-Name", h->name, rpc_named(m), fault))
		return false;
	return version_is_known(c, version, fault);
}

bool
rpc_parse(struct ctx *c, const char *text, size_t n, struct rpc *out, struct rpc_fault *fault)
{
	const struct json *meta;
	struct json *j;

	*out = (struct rpc){ .version = RPC_LEGACY_SILENT };
	if (json_parse(c, text, n, &j))
		return wrong(fault, RPC_PARSE, 400, c->message);
	if (!shape_is_right(c, j, out, fault))
		return false;
	meta = out->params ? json_get(out->params, "_meta") : NULL;
	out->meta = meta && json_kind(meta) == J_OBJ ? meta : NULL;
	out->modern = json_word(out->meta, META "protocolVersion") != NULL;
	if (out->modern)
		out->version = json_word(out->meta, META "protocolVersion");
	return true;
}

bool
rpc_read(struct ctx *c, const char *text, size_t n, const struct rpc_headers *h, struct rpc *out,
    struct rpc_fault *fault)
{
	bool right = rpc_parse(c, text, n, out, fault);

	out->modern |= str_eq(h->version, RPC_MODERN);
	if (!right)
		return false;
	if (out->modern && out->method)
		return modern_is_right(c, h, out, fault);
	out->version = h->version ? mem_strdup(c->mem, h->version) : RPC_LEGACY_SILENT;
	/* A request without the version's header is older than that header. */
	return str_eq(out->method, "initialize") || str_in(out->version, RPC_LEGACY) ||
	    version_is_known(c, out->version, fault);
}

void
rpc_error_write(struct buf *b, const char *id, int code, const char *text, const char *data)
{
	buf_fmt(b,
	    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":", id ? id : "null",
	    code);
	buf_json(b, text);
	if (data)
		buf_fmt(b, ",\"data\":%s", data);
	buf_str(b, "}}");
}

/* ---- tools ---- */

static void
write_hint(struct buf *b, const char *name, bool yes)
{
	buf_fmt(b, ",\"%s\":%s", name, yes ? "true" : "false");
}

void
rpc_tool_write(struct buf *b, const struct rpc_tool *t)
{
	struct buf schema = BUF(b->owner);

	shape_schema(&schema, t->in, false);
	schema.n--; /* its closing brace */
	buf_str(b, "{\"name\":");
	buf_json(b, t->name);
	buf_str(b, ",\"description\":");
	buf_json(b, t->doc);
	buf_fmt(
	    b, ",\"inputSchema\":%.*s,\"additionalProperties\":false}", (int)schema.n, schema.s);
	/* Programs of all eras find the title here. */
	buf_str(b, ",\"annotations\":{\"title\":");
	buf_json(b, t->title);
	write_hint(b, "readOnlyHint", t->reads);
	write_hint(b, "destructiveHint", t->destroys);
	/* False by default, and of no meaning for what only reads. */
	if (t->again)
		write_hint(b, "idempotentHint", true);
	write_hint(b, "openWorldHint", false);
	buf_chr(b, '}');
	if (t->card)
		buf_fmt(b,
		    ",\"_meta\":{\"ui\":{\"resourceUri\":\"%s\",\"visibility\":[\"model\"]}}",
		    t->card);
	buf_chr(b, '}');
}

struct arguments {
	struct ctx *c;
	const char *tool;
	const struct shape *in;
};

static const char *
arguments_named(const struct arguments *a)
{
	struct strs names = { 0 };

	for (size_t i = 0; i < a->in->n; i++)
		strs_add(a->c->mem, &names, a->in->fields[i].name);
	return strs_join(a->c->mem, &names, ", ");
}

static int
argument_unknown(void *arg, const char *key, const struct json *value)
{
	const struct arguments *a = arg;
	struct str_near near = STR_NEAR(key);

	(void)value;
	if (shape_field(a->in, key))
		return 0;
	for (size_t i = 0; i < a->in->n; i++)
		str_near_try(&near, a->in->fields[i].name);
	if (near.word)
		fail(a->c, E_INVALID, "%s: isn't an argument of %s; did you mean %s?",
		    str_cut(a->c->mem, key, 40), a->tool, near.word);
	else
		fail(a->c, E_INVALID, "%s: isn't an argument of %s; %s%s",
		    str_cut(a->c->mem, key, 40), a->tool, a->in->n ? "it takes " : "it takes none",
		    arguments_named(a));
	return 1;
}

enum err
rpc_arguments(struct ctx *c, const struct rpc *m, const char *tool, const struct shape *in,
    const struct json **tree, void **out)
{
	const struct json *args = json_get(m->params, "arguments");

	*tree = args = args ? args : json_new(c, NULL, NULL);
	if (json_kind(args) != J_OBJ)
		return fail(c, E_INVALID, "arguments: must be an object");
	if (json_each(args, argument_unknown, &(struct arguments){ c, tool, in }))
		return E_INVALID;
	return shape_read(c, in, args, out);
}
