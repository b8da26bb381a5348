/* SPDX-License-Identifier: Apache-2.0
 * What a route's row says, told to others: to programs (openapi.c), to people (app/docs.c), and to
 * who asked for an address that is none. Nothing here is typed a second time. */
#ifndef VITRINE_DESCRIBE_H
#define VITRINE_DESCRIBE_H
#include "base/buf.h"
#include "http/route.h"

const char *route_callers(void *owner, const struct route *); /* "Editors and the owner of the …" */
const char *route_token(void *owner, const struct route *);   /* which tokens are let through */
/* The statuses with which it may refuse, in rising order; beside them every route may answer 500,
 * 503 and 507. Which of 409, 412 and 422 apply is known for some routes only. */
enum { REFUSALS = 12 };
size_t route_refusals(const struct route *, int status[REFUSALS]);
/* A POST that a token makes, and a PUT of a file, may be repeated with the same Idempotency-Key. */
bool route_is_repeatable(const struct route *);
/* What stands in examples for a JSON object of any members. */
#define OBJECT_SAMPLE "{\"title\":\"Hello\",\"count\":1}"
/* And of a message of JSON-RPC. */
#define MESSAGE_SAMPLE "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"
/* The path, with a shell's variable for each id ($ARTIFACT_ID) and an example for what is no id. */
const char *route_example_path(void *owner, const struct route *);
const char *route_curl(void *owner, const char *base_url, const struct route *);
/* The same with an archive, of a route that takes a form with a manifest and an archive. */
const char *route_curl_archive(void *owner, const char *base_url, const struct route *);
const char *param_words(void *owner, const char *at); /* of what a path may have there */
/* The JSON that it answers; NULL when that is no JSON, or any. */
const char *route_example_answer(void *owner, const struct route *);
/* The row whose address is nearest to a path that has none, preferably of the method (-1: any);
 * NULL when none is near. It looks at the first NEAR_PARTS parts only. */
enum { NEAR_PARTS = 8, NEAR_PATH_BYTES = 256 };
const struct route *route_near(void *owner, int method, const char *raw_path);
/* "artifact_id must be …" of the first parameter of the row that the path has in another form,
 * where the rest of it is the row's; NULL else. */
const char *route_misfit(void *owner, const struct route *, const char *raw_path);
#endif
