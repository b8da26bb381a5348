/* SPDX-License-Identifier: Apache-2.0
 * Messages of JSON-RPC 2.0 in the Model Context Protocol. In the modern era (2026-07-28), each
 * request has its version, in `_meta` and in headers. In the legacy era, a handshake (initialize)
 * agrees on one. A request shows its era. Source: the protocol's specification, 2026-07-28,
 * basic/transports/streamable-http and basic/versioning. */
#ifndef VITRINE_RPC_H
#define VITRINE_RPC_H
#include "base/buf.h"
#include "base/json.h"
#include "base/shape.h"

#define RPC_MODERN "2026-07-28"
/* Newest first. */
#define RPC_LEGACY "2025-11-25|2025-06-18|2025-03-26"
#define RPC_LEGACY_NEWEST "2025-11-25"
/* The version of a request without a header: in that version, there was none. */
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
	const char *id;            /* as JSON; NULL: a notification, which gets no reply */
	const char *method;        /* NULL: a reply, though we never ask */
	const struct json *params; /* an object, or NULL */
	const struct json *meta;   /* params._meta, an object, or NULL */
};
/* Headers of the request; each may be NULL. */
struct rpc_headers {
	const char *version, *method, *name;
};
struct rpc_fault {
	enum rpc_code code;
	int status; /* HTTP status in the modern era */
	const char *text;
	const char *data; /* as JSON, or NULL */
};

/* Reads a message. Returns false with *fault if it is wrong or contradicts its headers. Sets
 * out->id and out->modern as far as it can read them. */
bool rpc_read(struct ctx *c, const char *text, size_t n, const struct rpc_headers *,
    struct rpc *out, struct rpc_fault *fault);
/* Writes all versions that we support as a JSON array, newest first. */
void rpc_versions_write(struct buf *);
/* Reads a message without headers. The version is that of `_meta`; without, it is legacy. */
bool rpc_parse(struct ctx *c, const char *text, size_t n, struct rpc *out, struct rpc_fault *);
/* Returns a text among the parameters, or NULL. */
const char *rpc_text(const struct rpc *, const char *name);
/* Returns what the header Mcp-Name must have; NULL: nothing. */
const char *rpc_named(const struct rpc *);
/* Begins a header's text that is encoded in base64: =?base64?…?= */
#define RPC_BASE64 "=?base64?"
/* Writes a whole message. id, data: JSON, or NULL. */
void rpc_error_write(struct buf *, const char *id, int code, const char *text, const char *data);

/* A tool's item in tools/list. */
struct rpc_tool {
	const char *name, *title, *doc;
	const struct shape *in;
	bool reads;    /* changes nothing */
	bool destroys; /* deletes something */
	bool again;    /* a second call changes nothing more */
	const char *card; /* address of a page that shows its answer to a person, or NULL */
};
void rpc_tool_write(struct buf *, const struct rpc_tool *);
/* Reads a call's arguments by the shape; *tree has them as they were sent. E_INVALID names a wrong
 * or unknown argument. */
enum err rpc_arguments(struct ctx *c, const struct rpc *, const char *tool, const struct shape *,
    const struct json **tree, void **out);
#endif
