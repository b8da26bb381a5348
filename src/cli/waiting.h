/* SPDX-License-Identifier: Apache-2.0
 * Commands that wait until a list changes (WAIT_FIELDS in base/shape.h). */
#ifndef VITRINE_CLI_WAITING_H
#define VITRINE_CLI_WAITING_H
#include "cli/cli.h"

#define WAITING_OPTIONS(word) \
	{ "--since N", "the change_no that you know; default: the present one", .only = word }, \
	{ "--wait S", "give up after S seconds; default: never", .only = word }
/* Asks for the list at path, which has a query, until its change_no isn't --since, and prints it.
 * Returns EXIT_REFUSED if --wait is over. */
int waiting_run(struct cli *, const char *path, const char *list, const char *line);
#endif
