/* SPDX-License-Identifier: Apache-2.0
 * The client's stored token: in $VITRINE_CREDENTIALS, else ~/.config/vitrine/credentials.json, with
 * mode 0600, as {"token": …, "url": …}. */
#ifndef VITRINE_CREDENTIALS_H
#define VITRINE_CREDENTIALS_H
#include "cli/cli.h"

/* Sets cli->url and cli->token if they aren't set: from the environment, then from the file. The
 * file's token is used for the file's url alone; for another url, sets cli->kept_for instead.
 * Returns false after saying that other users can read the file or own it. */
bool credentials_load(struct cli *);
/* Sets cli->token from the file, ignoring the environment; NULL if there is none. */
void credentials_use_kept(struct cli *);
/* Returns https://host:port in lower case, always with a port, for a valid url. */
const char *credentials_origin(struct cli *, const char *url);
bool credentials_token_valid(const char *token); /* visible ASCII, at most 255 bytes */
/* Returns the path of a file in the folder of the credentials. */
const char *credentials_beside(struct cli *, const char *name);
/* Writes a file with mode 0600, and creates its folders with mode 0700. Returns false after saying
 * why not. */
bool credentials_keep(struct cli *, const char *path, const struct buf *bytes);
bool credentials_url_valid(const char *url);            /* https:// and valid for str_http_url() */
bool credentials_save(struct cli *, const char *token); /* for cli->url; as credentials_keep() */
bool credentials_forget(struct cli *);                  /* removes the file; false with errno */
#endif
