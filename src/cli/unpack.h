/* SPDX-License-Identifier: Apache-2.0
 * Reads an archive that is to be published as the folder that was packed: what a folder leaves out
 * is left out, and bytes that the service has aren't sent again. */
#ifndef VITRINE_CLI_UNPACK_H
#define VITRINE_CLI_UNPACK_H
#include "cli/folder.h"

/* True for a regular file named .zip, .tar.gz or .tgz. */
bool unpack_is_archive(const char *place);
/* Unpacks the archive to a temporary file and sets *out to its files (folder_file.made). Removes a
 * folder that contains all files from their paths. Reads the archive twice: the first time tells
 * what is published and how large it is, before anything is unpacked. Refuses what is larger than
 * the service accepts or, if the command has none (cli->url), 2 GiB. Returns the exit status, after
 * saying why. */
int unpack_read(struct cli *, const char *place, struct folder *out);
/* Unpacks standard input if that is an archive. *out: its only file is standard input. */
int unpack_stdin(struct cli *, struct folder *out);
/* Returns an archive's name: "site" of "builds/site.tar.gz". */
const char *unpack_name(struct cli *, const char *place);
#endif
