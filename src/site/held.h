/* SPDX-License-Identifier: Apache-2.0
 * The inbox of a connected agent's person has what the agent published and may not make live, or
 * open so far. A version that goes live, a wider visibility, or the person ends it. */
#ifndef VITRINE_HELD_H
#define VITRINE_HELD_H
#include "core/artifact.h"

/* visibility: which the agent may not set; NULL: the version is a draft. */
enum err held_tell(struct ctx *c, const struct artifact *, const struct principal *agent,
    const char *visibility);
enum err held_end(struct ctx *c, const char *artifact_id);
#endif
