/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VITRINE_CLI_JOBADD_H
#define VITRINE_CLI_JOBADD_H
#include "cli/cli.h"

/* Writes the body of POST /v1/jobs by the command's options. Returns false after saying what is
 * wrong with them. */
bool jobadd_body(struct cli *, const char *artifact_id, struct buf *out);
/* Names the option instead of the body's member (http_req.reword). NULL if the error names no
 * member. */
const char *jobadd_reword(struct cli *, const char *error, const void *arg);
#endif
