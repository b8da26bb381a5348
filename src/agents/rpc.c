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

/* An id is a text or a whole number. */
static bool
id_read(struct ctx *c, const struct json *j, struct rpc *out)
{
	const struct json *id = json_get(j, "id");

	if (!id)
		return true;
	if (json_kind(id) != J_STR && json_kind(id) != J_INT)
		return false;
	out->id = json_text(c->mem, id);
	return true;
}

static bool
shape_is_right(struct ctx *c, const struct json *j, struct rpc *out, struct rpc_fault *fault)
{
	if (json_kind(j) == J_ARR)
		return wrong(fault, RPC_REQUEST, 400, "send one message at a time, not a list");
	if (json_kind(j) != J_OBJ || !str_eq(json_word(j, "jsonrpc"), "2.0"))
		return wrong(
		    fault, RPC_REQUEST, 400, "must be an object with \"jsonrpc\": \"2.0\"");
	if (!id_read(c, j, out))
		return wrong(fault, RPC_REQUEST, 400, "id must be a string or a whole number");
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

/* A header can't carry every text: =?base64?…?= is one in base64. */
static const char *
header_text(struct ctx *c, const char *value)
{
	static const char head[] = "=?base64?";
	size_t n = strlen(value), most = sizeof head - 1, out_n;
	uint8_t *out;

	if (!str_starts(value, head) || !str_ends(value, "?=") || n < most + 2)
		return value;
	out = mem_zalloc(c->mem, n);
	return crypto_unbase64(value + most, n - most - 2, out, &out_n) ? (char *)out : NULL;
}

static bool
header_is(
    struct ctx *c, const char *name, const char *sent, const char *meant, struct rpc_fault *fault)
{
	const char *text = sent ? header_text(c, sent) : NULL;

	if (!sent)
		return wrong(
		    fault, RPC_HEADER, 400, mem_printf(c->mem, "the header %s is missing", name));
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

/* What must be said of the name in a header, too. */
static const char *
named(const struct rpc *m)
{
	if (str_eq(m->method, "resources/read"))
		return rpc_text(m, "uri");
	return str_in(m->method, "tools/call|prompts/get") ? rpc_text(m, "name") : NULL;
}

static bool
modern_is_right(struct ctx *c, const struct json *meta, const struct rpc_headers *h, struct rpc *m,
    struct rpc_fault *fault)
{
	const struct json *can = meta ? json_get(meta, META "clientCapabilities") : NULL;
	const char *version = json_word(meta, META "protocolVersion");

	m->version = RPC_MODERN;
	if (!version || !can || json_kind(can) != J_OBJ)
		return wrong(fault, RPC_PARAMS, 400,
		    "params._meta must have " META "protocolVersion and " META
		    "clientCapabilities");
	if (!header_is(c, "MCP-Protocol-Version", h->version, version, fault) ||
	    !header_is(c, "Mcp-Method", h->method, m->method, fault))
		return false;
	if (named(m) && !header_is(c, "Mcp-Name", h->name, named(m), fault))
		return false;
	return version_is_known(c, version, fault);
}

/* A header with a version that was before there was one in each request. */
static bool
legacy_is_right(struct ctx *c, const struct rpc_headers *h, struct rpc *m, struct rpc_fault *fault)
{
	m->version = h->version ? mem_strdup(c->mem, h->version) : RPC_LEGACY_SILENT;
	return str_eq(m->method, "initialize") || str_in(m->version, RPC_LEGACY) ||
	    version_is_known(c, m->version, fault);
}

bool
rpc_read(struct ctx *c, const char *text, size_t n, const struct rpc_headers *h, struct rpc *out,
    struct rpc_fault *fault)
{
	const struct json *meta;
	struct json *j;

	*out = (struct rpc){ .version = RPC_LEGACY_SILENT,
		.modern = str_eq(h->version, RPC_MODERN) };
	if (json_parse(c, text, n, &j))
		return wrong(fault, RPC_PARSE, 400, c->message);
	if (!shape_is_right(c, j, out, fault))
		return false;
	meta = out->params ? json_get(out->params, "_meta") : NULL;
	meta = meta && json_kind(meta) == J_OBJ ? meta : NULL;
	out->modern |= json_word(meta, META "protocolVersion") != NULL;
	if (!out->modern || !out->method)
		return legacy_is_right(c, h, out, fault);
	return modern_is_right(c, meta, h, out, fault);
}
