/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VITRINE_CLI_JOBADD_H
#define VITRINE_CLI_JOBADD_H
#include "cli/cli.h"

/* Writes the body of POST /v1/jobs as the command's options say. false after saying what is wrong
 * with them. */
bool jobadd_body(struct cli *, const char *artifact_id, struct buf *out);
#endif
