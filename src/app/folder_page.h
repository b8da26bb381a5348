/* SPDX-License-Identifier: Apache-2.0
 * What the pages of folders share with those that move things between them. */
#ifndef VITRINE_FOLDER_PAGE_H
#define VITRINE_FOLDER_PAGE_H
#include "http/req.h"
#include "team/folder.h"

/* A refusal that is about another field than the form's, or about none, is told beside this one. */
enum err folder_page_beside(struct req *, const char *field, enum err);
/* The folder that the path names. */
enum err folder_page_here(struct req *, struct folder **out);
/* Leads back to the folder's page (NULL: the workspace's), with a notice. */
enum err folder_page_back(struct req *, const char *folder_id, const char *done);
/* What the folder at the path is called in a sentence; none ("" or NULL) is the top level. */
const char *folder_page_name(struct req *, const char *path);
#endif
