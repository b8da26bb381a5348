/* SPDX-License-Identifier: Apache-2.0
 * What each of a client's pages shows beside its own (client-top.html), for the files that have
 * some of these pages. A page's shape begins with CLIENT_PAGE, and the struct that fills it with
 * CLIENT_PAGE_OF. Where the plan doesn't include sharing, each leads to the list of clients, which
 * says so. */
#ifndef VITRINE_CLIENT_PAGE_H
#define VITRINE_CLIENT_PAGE_H
#include "core/artifact_top_page.h"
#include "core/outside.h"
#include "sharing/sharee.h"
#include "team/workspace_page.h"

#define CLIENT_TABS "access|activity|notes|tokens|settings"

#define CLIENT_PAGE(F, T) \
	WS_PAGE(F, T) \
	F(T, ID,   client_id,   .arg = "shr_") \
	F(T, STR,  client_name) \
	F(T, URL,  client_logo) \
	F(T, STR,  letters) \
	F(T, STR,  at,          .doc = "Path of its first page") \
	F(T, WORD, tab,         .arg = CLIENT_TABS)
#define CLIENT_PAGE_OF(r, client, title_, tab_) \
	WS_PAGE_OF(r, title_), .client_id = (client)->id, .client_name = (client)->name, \
	.client_logo = ((const struct sharee_branding *)(client)->branding)->logo, \
	.letters = page_initials((r)->c->mem, (client)->name), .at = client_path(r), .tab = (tab_)

/* "/w/wsp_…/clients/shr_…", of a path with both. */
const char *client_path(const struct req *);
/* The client that the path names; *out is NULL where the plan doesn't include sharing, when the
 * reply leads to the page that says so. E_NOT_FOUND. */
enum err client_here(struct req *, struct sharee **out);
/* Leads back to one of the client's pages ("/notes"; "" is the first), with a notice. */
enum err client_back(struct req *, const char *page, const char *done);
/* Something that people outside did. */
#define CLIENT_ACT(F, T) \
	F(T, STR,  who) \
	F(T, STR,  letters) \
	F(T, WORD, action,  .arg = OUTSIDE_ACTIONS) \
	F(T, STR,  what) \
	F(T, STR,  path) \
	F(T, STR,  clients, .doc = "That the person is in, where the page is of several") \
	F(T, TIME, when)
SHAPE_DECLARE(client_act, CLIENT_ACT);
/* Where an admin finds what was shared. */
const char *client_thing_path(const struct req *, const char *type, const char *id);
#endif
