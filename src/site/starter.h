/* SPDX-License-Identifier: Apache-2.0
 * Templates that people begin a page with: folders of files in etc/templates and in the setting
 * templates_dir, which wins where both have a name. A template's README.md is its title and
 * description. */
#ifndef VITRINE_STARTER_H
#define VITRINE_STARTER_H
#include "base/shape.h"

#define STARTER(F, T) \
	F(T, STR, name,        .doc = "Its name in paths", .eg = "guestbook") \
	F(T, STR, title,       .doc = "What it is, in a few words") \
	F(T, STR, description, .doc = "What the page does and needs") \
	F(T, INT, file_count)
SHAPE_DECLARE(starter, STARTER);

bool starter_name_fits(const char *name); /* lower case, digits and -, at most 40 bytes */
/* Lists the templates, by name. Skips a folder without a README.md, and says so in the log. */
enum err starters(struct ctx *c, struct list *out);
/* Finds the files of a template. E_NOT_FOUND if there is none of this name. */
struct starter_files;
enum err starter_find(struct ctx *c, const char *name, struct starter_files **out);
/* Writes the files as a .zip, as archive_zip_begin() does. */
enum err starter_zip(struct ctx *c, const struct starter_files *,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg);
#endif
