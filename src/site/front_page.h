/* SPDX-License-Identifier: Apache-2.0
 * The front page on the host of a workspace's subdomain: its public artifacts. Other paths,
 * /<slug>/…, lead to the hosts of pages. For a path that can't be one, it says in the workspace's
 * colors that there is no such page. */
#ifndef VITRINE_FRONT_PAGE_H
#define VITRINE_FRONT_PAGE_H
#include "http/req.h"
#include "team/subdomain.h"

#define FRONT_PAGE(F, T) \
	F(T, OBJ,  brand,   .sub = &branding_shape) \
	F(T, BOOL, missing, .doc = "There is no page at the address that was asked for") \
	F(T, LIST, pages,   .sub = &front_art_shape) \
	F(T, STR,  older,   .doc = "Where the next pages are, or NULL")
SHAPE_DECLARE(front_page, FRONT_PAGE);

/* path and query as gate.c has read them. *here is false, without a reply, if the label is no
 * workspace's. */
enum err front_page_visit(
    struct req *r, const char *label, const char *path, const char *query, bool *here);
#endif
