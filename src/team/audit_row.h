/* SPDX-License-Identifier: Apache-2.0
 * Rows of the audit as sentences (team/ws_audit.html): each begins with its actor, names its thing,
 * and links there while the thing is in the workspace. */
#ifndef VITRINE_AUDIT_ROW_H
#define VITRINE_AUDIT_ROW_H
#include "core/audit.h"
#include "core/workspace.h"

/* How one thing was before and after; NULL: it was not, or is not anymore. */
#define AUDIT_FACT_TOLD(F, T) \
	F(T, STR, fact) \
	F(T, STR, was) \
	F(T, STR, is)
SHAPE_DECLARE(audit_fact_told, AUDIT_FACT_TOLD);

#define AUDIT_ROW(F, T) \
	F(T, ID,   id, .arg = "aud_") \
	F(T, TIME, at) \
	F(T, STR,  exact, .doc = "The same to the minute") \
	F(T, ID,   actor_id, .arg = "usr_", .doc = "NULL: an operator, or the service itself") \
	F(T, STR,  actor) \
	F(T, BOOL, agent) \
	F(T, STR,  agent_name, .doc = "The connected agent that did it for them; NULL: none") \
	F(T, STR,  says, .doc = "What was done, as far as the target") \
	F(T, STR,  target, .doc = "NULL: the sentence names none") \
	F(T, STR,  href, .doc = "The target's page, or NULL") \
	F(T, STR,  ends, .doc = "What was done, behind the target") \
	F(T, STR,  action) \
	F(T, STR,  target_id) \
	F(T, STR,  address) \
	F(T, STR,  token_id) \
	F(T, STR,  request_id) \
	F(T, LIST, facts, .sub = &audit_fact_told_shape)
SHAPE_DECLARE(audit_row, AUDIT_ROW);

enum err audit_rows_tell(struct ctx *c, const struct workspace *, const struct audited_list *,
    struct audit_row_list *out);
#endif
