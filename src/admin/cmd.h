/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl's commands: tables of rows, in a file for each noun. */
#ifndef VITRINE_ADMIN_CMD_H
#define VITRINE_ADMIN_CMD_H
#include "base/ctx.h"
#include "base/usage.h"

/* Rows leave out members that they don't need. */
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
	/* The mail server runs the command to hand over a mail. A stranger wrote the mail, so a
	 * process apart reads it; after any failure, the mail server must keep it and try again. */
	bool reads_mail, draws_views;
};

/* Returns why c failed, for the operator: without the source places that the log has, and with
 * advice if the database refuses the system's user. */
const char *cmd_why(struct ctx *c);

/* The tables of commands, x_cmds in a file for each noun; each ends with a row whose words are
 * NULL. */
#define CMD_TABLES(T) T(user) T(token) T(service) T(nginx) T(artifact) T(fsck) T(reproject) \
	T(doctor) T(archive) T(backup) T(mail) T(workspace) T(billing) T(ticket) T(mcp) T(reindex) \
	T(rekey) T(store) T(cluster) T(cluster_conf) T(cluster_join) \
	T(certificates) T(certificates_install)
#define CMD_DECLARE(noun) extern const struct cmd noun##_cmds[];
CMD_TABLES(CMD_DECLARE)
/* Projects the artifact with the id `only`; NULL: all artifacts, and repairs what fsck reports
 * about trees and links. Prints what it did. Goes on after a failure of one artifact, prints that
 * to standard error, and fails at the end. */
enum err reproject(struct ctx *c, const char *only);
/* Carries out c's effects, which the caller has committed. */
enum err effects_carry_out(struct ctx *c);
/* Rewrites stored addresses in the form in which they are compared. Prints those that can't be
 * rewritten, because another row has that form, to standard error. */
enum err addresses_fold(struct ctx *c);
/* Restores missing and damaged objects from a backup, or from the store if dir is "store", and
 * prints how many. */
enum err backup_objects_mend(struct ctx *c, const char *dir);
/* Runs vitrinectl and returns its exit status: 0; 1 if the command failed or found problems; 64 for
 * a usage error; 78 for a bad configuration; 75 for all failures of a command that reads_mail. */
int cmd_main(int argc, char **argv);
#endif
