/* SPDX-License-Identifier: Apache-2.0
 * `vitrine table import`: a file becomes rows of a table by an import of the service, which reads
 * every line before it stores one. The command sends the file in pieces, asks at a terminal what
 * the file can't tell, and follows the import to its end. What was begun is stored beside the
 * credentials, in imports/, so the same command goes on after it was interrupted. */
#ifndef VITRINE_CLI_IMPORT_H
#define VITRINE_CLI_IMPORT_H
#include "cli/cli.h"

#define IMPORT_OPTIONS \
	{ "--mode MODE", "for import: create, add, upsert or replace (default: create, or add if " \
		"the table exists)" }, \
	{ "--key COLUMN", "for import: the column whose values differ; upsert finds rows by it " \
		"(default there: the table's key)" }, \
	{ "--answer ANSWERS", "for import: ID=CHOICE for its questions, with ; between them" }, \
	{ "--misfits leave_out|null", "for import: leave out lines that don't fit, or store null " \
		"for their values", .checked = true },

/* Imports FILE into TABLE. Returns EXIT_USAGE after printing the questions that are open. */
int import_file(struct cli *cli, const char *artifact_id, const char *path, const char *table);
#endif
