/* SPDX-License-Identifier: Apache-2.0
 * Tells the former maker that another person is now responsible for a job. */
#include "base/str.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/member.h"
#include "core/tell.h"
#include "inbox/item.h"
#include "inbox/stop.h"
#include "jobs/job.h"
#include "jobs/job_row.h"

#define JOB_FORMER(F, T) F(T, EMAIL, email)
SHAPE(job_former, JOB_FORMER);

/* Notifies the former maker only while they may answer for the job: others must not learn its
 * name. */
static enum err
former_notify(struct ctx *c, const struct artifact *a, const struct job *j,
    const struct principal *who)
{
	struct mail m = { .template = MAIL_JOB_TAKEN, .sender_id = who->user_id };
	enum job_maker_may may;
	const char *former = j->created_by;
	struct job_former *row;

	TRY(job_maker_may(c, former, a->id, &may));
	if (may != JOB_MAKER_MAY)
		return E_OK;
	/* Inbox items about the job, such as its failures, are for the new maker. */
	TRY(inbox_end(c, j->id, former));
	TRY(inbox_put(c,
	    INBOX_PUT("SELECT " INBOX_ROW("?", "?", "?", "NULL", "?", "?", "?", "NULL", "NULL",
		"NULL")),
	    ITEM_JOB_TAKEN,
	    ARGS(former, j->id, who->user_id, a->id, a->workspace_id, job_title(j))));
	TRY(db_find(c,
	    ROWS(job_former,
		"SELECT u.email FROM user u WHERE u.id = ? AND u.email IS NOT NULL AND "
		INBOX_MAILED("job", "u.id")),
	    ARGS(former), &row));
	if (!row)
		return E_OK;
	m.to = row->email;
	m.values = (struct mail_values){ .by = principal_word(who),
		.what = job_title(j),
		.artifact = a->name,
		.link = mem_printf(c->mem, "/a/%s/jobs/%s", a->id, j->id),
		.stop = inbox_stop_path(c, "job", former) };
	if (a->workspace_id)
		TRY(branding_on_mail(c, a->workspace_id, &m.values));
	return tell(c, &m);
}

enum err
job_taken(struct ctx *c, const struct artifact *a, const struct job *j,
    const struct principal *who, const char *answers_id)
{
	if (str_eq(answers_id, j->created_by))
		return E_OK;
	if (a->workspace_id)
		TRY(audit_add(c, a->workspace_id, who,
		    &(struct audit){ .action = "job.taken",
			.type = "job",
			.id = j->id,
			.name = job_title(j),
			.before = audit_facts(c, "created_by", j->created_by),
			.after = audit_facts(c, "artifact|artifact_id|created_by", a->name,
			    a->id, answers_id) }));
	return j->created_by ? former_notify(c, a, j, who) : E_OK;
}
