/* SPDX-License-Identifier: Apache-2.0
 * Shared by the API’s route of logos and by the page with their form. */
#ifndef VITRINE_API_LOGO_H
#define VITRINE_API_LOGO_H
#include "http/req.h"
#include "team/logo.h"

/* The image that came: a form's part "file", or the body as it is. */
enum err logo_sent(struct req *, struct span *out);
/* The prepare() of a route that takes an image: r->prepared is its object, for logo_set(). */
enum err logo_receive(struct req *);
/* Likewise, of at most so many bytes, which are kept as they are. */
enum err logo_receive_small(struct req *, int64_t most);
#endif
