/* SPDX-License-Identifier: Apache-2.0
 * Where the client keeps its token: $VITRINE_CREDENTIALS, else ~/.config/vitrine/credentials.json,
 * mode 0600, {"token": …, "url": …}. */
#ifndef VITRINE_CREDENTIALS_H
#define VITRINE_CREDENTIALS_H
#include "cli/cli.h"

/* Fills in cli->url and cli->token where they are not set: the environment first, then the file.
 * The file's token is for the file's address alone; with another it is left out and cli->kept_for
 * set. false after saying why: others can read it. */
bool credentials_load(struct cli *);
bool credentials_url_valid(const char *url); /* https://, as str_http_url() has it */
bool credentials_save(struct cli *, const char *token);
bool credentials_forget(struct cli *);
#endif
