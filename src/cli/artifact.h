/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VITRINE_CLI_ARTIFACT_H
#define VITRINE_CLI_ARTIFACT_H
#include "cli/cli.h"

/* Says who can open an artifact with this visibility; NULL is a new artifact's. audience: the
 * service's own words, or "". team: the artifact is in a workspace. */
void visibility_explain(
    const struct cli *, const char *visibility, const char *audience, bool team);
/* Prints what went wrong on a page, a list of the API's. Returns how many lines that are. */
size_t problems_print(struct cli *, const struct json *of, const char *list,
    void (*print)(const char *fmt, ...));
/* Names the option instead of the API's member (http_req.reword). NULL if no option set it. */
const char *artifact_reword(struct cli *, const char *error, const void *arg);
#endif
