/* SPDX-License-Identifier: Apache-2.0
 * Prompts: requests to an agent that programs show their users as commands. */
#ifndef VITRINE_PROMPT_H
#define VITRINE_PROMPT_H
#include "base/buf.h"
#include "base/json.h"

void prompts_write(struct buf *); /* the list for prompts/list */
/* Writes a prompt with its arguments. Returns what is wrong; NULL: nothing. */
const char *
prompt_write(struct ctx *c, const char *name, const struct json *arguments, struct buf *);
#endif
