/* SPDX-License-Identifier: Apache-2.0
 * A list of artifacts with its search (app/cards.html), on the first page of a user and on a
 * workspace's. */
#ifndef VITRINE_CARDS_H
#define VITRINE_CARDS_H
#include "core/artifact.h"
#include "http/req.h"

#define CARD_QUERY(F, T) \
	F(T, STR,  q,          .hi = 200) \
	F(T, STR,  visibility, .hi = 20) \
	F(T, BOOL, favorite) \
	F(T, STR,  cursor,     .hi = 200) \
	F(T, STR,  done,       .hi = 40)
SHAPE_DECLARE(card_query, CARD_QUERY);

/* An artifact in the list. */
#define CARD(F, T) \
	F(T, OBJ,  art, .sub = &artifact_shape) \
	F(T, INT,  views) \
	F(T, STR,  lies_in, .doc = "Path of its folder, in a search of a workspace") \
	F(T, BOOL, may_move, .doc = "Into a folder")
SHAPE_DECLARE(card, CARD);

#define CARDS(F, T) \
	F(T, BOOL, narrowed, .doc = "By what was searched for") \
	F(T, STR,  q) \
	F(T, STR,  visibility) \
	F(T, BOOL, favorite) \
	F(T, LIST, cards, .sub = &card_shape) \
	F(T, BOOL, movable, .doc = "Some of them may be moved") \
	F(T, INT,  view_days) \
	F(T, STR,  next, .doc = "Address of the next page, or NULL")
SHAPE_DECLARE(cards, CARDS);

/* Lists the artifacts of `which` that match the query, as a struct cards. */
enum err cards_list(
    struct req *, const struct card_query *, const struct artifact_query *which, void **out);
#endif
