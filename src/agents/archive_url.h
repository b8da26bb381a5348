/* SPDX-License-Identifier: Apache-2.0
 * An archive at an address, for agents that can name a file and not send it. */
#ifndef VITRINE_ARCHIVE_URL_H
#define VITRINE_ARCHIVE_URL_H
#include "agents/tool.h"

enum { ARCHIVE_URL_S = 60 };
/* Its bytes, until the request is over. In the slow pool. E_INVALID for what isn't https or can't
 * be had within ARCHIVE_URL_S, a redirect being such, too; E_BODY_TOO_LARGE over the setting
 * max_archive_bytes; E_UNAVAILABLE and E_RATE_LIMITED as of tool_outside(). */
enum err archive_url_fetch(struct call *, const char *url, struct span *out);
#endif
