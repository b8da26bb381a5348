/* SPDX-License-Identifier: Apache-2.0 */
#include "data/exposure.h"
#include "http/req.h"

static enum err
h_exposure(struct req *r)
{
	struct exposure *out;

	TRY(exposure_get(r->c, r->art, r->who, &out));
	return reply_noun(r, out);
}

static const struct route exposure_routes[] = {
/* method  path                            who body           reply
 * handler */
  { GET,    "/v1/artifacts/{art}/exposure", DATA_EDIT,
    TAKES_NOTHING, GIVES("exposure", exposure), h_exposure,
    .scope = DATA_READ, .slow = true,
    .doc = "How much of its data strangers, the signed-in and members may read and write" },
};
ROUTES(exposure, "Exposure of data",
    "What an artifact's rules let people read and write of its data, counted by the rules.");
