/* SPDX-License-Identifier: Apache-2.0
 * The visibilities of an artifact: private, unlisted, public. Each admits everybody whom the one
 * before it admits. visibility.def says what each means. */
#ifndef VITRINE_VISIBILITY_H
#define VITRINE_VISIBILITY_H
#include <stdbool.h>

#define VISIBILITIES "public|unlisted|private"

/* True if a change between two visibilities admits more people. to NULL means no change: false. */
bool visibility_opens(const char *from, const char *to);
#endif
