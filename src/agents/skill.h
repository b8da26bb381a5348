/* SPDX-License-Identifier: Apache-2.0
 * The skill: one text that teaches an agent to work with Vitrine, by the Model Context Protocol or
 * by curl. We generate its addresses, limits, tools and commands. Source:
 * agentskills.io/specification; modelcontextprotocol/ext-skills, specification/stable (skills/list,
 * skills/get). */
#ifndef VITRINE_SKILL_H
#define VITRINE_SKILL_H
#include "base/buf.h"
#include "base/conf.h"

#define SKILL_NAME "vitrine"
#define SKILL_PATH "/skills/" SKILL_NAME "/SKILL.md"
#define SKILL_URI "skill://" SKILL_NAME "/SKILL.md"

/* Returns its purpose and when to use it, as a line that is a plain scalar of YAML. */
const char *skill_description(void *owner, const struct conf *);
const char *skill_text(void *owner, const struct conf *); /* SKILL.md, the same each time */
const char *skill_digest(void *owner, const char *text);  /* "sha256:…" */
/* Writes the skill's item for skills/list. */
void skill_entry_write(struct buf *, const struct conf *);
/* Write parts that /llms.txt has, too, in Markdown: how a program gets a token, and how it
 * publishes with curl. */
void skill_sign_in(struct buf *, const struct conf *);
void skill_publish(struct buf *, const struct conf *);
#endif
