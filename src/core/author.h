/* SPDX-License-Identifier: Apache-2.0
 * Outside authors: people who make artifacts in a workspace through a grant on its folder
 * (core/reach.h). The artifact is the workspace’s; its author may edit it. */
#ifndef VITRINE_AUTHOR_H
#define VITRINE_AUTHOR_H
#include "core/artifact.h"

/* Gives an outsider who created an artifact in a shared folder a grant to edit it. The grant ends
 * when the author's present grants on the folder end. E_NOT_FOUND if these don't let the author
 * create artifacts there. */
enum err author_grant(struct ctx *c, const struct artifact *a, const struct principal *who);
#endif
