/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mail.h"

#include "admin/cmd.h"
#include "base/str.h"

static enum err
cmd_test(struct cmd_call *call)
{
	struct smtp_reply reply;

	TRY(mail_test(call->c, call->with.args[0], &reply));
	printf("%s: %s\n",
	    reply.verdict == SMTP_SENT          ? "accepted"
		: reply.verdict == SMTP_REFUSED ? "refused"
						: "deferred",
	    reply.text);
	call->exit = reply.verdict != SMTP_SENT;
	return E_OK;
}

static enum err
cmd_failed(struct cmd_call *call)
{
	const struct mail_failed *f;
	struct list rows;

	TRY(mail_list_failed(call->c, &rows));
	f = rows.v;
	for (size_t i = 0; i < rows.n; i++, f++)
		printf("%s  %s  %s  %s  after %lld attempts: %s\n", f->id,
		    str_rfc3339(call->c->mem, f->failed_at), f->recipient, f->template,
		    (long long)f->attempts, f->reason);
	return E_OK;
}

const struct cmd mail_cmds[] = {
	{ "mail test", "ADDRESS", "send a test message and report the server's answer", cmd_test },
	{ "mail failed", "", "list the latest e-mails that were given up, and why", cmd_failed },
	{ 0 },
};
