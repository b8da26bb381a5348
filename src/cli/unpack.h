/* SPDX-License-Identifier: Apache-2.0
 * An archive as it is published: as the folder that was packed would be, so that what a folder
 * leaves out is left out here, too, and what was published before isn't sent again. */
#ifndef VITRINE_CLI_UNPACK_H
#define VITRINE_CLI_UNPACK_H
#include "cli/folder.h"

/* A regular file named .zip, .tar.gz or .tgz. */
bool unpack_is_archive(const char *place);
/* Its files are made ones (cli/folder.h), whose bytes lie on disk; a folder that holds all of them
 * is taken off their paths. It is read twice: what of it is published, and how large that is, is
 * known before anything is unpacked. The exit status, after saying why. */
int unpack_read(struct cli *, const char *place, struct folder *out);
/* The same of an archive that came by standard input as the only file of *out, which is left alone
 * if it is none. */
int unpack_stdin(struct cli *, struct folder *out);
/* "site" of "builds/site.tar.gz" */
const char *unpack_name(struct cli *, const char *place);
#endif
