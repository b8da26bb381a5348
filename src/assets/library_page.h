/* SPDX-License-Identifier: Apache-2.0
 * Shared by the pages of the library. */
#ifndef VITRINE_LIBRARY_PAGE_H
#define VITRINE_LIBRARY_PAGE_H
#include "assets/asset.h"
#include "http/req.h"

enum { CHOSEN_MOST = 50, FOLDER_ID_CHARS = 40 };

/* Files that were chosen in a list. */
#define CHOSEN_QUERY(F, T) \
	F(T, STRS, file, .item = K_ID, .arg = "dlv_", .hi = CHOSEN_MOST) \
	F(T, STR,  from, .hi = FOLDER_ID_CHARS, .doc = "The folder in whose list they were chosen")
SHAPE_DECLARE(chosen_query, CHOSEN_QUERY);

/* The address of the library's pages. */
const char *library_path(const struct req *);
/* Path of the library page of a folder; folder_id NULL means the top. */
const char *library_place(const struct req *, const char *folder_id);
/* The folder that a form says one came from; NULL: none. */
const char *library_from(const struct req *, const char *from);
/* Leads back to the list, of that folder or of none, with a notice. */
enum err library_back(struct req *, const char *folder_id, const char *done);
#endif
