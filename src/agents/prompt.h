/* SPDX-License-Identifier: Apache-2.0
 * What a person can ask of an agent by a word, in programs that show prompts as commands. */
#ifndef VITRINE_PROMPT_H
#define VITRINE_PROMPT_H
#include "base/buf.h"
#include "base/json.h"

void prompts_write(struct buf *); /* as prompts/list has them */
/* The text of one, with its arguments; returns what is wrong, or NULL. */
const char *
prompt_write(struct ctx *c, const char *name, const struct json *arguments, struct buf *);
#endif
