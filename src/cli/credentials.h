/* SPDX-License-Identifier: Apache-2.0
 * Where the client keeps its token: $VITRINE_CREDENTIALS, else ~/.config/vitrine/credentials.json,
 * mode 0600, {"token": …, "url": …}. */
#ifndef VITRINE_CREDENTIALS_H
#define VITRINE_CREDENTIALS_H
#include "cli/cli.h"

/* Fills in cli->url and cli->token where they are not set: the environment first, then the file.
 * The file's token is for the file's address alone; with another it is left out and cli->kept_for
 * set. false after saying why: others can read it, or have written it. */
bool credentials_load(struct cli *);
/* The file's token instead of the environment's, or none. */
void credentials_use_kept(struct cli *);
/* https://host:port, in lower case and with its port, of an address that is valid. */
const char *credentials_origin(struct cli *, const char *url);
bool credentials_token_valid(const char *token); /* visible ASCII, at most 255 */
const char *credentials_beside(struct cli *, const char *name); /* in the same folder */
/* Writes a file of mode 0600, and its folders, of mode 0700, where they are not. false after saying
 * why. */
bool credentials_keep(struct cli *, const char *path, const struct buf *bytes);
bool credentials_url_valid(const char *url); /* https://, as str_http_url() has it */
bool credentials_save(struct cli *, const char *token);
bool credentials_forget(struct cli *);
#endif
