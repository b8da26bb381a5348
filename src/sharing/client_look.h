/* SPDX-License-Identifier: Apache-2.0
 * Facts about clients that pages show and the API doesn't: how much they have access to, when their
 * people were last active, what can be shared with them. Source: sharing/README.md. */
#ifndef VITRINE_CLIENT_LOOK_H
#define VITRINE_CLIENT_LOOK_H
#include "core/artifact.h"
#include "core/workspace.h"
#include "sharing/share_grant.h"
#include "sharing/sharee_act.h"
#include "sharing/sharee_member.h"

/* A client in the list of all. Expired grants don't count. */
#define CLIENT_LOOK(F, T) \
	F(T, ID,   id,        .arg = "shr_") \
	F(T, STR,  name) \
	F(T, STR,  logo,      .doc = "Last part of its address, or NULL") \
	F(T, INT,  people) \
	F(T, INT,  folders,   .doc = "That it was given, as are the next two") \
	F(T, INT,  artifacts) \
	F(T, INT,  files) \
	F(T, TIME, seen,      .doc = "When one of its people last did something; 0: long ago") \
	F(T, STR,  name_key)
SHAPE_DECLARE(client_look, CLIENT_LOOK);

enum { CLIENTS_A_PAGE = 50 };

/* Sorted by name. q: clients with this text in their name, or in an address of their people; NULL:
 * all. *next is NULL on the last page. */
enum err client_looks(struct ctx *c, const struct workspace *, const char *q, const char *cursor,
    struct client_look_list *out, const char **next);
enum err client_count(struct ctx *c, const struct workspace *, int64_t *n);

/* Views of a client's people. */
#define CLIENT_VIEWS(F, T) \
	F(T, INT, views) \
	F(T, INT, viewers)
SHAPE_DECLARE(client_views, CLIENT_VIEWS);
enum { CLIENT_VIEWS_DAYS = 30 };
enum err client_views(
    struct ctx *c, const char *client_id, const struct client_views **out);

/* seen[i] is when person i last did something in the workspace; 0: not in 90 days. */
enum err people_seen(struct ctx *c, const struct workspace *, const char *const *user_ids,
    size_t n, int64_t *seen);
/* clients gets the names of those that each of n people is in, of the workspace; NULL: none. */
enum err people_clients(struct ctx *c, const struct workspace *, const char *const *user_ids,
    size_t n, const char **clients);

/* A token of one of a client's people. */
#define CLIENT_TOKEN(F, T) \
	F(T, ID,   id,      .arg = "tok_") \
	F(T, ID,   user_id, .arg = "usr_") \
	F(T, STR,  name,    .doc = "NULL: it has none") \
	F(T, STR,  whose,   .doc = "Their name, or else their address") \
	F(T, STR,  hint) \
	F(T, INT,  scope_bits) \
	F(T, STRS, scopes,  .doc = "In words; for pages, which fill it") \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at, .doc = "0: it doesn't expire") \
	F(T, TIME, last_used_at) \
	F(T, TIME, revoked_at)
SHAPE_DECLARE(client_token, CLIENT_TOKEN);
/* Lists the newest first, expired ones too. *next is NULL on the last page. */
enum err client_tokens(struct ctx *c, const char *client_id, const struct page_query *,
    struct client_token_list *out, const char **next);

/* A file that the whole workspace sees, and that can therefore be shared. */
#define SHAREABLE_FILE(F, T) \
	F(T, ID,  id, .arg = "dlv_") \
	F(T, STR, name)
SHAPE_DECLARE(shareable_file, SHAREABLE_FILE);
/* Lists files with q in their names (NULL: all), newest first, at most `limit`. */
enum err shareable_files(struct ctx *c, const struct workspace *, const char *q, int64_t limit,
    struct shareable_file_list *out);

/* Lists what people outside did, each with the names of the clients that they are in. */
enum err client_acts(struct ctx *c, const struct workspace *, const struct page_query *,
    struct sharee_act_list *out, const char **next);
/* Lists grants to a client and to its people. A folder's resource_name is its path. */
enum err client_grants(struct ctx *c, const struct workspace *, const char *client_id,
    const struct page_query *, struct share_grant_list *out, const char **next);
/* Lists a client's people, each with when they last did something here. */
enum err client_people(struct ctx *c, const struct workspace *, const struct sharee *,
    const struct page_query *, struct sharee_member_list *out, const char **next);

enum { SHOWN_EACH = 20, THINGS_MOST = 3 * SHOWN_EACH };
/* capability: NULL, so that the first is chosen. */
#define SHARE_CHOICE(F, T) \
	F(T, WORD, resource_type, .arg = OUTSIDE_THINGS) \
	F(T, STR,  id) \
	F(T, STR,  name,       .doc = "Of a folder its path") \
	F(T, WORD, capability, .arg = CAPABILITIES) \
	F(T, BOOL, given,      .doc = "They have it already")
SHAPE_DECLARE(share_choice, SHARE_CHOICE);
struct share_choices {
	struct share_choice v[THINGS_MOST];
	size_t n;
	bool cut; /* there are more */
};
/* Lists folders, artifacts and files with q in their names (NULL: all) that may be shared. */
enum err client_choices(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct sharee *, const char *q, struct share_choices *out);
#endif
