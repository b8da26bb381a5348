/* SPDX-License-Identifier: Apache-2.0
 * Outside authors: people who make artifacts in a workspace through a grant on its folder
 * (core/reach.h). The artifact is the workspace’s; its author may edit it. */
#ifndef VITRINE_AUTHOR_H
#define VITRINE_AUTHOR_H
#include "core/artifact.h"

/* Gives the author a grant on the new artifact. It ends when the grants on the folder, as they are
 * now, no longer let them create there. E_NOT_FOUND if they don't let them now. */
enum err author_grant(struct ctx *c, const struct artifact *a, const struct principal *who);
#endif
