/* SPDX-License-Identifier: Apache-2.0
 * Which jobs use a connection, as somebody may know it: jobs of artifacts that they see. Only
 * admins see the number of the others. */
#ifndef VITRINE_USED_H
#define VITRINE_USED_H
#include "base/principal.h"
#include "base/shape.h"

enum { USED_SHOWN = 50 };

/* name is NULL if the caller may not edit the artifact. */
#define CONNECTION_JOB(F, T) \
	F(T, ID,   id,            .arg = "job_") \
	F(T, STR,  name,          .flags = F_NUL) \
	F(T, WORD, trigger_type,  .arg = "cron|event|alert") \
	F(T, ID,   artifact_id,   .arg = "art_") \
	F(T, STR,  artifact_name) \
	F(T, STR,  maker,         .flags = F_NUL, .doc = "NULL: nobody answers for it") \
	F(T, STR,  fills,         .flags = F_NUL) \
	F(T, BOOL, edits,         .doc = "They edit the artifact, rather than govern it") \
	F(T, BOOL, enabled) \
	F(T, INT,  failures) \
	F(T, TIME, last_run_at,   .flags = F_NUL) \
	F(T, BOOL, fills_document, .doc = "fills is empty; for the page, which sets it")
SHAPE_DECLARE(connection_job, CONNECTION_JOB);

#define CONNECTION_JOB_COUNT(F, T) \
	F(T, ID,  connection_id, .arg = "con_") \
	F(T, INT, jobs)
SHAPE_DECLARE(connection_job_count, CONNECTION_JOB_COUNT);

/* Lists at most USED_SHOWN jobs, the oldest first. *seen counts jobs that `who` sees, *all all
 * jobs except in the trash. */
enum err connection_jobs(struct ctx *c, const struct principal *who, const char *connection_id,
    struct connection_job_list *out, int64_t *seen, int64_t *all);
/* Counts the jobs that `who` sees for each connection of the workspace. Connections without jobs
 * have no row. */
enum err connection_jobs_counted(struct ctx *c, const struct principal *who,
    const char *workspace_id, struct connection_job_count_list *out);
int64_t connection_jobs_of(const struct connection_job_count_list *, const char *connection_id);

/* Credentials that a person has or could enter, in all their workspaces. */
#define OWN_CREDENTIAL(F, T) \
	F(T, ID,   connection_id,  .arg = "con_") \
	F(T, STR,  name) \
	F(T, WORD, kind,           .arg = "http|oauth2|postgres|chat") \
	F(T, STR,  provider) \
	F(T, JSON, config,         .arg = "object") \
	F(T, ID,   workspace_id,   .arg = "wsp_") \
	F(T, STR,  workspace_name) \
	F(T, BOOL, needs_auth,     .doc = "The server takes them no longer") \
	F(T, TIME, updated_at,     .flags = F_NUL, .doc = "NULL: they have none") \
	F(T, TIME, used_at,        .flags = F_NUL) \
	F(T, STR,  host) \
	F(T, STR,  asks,           .doc = "As CREDENTIALS_ASKED") \
	F(T, STR,  waits,          .doc = "Which of their jobs it keeps waiting, or NULL") \
	F(T, STR,  signin,         .doc = "Where they sign in; NULL: they type it") \
	F(T, STR,  signin_host)
/* credentials_say() fills what follows used_at. */
SHAPE_DECLARE(own_credential, OWN_CREDENTIAL);

/* Sorted by workspace and name. Agents have none. */
enum err
credentials_own(struct ctx *c, const struct principal *who, struct own_credential_list *out);

#define OWN_JOB(F, T) \
	F(T, ID,  connection_id, .arg = "con_") \
	F(T, STR, name)
SHAPE_DECLARE(own_job, OWN_JOB);

/* Lists the person's enabled jobs that use these connections. connection_ids is text of
 * ids_json(). */
enum err jobs_own(struct ctx *c, const struct principal *who, const char *connection_ids,
    struct own_job_list *out);

/* Names jobs of artifacts that the viewer can't open; NULL: there are none. */
const char *connection_hidden(struct ctx *c, int64_t hidden);
/* Returns the sentences that say which jobs fail without the connection. */
const char *connection_gone_words(
    struct ctx *c, const struct connection_job_list *, int64_t seen, int64_t all);

/* Fills what follows used_at. */
enum err credentials_say(
    struct ctx *c, const struct principal *who, struct own_credential_list *rows);

#define CREDENTIAL_PLACE(F, T) \
	F(T, STR,  workspace_name) \
	F(T, LIST, credentials, .sub = &own_credential_shape)
SHAPE_DECLARE(credential_place, CREDENTIAL_PLACE);
/* Groups the rows by workspace, by which they are sorted: a list of struct credential_place. */
struct list credential_places(struct ctx *c, const struct own_credential_list *rows);
#endif
