/* SPDX-License-Identifier: Apache-2.0
 * Tells by its name how a published file is shown to people: site/fileview.h. */
#ifndef VITRINE_VIEWKIND_H
#define VITRINE_VIEWKIND_H
#include <stdbool.h>
#include <stddef.h>

enum view_kind {
	VIEW_NONE, /* a page, which needs no view */
	VIEW_MARKDOWN,
	VIEW_TABLE,
	VIEW_NOTEBOOK,
	VIEW_CODE,
	VIEW_JSON,
	VIEW_DIAGRAM,
	VIEW_DOC,
	VIEW_APP, /* of a version, not of a name: view_app_of() */
	VIEW_MEDIA, /* browsers show it */
	VIEW_FILE,
	VIEW_FOLDER
};
#define VIEW_KINDS "markdown|table|notebook|code|json|diagram|doc|app|media|file|folder"

enum view_kind view_kind_of(const char *path);
const char *view_kind_word(enum view_kind); /* one of VIEW_KINDS */
/* Returns what a file is, such as "Python" or "ZIP file", in owner's memory. */
const char *view_kind_said(void *owner, const char *path);
bool view_kind_is_book(const char *path); /* a workbook, whose sheets are tables */
/* True for kinds whose view reads better than the file does in a browser, so that a Markdown text's
 * links lead to it. */
bool view_kind_is_read(enum view_kind);

/* Returns which of the paths is the app of a version: index, main, App, or page (.tsx, .jsx), of
 * those nearest to the top; else the only one that ends like an app. Returns n if there is none. */
size_t view_app_of(const char *const *paths, size_t n);
/* Files whose bytes an app can import, and those of which it imports the address alone. */
bool view_app_reads(const char *path);
#define VIEW_APP_NAMES \
	"png|jpg|jpeg|gif|webp|avif|svg|ico|woff|woff2|ttf|otf|mp3|ogg|wav|mp4|webm|pdf"
bool view_app_names(const char *path);
#endif
