/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl's commands: tables of rows, in a file for each noun. */
#ifndef VITRINE_ADMIN_CMD_H
#define VITRINE_ADMIN_CMD_H
#include "base/ctx.h"
#include "base/usage.h"

/* Rows leave out act. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct cmd_call {
	struct ctx *c;
	const struct cmd *cmd;
	struct usage with; /* the arguments after the command's words */
	int exit;          /* exit status of a command that finds problems but doesn't fail */
};

struct cmd {
	const char *words, *usage, *help; /* usage: for usage_read() */
	enum err (*run)(struct cmd_call *);
	int act; /* which of several acts of run, or 0 */
};

/* Returns why c failed, for the operator: without the source places that the log has, and with
 * advice if the database refuses the system's user. */
const char *cmd_why(struct ctx *c);
/* Returns the folder with sql/ and nginx/: the installed one, or that of VITRINE_SHARE. */
const char *cmd_share_dir(void);

/* Each table ends with a row whose words are NULL. */
extern const struct cmd user_cmds[], token_cmds[], service_cmds[], nginx_cmds[],
    artifact_cmds[], fsck_cmds[], reproject_cmds[], doctor_cmds[], backup_cmds[], mail_cmds[],
    workspace_cmds[], billing_cmds[], ticket_cmds[], mcp_cmds[], reindex_cmds[], rekey_cmds[];
/* Projects the artifact with the id `only`; NULL: all artifacts, and repairs what fsck reports
 * about trees and links. Prints what it did. Goes on after a failure of one artifact, prints that
 * to standard error, and fails at the end. */
enum err reproject(struct ctx *c, const char *only);
/* Carries out c's effects, which the caller has committed. */
enum err effects_carry_out(struct ctx *c);
/* Rewrites stored addresses in the form in which they are compared. Prints those that can't be
 * rewritten, because another row has that form, to standard error. */
enum err addresses_fold(struct ctx *c);
/* Restores missing and damaged objects from a backup, and prints how many. */
enum err backup_objects_mend(struct ctx *c, const char *dir);
/* Reads a mail that the mail server hands over. A stranger wrote it, so a process apart reads it.
 * After any failure, the mail server must keep the mail and try again. */
enum err cmd_ticket_receive(struct cmd_call *);
/* Runs vitrinectl and returns its exit status: 0; 1 if the command failed or found problems; 64 for
 * a usage error; 78 for a bad configuration. For cmd_ticket_receive(), 75 in place of all failures.
 */
int cmd_main(int argc, char **argv);
#endif
