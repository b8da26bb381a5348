/* SPDX-License-Identifier: Apache-2.0
 * Shared by the pages of folders and by those that move things between them. */
#ifndef VITRINE_FOLDER_PAGE_H
#define VITRINE_FOLDER_PAGE_H
#include "http/req.h"
#include "team/folder.h"

/* The folder in the path. */
enum err folder_page_here(struct req *, struct folder **out);
/* Redirects to the folder's page (NULL: the workspace's), with a notice. */
enum err folder_page_back(struct req *, const char *folder_id, const char *done);
#endif
