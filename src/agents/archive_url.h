/* SPDX-License-Identifier: Apache-2.0
 * Fetches an archive from an address, for agents that can't send bytes. */
#ifndef VITRINE_ARCHIVE_URL_H
#define VITRINE_ARCHIVE_URL_H
#include "agents/tool.h"

enum { ARCHIVE_URL_S = 60 };
/* Fetches the archive's bytes, which live until the request is over. For the slow pool. Fails with
 * E_INVALID if the address isn't https, or gives no 200 within ARCHIVE_URL_S (a redirect doesn't);
 * E_BODY_TOO_LARGE above max_archive_bytes; E_UNAVAILABLE and E_RATE_LIMITED as tool_outside(). */
enum err archive_url_fetch(struct call *, const char *url, struct span *out);
#endif
