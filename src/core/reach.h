/* SPDX-License-Identifier: Apache-2.0
 * What grants let people outside of a workspace do with its things. A grant is of one folder (with
 * everything in it, however deep, as it stands), artifact, or file, for one person or for a client,
 * which is all of its people. It gives nothing where the plan doesn't include sharing, where the
 * workspace is in the trash, once its time is over, where the thing is of another workspace by now,
 * and to whoever is in the workspace. What it gives counts beside roles (core/role.h), and is no
 * role: nothing is listed, looked up, or counted for who has it. Only reach.c reads share_grant to
 * judge somebody. Source: sharing/README.md. */
#ifndef VITRINE_REACH_H
#define VITRINE_REACH_H
#include "base/principal.h"
#include "db/db.h"

#define CAPABILITIES "view|comment|create|edit"

/* What somebody may do by all their grants on a thing. */
struct reach {
	bool view;    /* its live version, as a stranger sees one that is unlisted */
	bool comment; /* read and write comments */
	bool create;  /* a folder: publish new artifacts in it */
	bool edit;    /* publish versions and write data; a file: add a version */
};

/* Each leaves *out all false where there is nothing. who may be NULL. A token with grants_only has
 * what its client and its person were given in its workspace; one that is confined otherwise, and a
 * connected agent, have what their person was given. */
enum err reach_artifact(
    struct ctx *c, const struct principal *who, const char *artifact_id, struct reach *out);
enum err reach_folder(
    struct ctx *c, const struct principal *who, const char *folder_id, struct reach *out);
/* Of a deliverable that its workspace sees. */
enum err reach_file(
    struct ctx *c, const struct principal *who, const char *deliverable_id, struct reach *out);
#endif
