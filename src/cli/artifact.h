/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VITRINE_CLI_ARTIFACT_H
#define VITRINE_CLI_ARTIFACT_H
#include "cli/cli.h"

/* Says who can open what has this visibility; NULL is that of a new artifact. audience: as the
 * service says it; "": unknown. team: it is of a workspace. */
void visibility_explain(
    const struct cli *, const char *visibility, const char *audience, bool team);
/* What the client says (http_req.told) where the service finds fault with what an option said. */
const char *artifact_told(struct cli *, const char *error, const void *arg);
#endif
