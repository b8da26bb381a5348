/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VITRINE_CLI_JOBADD_H
#define VITRINE_CLI_JOBADD_H
#include "cli/cli.h"

/* Writes the body of POST /v1/jobs as the command's options say. false after saying what is wrong
 * with them. */
bool jobadd_body(struct cli *, const char *artifact_id, struct buf *out);
/* The service's error, which names members of that body, in terms of the options; NULL where it
 * names none. arg is not used. For http_req.told. */
const char *jobadd_told(struct cli *, const char *error, const void *arg);
#endif
