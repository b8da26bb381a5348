/* SPDX-License-Identifier: Apache-2.0
 * Outside authors, who make artifacts in a workspace by a grant of its folder (core/reach.h). The
 * artifact is the workspace’s; its author may edit it. */
#ifndef VITRINE_AUTHOR_H
#define VITRINE_AUTHOR_H
#include "core/artifact.h"

/* Gives them a grant of their own, which ends when they may no longer create in its folder as the
 * grants there are now. E_NOT_FOUND when they may not even now. */
enum err author_grant(struct ctx *c, const struct artifact *a, const struct principal *who);
#endif
