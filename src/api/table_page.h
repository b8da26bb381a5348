/* SPDX-License-Identifier: Apache-2.0
 * What the pages of tables share. */
#ifndef VITRINE_TABLE_PAGE_H
#define VITRINE_TABLE_PAGE_H
#include "http/req.h"

const char *table_page_path(const struct req *, const char *table); /* of its grid */
/* Whether a refusal is said on the page, beside what was typed: its person can mend it. */
bool table_page_tells(enum err);
#endif
