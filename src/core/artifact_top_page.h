/* SPDX-License-Identifier: Apache-2.0
 * The head and the tabs of each of an artifact’s pages (core/artifact-top.html). A page’s shape
 * begins with ARTIFACT_PAGE, and the struct that fills it with ARTIFACT_PAGE_OF. */
#ifndef VITRINE_ARTIFACT_TOP_PAGE_H
#define VITRINE_ARTIFACT_TOP_PAGE_H
#include "base/conf.h"
#include "core/artifact.h"
#include "core/workspace.h"
#include "http/req.h"

#define TABS "overview|versions|files|data|jobs|comments|sharing|settings"

/* A visibility to choose. */
#define VISIBILITY_CHOICE(F, T) \
	F(T, WORD, visibility, .arg = VISIBILITIES) \
	F(T, STR,  means) \
	F(T, BOOL, chosen)
SHAPE_DECLARE(visibility_choice, VISIBILITY_CHOICE);

#define ARTIFACT_PAGE(F, T) \
	F(T, OBJ,  art, .sub = &artifact_shape) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  artifact_name) \
	F(T, WORD, tab, .arg = TABS "|trash") \
	F(T, LIST, visibilities, .sub = &visibility_choice_shape) \
	F(T, STR,  done) \
	F(T, BOOL, is_new, .doc = "It was just published for the first time") \
	F(T, BOOL, may_edit) \
	F(T, BOOL, may_move, .doc = "They may put it into a folder of its workspace") \
	F(T, BOOL, may_open, .doc = "They may change who can open it") \
	F(T, INT,  trash_days)
#define ARTIFACT_PAGE_OF(r, tab_) \
	.art = (void *)(uintptr_t)(r)->art, .artifact_id = (r)->art->id, \
	.artifact_name = (r)->art->name, .tab = (tab_), .done = artifact_page_done(r), \
	.is_new = artifact_page_first(r), \
	.visibilities = artifact_page_visibilities(r), \
	.may_edit = role_rank((r)->art->role) >= ROLE_EDITOR, \
	.may_move = role_rank((r)->art->role) >= ROLE_EDITOR || \
	    member_rank((r)->art->workspace_role) >= MEMBER_ADMIN, \
	.may_open = role_rank((r)->art->role) == ROLE_OWNER && !(r)->art->deleted_at, \
	.trash_days = (r)->c->conf->trash_days

#define TAB_QUERY(F, T) \
	F(T, STR, done,   .hi = 40) \
	F(T, STR, cursor, .hi = 4096)
SHAPE_DECLARE(tab_query, TAB_QUERY);

/* The notice that `done` of the route's query stands for, whichever shape that has; NULL: none. */
const char *artifact_page_done(const struct req *);
bool artifact_page_first(const struct req *);
struct list artifact_page_visibilities(const struct req *);
/* Leads back to one of the artifact's pages ("/sharing"; "" is the overview), with a notice. */
enum err artifact_page_back(struct req *, const char *tab, const char *done);
#endif
