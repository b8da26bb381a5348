/* SPDX-License-Identifier: Apache-2.0
 * A program's request to be let in, as its query says it, and the address that answers it. Source:
 * RFC 6749 section 4.1, RFC 9207; oauth/README.md. */
#ifndef VITRINE_AUTHORIZE_H
#define VITRINE_AUTHORIZE_H
#include "oauth/client.h"

#define AUTHORIZE(F, T) \
	F(T, STR, client_id,             .hi = CLIENT_ID_MAX) \
	F(T, STR, redirect_uri,          .hi = CLIENT_URI_MAX) \
	F(T, STR, response_type,         .hi = 100, .doc = "code") \
	F(T, STR, code_challenge,        .hi = 200) \
	F(T, STR, code_challenge_method, .hi = 100, .doc = "S256") \
	F(T, STR, scope,                 .hi = 1000, .doc = "Unknown ones are ignored") \
	F(T, STR, state,                 .hi = 2000) \
	F(T, STR, resource,              .hi = 2000, .doc = "Address of the agent protocol")
SHAPE_DECLARE(authorize, AUTHORIZE);

/* The scopes that the request names, or all if it names none. */
int64_t authorize_scopes(struct ctx *c, const char *scope);
/* *word: the error for the program, once its redirect_uri is known. */
enum err authorize_judge(struct ctx *c, const struct authorize *q, struct oauth_client *client,
    const char **word);
/* Returns the address of the program with the answer name=value. why: for people who look, or
 * NULL. */
const char *authorize_answer(struct ctx *c, const char *uri, const char *state, const char *name,
    const char *value, const char *why);
/* Sources for form-action beside our own pages, because browsers apply it to a form’s redirect. The
 * machine’s own addresses can’t all be written there. */
const char *authorize_source(void *mem, const char *uri);
#endif
