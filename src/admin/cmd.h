/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl's commands: a table of rows, one file a noun. */
#ifndef VITRINE_ADMIN_CMD_H
#define VITRINE_ADMIN_CMD_H
#include "base/ctx.h"
#include "base/usage.h"

struct cmd_call {
	struct ctx *c;
	struct usage with; /* the arguments after the command's words */
	int exit; /* exit status of a command that finds problems without failing */
};

struct cmd {
	const char *words, *usage, *help; /* usage in the form of usage_read() */
	enum err (*run)(struct cmd_call *);
};

/* Why it failed, for the operator: without the places in our source that the log has, and with what
 * to do where the database knows its user by the socket and refuses this one. */
const char *cmd_why(struct ctx *c);
/* The folder of the migrations (sql/) and nginx's templates (nginx/): the installed one, or what
 * the environment variable VITRINE_SHARE says. */
const char *cmd_share_dir(void);

/* Each table ends with a row whose words are NULL. */
extern const struct cmd user_cmds[], token_cmds[], service_cmds[], nginx_cmds[],
    artifact_cmds[], fsck_cmds[], reproject_cmds[], doctor_cmds[], backup_cmds[], mail_cmds[],
    workspace_cmds[], billing_cmds[], ticket_cmds[], mcp_cmds[], reindex_cmds[], rekey_cmds[];
/* Projects everything (only NULL), mends what fsck would find of trees and links, and prints what
 * it did. What can't be done for one artifact is said on stderr, and is the failure in the end. */
enum err reproject(struct ctx *c, const char *only);
/* Carries out what was decided in the transaction, as a worker does after its commit. */
enum err effects_carry_out(struct ctx *c);
/* Brings stored addresses into the form in which they are compared; says on stderr which of them
 * can't be, because another row has that. */
enum err addresses_fold(struct ctx *c);
/* Takes the objects that are missing or damaged from a backup, and prints how many. */
enum err backup_objects_mend(struct ctx *c, const char *dir);
/* The command that a mail server runs for each mail: what it reads is a stranger's, so it is read
 * apart, and after a failure of any kind the mail server keeps the mail and tries again. */
enum err cmd_ticket_receive(struct cmd_call *);
/* Runs vitrinectl and returns its exit status: 0; 1 when the command failed or found problems; 64
 * for a usage error; 78 for a bad configuration. cmd_ticket_receive() has 75 for all of these. */
int cmd_main(int argc, char **argv);
#endif
