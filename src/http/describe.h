/* SPDX-License-Identifier: Apache-2.0
 * Describes a route from its row: to programs (openapi.c), to people (app/docs.c), and to callers
 * who requested a wrong address. */
#ifndef VITRINE_DESCRIBE_H
#define VITRINE_DESCRIBE_H
#include "base/buf.h"
#include "http/route.h"

const char *route_callers(void *owner, const struct route *); /* "Editors and the owner of the …" */
const char *route_token(void *owner, const struct route *);   /* which tokens are accepted */
/* Writes the statuses with which the route may refuse, in rising order, and returns how many. Any
 * route may also answer 500, 503 and 507. 409, 412 and 422 are listed for some routes only. */
enum { REFUSALS = 12 };
size_t route_refusals(const struct route *, int status[REFUSALS]);
/* True if the request may be repeated with the same Idempotency-Key: a POST that takes a token, and
 * a PUT of a file. */
bool route_is_repeatable(const struct route *);
/* The JSON object in examples of a body with any members. */
#define OBJECT_SAMPLE "{\"title\":\"Hello\",\"count\":1}"
/* The message in examples of JSON-RPC. */
#define MESSAGE_SAMPLE "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"
/* Returns the path with a shell variable for each id ($ARTIFACT_ID) and an example for other
 * parameters. */
const char *route_example_path(void *owner, const struct route *);
const char *route_curl(void *owner, const char *base_url, const struct route *);
/* Returns the curl command with an archive, for a route that takes a form with a manifest and an
 * archive. */
const char *route_curl_archive(void *owner, const char *base_url, const struct route *);
const char *param_words(void *owner, const char *at); /* the values that a parameter accepts */
/* Returns an example of the JSON answer; NULL if the answer isn't JSON or can be any. */
const char *route_example_answer(void *owner, const struct route *);
/* Returns the row most similar to a path without a route, preferably with this method (-1: any);
 * NULL if none is similar. Compares the first NEAR_PARTS parts only. */
enum { NEAR_PARTS = 8, NEAR_PATH_BYTES = 256 };
const struct route *route_near(void *owner, int method, const char *raw_path);
/* If the path matches the row except for a parameter in a wrong form, returns "artifact_id must be
 * …"; else NULL. */
const char *route_misfit(void *owner, const struct route *, const char *raw_path);
#endif
