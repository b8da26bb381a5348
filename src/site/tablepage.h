/* SPDX-License-Identifier: Apache-2.0
 * Further pages of a table, sorted ones, and what is found in one, on the artifact's own hosts:
 * /_vitrine/view/<path>?page=2&sort=-3&q=text&sheet=2. The first page is a view
 * (site/fileview.h). */
#ifndef VITRINE_SITE_TABLEPAGE_H
#define VITRINE_SITE_TABLEPAGE_H
#include "base/buf.h"
#include "base/ctx.h"

/* Draws the first page of a table's file or a workbook's first sheet, for its view. E_INVALID,
 * E_LIMIT_REACHED: the message says what is wrong. */
enum err tablepage_first(struct ctx *c, const char *sha256, int64_t size, const char *path,
    struct buf *html);
/* Draws the page of the file that the query asks for, or (json) writes its rows. *found is false,
 * and nothing is drawn, if the version has no table there that was shown as one. E_INVALID,
 * E_LIMIT_REACHED: the message says what is wrong. The caller has checked that the visitor may see
 * the version. */
enum err tablepage_make(struct ctx *c, const char *artifact_id, int64_t no, const char *path,
    const char *query, bool json, struct buf *out, bool *found);
#endif
