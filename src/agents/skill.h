/* SPDX-License-Identifier: Apache-2.0
 * The skill: how to work with Vitrine, told to an agent in one text, over the Model Context
 * Protocol or, without it, with curl. Addresses, limits, tools and commands in it are made from
 * what stands elsewhere. Source: agentskills.io/specification;
 * modelcontextprotocol/ext-skills, specification/stable (skills/list, skills/get). */
#ifndef VITRINE_SKILL_H
#define VITRINE_SKILL_H
#include "base/buf.h"
#include "base/conf.h"

#define SKILL_NAME "vitrine"
#define SKILL_PATH "/skills/" SKILL_NAME "/SKILL.md"
#define SKILL_URI "skill://" SKILL_NAME "/SKILL.md"

/* What it is for and when to use it, in one line that is a plain scalar of YAML. */
const char *skill_description(void *owner, const struct conf *);
const char *skill_text(void *owner, const struct conf *); /* SKILL.md, the same each time */
const char *skill_digest(void *owner, const char *text);  /* "sha256:…" */
/* As skills/list has it. */
void skill_entry_write(struct buf *, const struct conf *);
/* Parts of it that /llms.txt has, too, in Markdown: how a program without a token gets one, and how
 * it publishes with curl. */
void skill_sign_in(struct buf *, const struct conf *);
void skill_publish(struct buf *, const struct conf *);
#endif
