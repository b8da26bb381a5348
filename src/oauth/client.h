/* SPDX-License-Identifier: Apache-2.0
 * Programs that ask to be connected. They have no secret, and their claims aren't verified: people
 * see a program's name beside the host that they are sent back to. A client_id contains the
 * registration itself, so we store nothing, or is the address of a document with it. Source:
 * RFC 7591; OAuth Client ID Metadata Document; oauth/README.md. */
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
	const char *host; /* the document's host; NULL: a registered program */
	struct strs uris;
};

/* Returns whether people may be sent to uri: https, a program on their machine (http on loopback,
 * any port), or an app's own scheme. */
bool client_uri_fits(const char *uri);
/* Registers a program with those of its addresses that fit. Returns false if none fits, or if there
 * are too many. Equal names and addresses give equal ids. */
bool client_register(
    struct ctx *c, const char *name, const struct strs *uris, struct oauth_client *out);
/* Finds a program by its client_id; may fetch its document. Fails with E_INVALID, in words for the
 * person, if the id is wrong or the document can't be fetched or is wrong. */
enum err client_find(struct ctx *c, const char *id, struct oauth_client *out);
/* Returns whether uri is one of the client's addresses. On loopback, the port may differ. */
bool client_returns_to(const struct oauth_client *, const char *uri);
/* Returns an address's host for people, in lower case: "claude.ai", "localhost" or "cursor:". */
const char *client_uri_host(void *mem, const char *uri);
/* Returns the host by which workspaces let the client in (core/agentpolicy.h): its document's, else
 * that of the address that its person is sent back to. */
const char *client_host(void *mem, const struct oauth_client *, const char *redirect_uri);
#endif
