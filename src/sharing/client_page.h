/* SPDX-License-Identifier: Apache-2.0
 * The part that every page of a client begins with (client-top.html). A page's own shape begins
 * with CLIENT_TOP, and the struct that fills it with CLIENT_TOP_OF. If the plan doesn't include
 * sharing, these pages redirect to the list of clients, which says so. */
#ifndef VITRINE_CLIENT_PAGE_H
#define VITRINE_CLIENT_PAGE_H
#include "core/artifact_top_page.h"
#include "core/outside.h"
#include "sharing/sharee.h"
#include "team/workspace_page.h"

#define CLIENT_TABS "access|activity|notes|tokens|settings"

#define CLIENT_TOP(F, T) \
	F(T, OBJ,  client, .sub = &sharee_shape) \
	F(T, WORD, tab,    .arg = CLIENT_TABS)
SHAPE_DECLARE(client_top, CLIENT_TOP);
#define CLIENT_TOP_OF(r, client_) .client = (client_), .tab = client_tab(r)
/* The tab that the request's path belongs to. */
const char *client_tab(const struct req *);
/* The handler of a page that shows the client and GETs of the API. */
enum err client_shows(struct req *);

/* Finds the client that the path names. *out is NULL if the plan doesn't include sharing; the reply
 * is a redirect then. E_NOT_FOUND. */
enum err client_here(struct req *, struct sharee **out);
#endif
