/* SPDX-License-Identifier: Apache-2.0
 * The head and the tabs of each of an artifact's pages (core/artifact-top.html), whose values are
 * in the shell (http/page.h). */
#ifndef VITRINE_ARTIFACT_TOP_PAGE_H
#define VITRINE_ARTIFACT_TOP_PAGE_H
#include "base/conf.h"
#include "core/artifact.h"
#include "core/workspace.h"
#include "http/req.h"

#define TABS "overview|versions|files|data|jobs|comments|sharing|settings"

/* A visibility that the owner can choose. */
#define VISIBILITY_CHOICE(F, T) \
	F(T, WORD, visibility, .arg = VISIBILITIES) \
	F(T, STR,  means) \
	F(T, BOOL, chosen)
SHAPE_DECLARE(visibility_choice, VISIBILITY_CHOICE);

#define TAB_QUERY(F, T) \
	F(T, STR, done,   .hi = 40) \
	F(T, STR, cursor, .hi = 4096)
SHAPE_DECLARE(tab_query, TAB_QUERY);
/* The query of a page with a list that people can search. */
#define LIST_QUERY(F, T) \
	TAB_QUERY(F, T) \
	F(T, STR, q, .hi = 200)
SHAPE_DECLARE(list_query, LIST_QUERY);

/* Returns the notice for the word `done` of the route's query, whatever that query's shape; NULL if
 * none. */
const char *artifact_page_done(const struct req *);
bool artifact_page_first(const struct req *);
struct list artifact_page_visibilities(const struct req *);
#endif
