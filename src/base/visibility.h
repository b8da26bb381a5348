/* SPDX-License-Identifier: Apache-2.0
 * The visibilities of an artifact, of which each lets in whom the ones before it do, and others:
 * private, unlisted, public. What each means stands in visibility.def. */
#ifndef VITRINE_VISIBILITY_H
#define VITRINE_VISIBILITY_H
#include <stdbool.h>

#define VISIBILITIES "public|unlisted|private"

/* Whether a change from one visibility to another opens what was closed; to NULL: it stays. */
bool visibility_opens(const char *from, const char *to);
#endif
