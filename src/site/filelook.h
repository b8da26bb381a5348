/* SPDX-License-Identifier: Apache-2.0
 * Folders and files of a version for the Files tab, and one file as text, table, notebook, picture,
 * or sound. Bytes of a file become text of our own template, or lead to the route that sends them
 * as a download. */
#ifndef VITRINE_FILELOOK_H
#define VITRINE_FILELOOK_H
#include "base/viewdraw.h"
#include "site/version.h"

#define FILE_ENTRY(F, T) \
	F(T, STR,  path) \
	F(T, STR,  name) \
	F(T, BOOL, is_folder) \
	F(T, INT,  files, .doc = "In a folder and below it") \
	F(T, INT,  size_bytes) \
	F(T, INT,  changed_in, .doc = "The version that it is as since; 0: not known") \
	F(T, TIME, changed_at) \
	F(T, INT,  depth, .doc = "In the tree, from 1") \
	F(T, BOOL, open,  .doc = "In the tree: what is in it follows") \
	F(T, BOOL, here,  .doc = "In the tree: the page is of it")
SHAPE_DECLARE(file_entry, FILE_ENTRY);

/* folder is "", or ends with a slash. Lists what it holds, folders first. */
enum err file_entries(struct ctx *c, const struct artifact *a, int64_t no, const char *folder,
    const char *cursor, struct list *out, const char **next);
/* Lists files whose path contains q, in upper or lower case. */
enum err file_entries_found(struct ctx *c, const struct artifact *a, int64_t no, const char *q,
    const char *cursor, struct list *out, const char **next);
/* Sets which version each file last changed in, as far as the CHANGED_VERSIONS before it tell. */
enum { CHANGED_VERSIONS = 200 };
enum err file_entries_changed(
    struct ctx *c, const struct artifact *a, int64_t no, struct list *entries);
/* Lists the folders that lead to `path`, each with the folders in it, then the files beside it if
 * it is a file. */
enum err file_tree(struct ctx *c, const struct artifact *a, int64_t no, const char *path,
    bool is_file, struct list *out);
/* Finds the README of a folder. *out is NULL if there is none. */
enum err file_readme(struct ctx *c, const struct artifact *a, const struct version *v,
    const char *folder, struct version_file **out);

#define LOOK_CELL(F, T) \
	F(T, STR,  cell) \
	F(T, BOOL, number)
SHAPE_DECLARE(look_cell, LOOK_CELL);
#define LOOK_ROW(F, T) \
	F(T, INT,  row_no) \
	F(T, LIST, cells, .sub = &look_cell_shape)
SHAPE_DECLARE(look_row, LOOK_ROW);

#define LOOKS "text|markdown|table|notebook|picture|sound|film|none"
#define FILE_LOOK(F, T) \
	F(T, STR,  path) \
	F(T, STR,  name) \
	F(T, STR,  words,      .doc = "What it is, such as Python") \
	F(T, INT,  size_bytes) \
	F(T, URL,  url,        .doc = "Of its bytes on the content host, or NULL") \
	F(T, URL,  view_url,   .doc = "Of its view there, or NULL") \
	F(T, BOOL, is_page) \
	F(T, WORD, look,       .arg = LOOKS) \
	F(T, BOOL, reviewed,   .doc = "The review view shows it, with its remarks") \
	F(T, BOOL, has_plain,  .doc = "It can be shown as text instead") \
	F(T, BOOL, plain,      .doc = "It is, because somebody asked") \
	F(T, STR,  text,       .doc = "As UTF-8; of Markdown, with its links led to this tab; " \
		"of a notebook, HTML for a frame in which nothing runs") \
	F(T, INT,  lines) \
	F(T, INT,  shown,      .doc = "Bytes, if it is cut") \
	F(T, STR,  charset,    .doc = "If that isn't UTF-8") \
	F(T, LIST, columns,    .sub = &look_cell_shape) \
	F(T, LIST, rows,       .sub = &look_row_shape) \
	F(T, INT,  rows_all,   .doc = "0: there are more than were read") \
	F(T, BOOL, more_rows) \
	F(T, BOOL, wide,       .doc = "Only the first columns are shown") \
	F(T, BOOL, ragged) \
	F(T, BOOL, is_text,    .doc = "It can be edited here") \
	F(T, BOOL, imports,    .doc = "It can become a table")
SHAPE_DECLARE(file_look, FILE_LOOK);

/* How a file's page leads to others: the artifact, and what the address of a version ends with. */
struct look_at {
	const struct artifact *a;
	struct version *v;
	const char *query; /* "?version=3", or "" */
};
/* Reads a file for its page. plain: as text if it is one. */
enum err file_look_read(struct ctx *c, const struct look_at *at, const struct version_file *f,
    bool plain, struct file_look **out);
#endif
