/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl's commands: a table of rows, one file a noun. */
#ifndef VITRINE_ADMIN_CMD_H
#define VITRINE_ADMIN_CMD_H
#include "base/ctx.h"
#include "base/usage.h"

struct cmd_call {
	struct ctx *c;
	struct usage with; /* what follows the words */
	int exit; /* set by commands that find problems without failing */
};

struct cmd {
	const char *words, *usage, *help; /* usage: as usage_read() has it */
	enum err (*run)(struct cmd_call *);
};

/* Where the migrations (sql/) and nginx's templates (nginx/) are: as installed, or as VITRINE_SHARE
 * says. */
const char *cmd_share_dir(void);

/* Each ends with words NULL. */
extern const struct cmd user_cmds[], token_cmds[], service_cmds[], nginx_cmds[], fsck_cmds[],
    doctor_cmds[], backup_cmds[], mail_cmds[];
/* The exit status: 0, 1 refused or failed, 64 usage, 78 configuration. */
int cmd_main(int argc, char **argv);
#endif
