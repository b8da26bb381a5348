/* SPDX-License-Identifier: Apache-2.0
 * Kinds of things whose roles are an artifact's or a workspace's (struct noun in http/who.h). */
#ifndef VITRINE_WHO_API_H
#define VITRINE_WHO_API_H
#include "core/role.h"
#include "http/req.h"

extern const struct rung art_rungs[], ws_rungs[];

/* Initializes the struct noun of a thing on an artifact. The caller's role on the artifact counts,
 * grants don't. */
#define NOUN_OF_ARTIFACT(param_, on_, artifact_of_) \
	{ .param = param_, .on = on_, .rungs = art_rungs, .load = inner_load, \
		.load_by_token = inner_load_by_token, .standing = inner_standing, \
		.artifact_of = artifact_of_ }
enum err inner_load(struct req *, const char *id, bool lock);
enum err inner_load_by_token(struct req *, const char *id, const char *bearer);
bool inner_standing(const struct req *, struct standing *out);

/* Members of the struct noun of a workspace. */
enum err ws_load(struct req *, const char *id, bool lock);
bool ws_standing(const struct req *, struct standing *out);
#endif
