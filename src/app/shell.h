/* SPDX-License-Identifier: Apache-2.0
 * What the parts around a page show of the request: who is signed in, and in which workspace. */
#ifndef VITRINE_SHELL_H
#define VITRINE_SHELL_H
#include "http/req.h"

/* As far as it is known without asking the database. */
struct shell shell_of(const struct req *);
/* The same with the workspaces to switch to, and what waits for who is signed in. */
enum err shell_read(struct req *, struct shell *out);
#endif
