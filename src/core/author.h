/* SPDX-License-Identifier: Apache-2.0
 * Who makes an artifact in a workspace from outside, by a grant of its folder (core/reach.h). It
 * is the workspace's, and theirs to edit. */
#ifndef VITRINE_AUTHOR_H
#define VITRINE_AUTHOR_H
#include "core/artifact.h"

/* Gives them a grant of their own, which ends when they may no longer create in its folder as the
 * grants there are now. E_NOT_FOUND when they may not even now. */
enum err author_grant(struct ctx *c, const struct artifact *a, const struct principal *who);
#endif
