/* SPDX-License-Identifier: Apache-2.0
 * Programs that ask to be connected. None has a secret, and what one says of itself is not
 * verified: its name is shown beside the place that its person is sent back to. A client_id either
 * holds what the program registered, so that nothing is stored, or is the address of a document
 * that says it. Source: RFC 7591; OAuth Client ID Metadata Document; oauth/README.md. */
#ifndef VITRINE_OAUTH_CLIENT_H
#define VITRINE_OAUTH_CLIENT_H
#include "base/shape.h"

enum {
	CLIENT_ID_MAX = 4000,
	CLIENT_NAME_CHARS = 80,
	CLIENT_URIS = 12,
	CLIENT_URI_MAX = 1000
};

struct oauth_client {
	const char *id, *name;
	const char *host; /* of the document's address; NULL: it registered */
	struct strs uris;
};

/* Whether people may be sent back there: https, a program on their own machine (http on loopback,
 * any port), or an app's own scheme. */
bool client_uri_fits(const char *uri);
/* Those of the addresses that fit; false when none does, or there are too many. The same name and
 * addresses give the same id. */
bool client_register(
    struct ctx *c, const char *name, const struct strs *uris, struct oauth_client *out);
/* E_INVALID, in words for the person: it is no client_id, or the document can't be had or does not
 * say what it must. Asks the network for the document. */
enum err client_find(struct ctx *c, const char *id, struct oauth_client *out);
/* Exactly one of the client's, but for the port of an address on loopback. */
bool client_returns_to(const struct oauth_client *, const char *uri);
/* What a person is shown of it, in lower case: "claude.ai", "localhost" or "cursor:". */
const char *client_uri_host(void *mem, const char *uri);
/* Where the client is from, by which workspaces let it in (core/agentpolicy.h): its document's
 * host, or else that of the address that its person is sent back to. */
const char *client_host(void *mem, const struct oauth_client *, const char *redirect_uri);
#endif
