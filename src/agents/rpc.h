/* SPDX-License-Identifier: Apache-2.0
 * A message of JSON-RPC 2.0 as the Model Context Protocol has it. There are two eras: the modern
 * one (2026-07-28), in which each request says its version, in `_meta` and in headers, and the one
 * of a handshake before (initialize). Which one it is, each request tells. Source: the protocol's
 * specification, 2026-07-28, basic/transports/streamable-http and basic/versioning. */
#ifndef VITRINE_RPC_H
#define VITRINE_RPC_H
#include "base/buf.h"
#include "base/json.h"
#include "base/shape.h"

#define RPC_MODERN "2026-07-28"
/* Newest first. */
#define RPC_LEGACY "2025-11-25|2025-06-18|2025-03-26"
#define RPC_LEGACY_NEWEST "2025-11-25"
/* What a request without a header speaks, since that was before there was one. */
#define RPC_LEGACY_SILENT "2025-03-26"

enum rpc_code {
	RPC_PARSE = -32700,
	RPC_REQUEST = -32600,
	RPC_METHOD = -32601,
	RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_HEADER = -32020,
	RPC_VERSION = -32022,
	RPC_NO_RESOURCE = -32002 /* legacy only; modern: RPC_PARAMS */
};

struct rpc {
	bool modern;
	const char *version;       /* of the protocol */
	const char *id;            /* as JSON; NULL: nobody waits for a reply */
	const char *method;        /* NULL: it is a reply to something that we never asked */
	const struct json *params; /* an object, or NULL */
	const struct json *meta;   /* params._meta, an object, or NULL */
};
/* What came beside the message; each may be NULL. */
struct rpc_headers {
	const char *version, *method, *name;
};
struct rpc_fault {
	enum rpc_code code;
	int status; /* of HTTP, in the modern era */
	const char *text;
	const char *data; /* as JSON, or NULL */
};

/* Reads a message. False with *fault when it is none, or says what its headers don't; out->id and
 * out->modern are set as far as it could be read. */
bool rpc_read(struct ctx *c, const char *text, size_t n, const struct rpc_headers *,
    struct rpc *out, struct rpc_fault *fault);
/* Every version that is spoken here, the newest first, as a JSON array. */
void rpc_versions_write(struct buf *);
/* The same by the message alone: version is what it says itself; without, it is legacy. */
bool rpc_parse(struct ctx *c, const char *text, size_t n, struct rpc *out, struct rpc_fault *);
/* A text among its parameters, or NULL. */
const char *rpc_text(const struct rpc *, const char *name);
/* What the header Mcp-Name says of it; NULL: there is none. */
const char *rpc_named(const struct rpc *);
/* The head of a text that a header can't carry: =?base64?…?= is one in base64. */
#define RPC_BASE64 "=?base64?"
/* A whole message. id: as JSON, or NULL; data: as JSON, or NULL. */
void rpc_error_write(struct buf *, const char *id, int code, const char *text, const char *data);

/* What a list says of a tool. */
struct rpc_tool {
	const char *name, *title, *doc;
	const struct shape *in;
	bool reads;    /* changes nothing */
	bool destroys; /* takes something away */
	bool again;    /* twice is as once */
	const char *card; /* address of a page that shows what it answers to a person, or NULL */
};
void rpc_tool_write(struct buf *, const struct rpc_tool *);
/* The arguments of a call. E_INVALID names one that is wrong, or that the tool hasn't. */
enum err rpc_arguments(
    struct ctx *c, const struct rpc *, const char *tool, const struct shape *, void **out);
#endif
