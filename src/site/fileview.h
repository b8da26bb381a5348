/* SPDX-License-Identifier: Apache-2.0
 * Views: pages that show the files of a version that has none of its own, or beside them. A view
 * isn't a file: it has a row of its own, its bytes are an object, and the version's tree has it
 * beside the files (site/treeplan.h). It is made when its version is published, before the
 * transaction, and stays as it is until somebody asks for it anew. base/viewdraw.h draws it. */
#ifndef VITRINE_FILEVIEW_H
#define VITRINE_FILEVIEW_H
#include "base/crypto.h"
#include "base/shape.h"
#include "base/viewkind.h"
#include "site/shownfile.h"
#include "site/versionrow.h"
#include "store/object.h"

#define FILE_VIEW(F, T) \
	F(T, STR,  path, .doc = "In the version, beside its files") \
	F(T, STR,  source, .wire = "of", \
		.doc = "The file that it shows; a folder ends with a slash, \"\" is the top") \
	F(T, WORD, kind, .arg = VIEW_KINDS) \
	F(T, STR,  renderer, .doc = "What made it") \
	F(T, STR,  sha256, .flags = F_HID) \
	F(T, INT,  size_bytes) \
	F(T, STR,  title) \
	F(T, STR,  problem, .flags = F_NUL, \
		.doc = "Why it shows the file as plain text, or only as a download") \
	F(T, TIME, made_at) \
	F(T, URL,  url, .flags = F_NUL, .doc = "null if the version has no address of its own")
SHAPE_DECLARE(file_view, FILE_VIEW);
#define FILE_VIEW_COLUMNS \
	"w.path, w.source, w.kind, w.renderer, w.sha256, w.size_bytes, w.title, w.problem," \
	" w.made_at"

/* Views of a version before, by path: those whose file, name and renderer are the same are taken
 * over. file_sha256 is NULL for a folder, and for a view with a problem. */
#define FORMER_VIEW(F, T) \
	F(T, STR, path) \
	F(T, STR, source) \
	F(T, STR, renderer) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes) \
	F(T, STR, title) \
	F(T, INT, made_at) \
	F(T, STR, file_sha256)
SHAPE_DECLARE(former_view, FORMER_VIEW);

struct fileviews {
	struct ctx *c;
	struct shown_file *files; /* that visitors can see, by path */
	size_t files_n;
	struct file_view *v;
	size_t n, room;
	const char *entry; /* the view that shows all, for "/"; NULL: none */
	int64_t made_at; /* 0: now */
	int64_t former_no; /* 0: none */
	struct former_view_list former;
	const struct former_view **taken; /* for each of v: where it is from, or NULL */
	struct strs *warnings;
};

#define VIEWS_WORDS "auto|all|off"
/* Decides which views there are, by paths alone: none with "off"; with "auto" none if a file is a
 * page, or names_entry. out->c must be set. Files that visitors can't see needn't be left out. */
void fileviews_plan(struct fileviews *out, const char *mode, bool names_entry,
    const struct shown_file *files, size_t n);
/* Draws the planned views and puts them into the batch, whose objects must have names. What exceeds
 * a bound, or can't be parsed, is shown as text or as a download, with a problem and a warning.
 * Fails as app_draw() does if there is an app that can't be built. */
enum err fileviews_make(struct fileviews *, struct batch *);
/* Draws those again that were taken over and whose objects are lost, which is noticed when a tree
 * can't link them. */
enum err fileviews_lost(struct fileviews *, struct batch *, bool *any);
/* Draws one again whose object was lost. */
enum err fileviews_again(struct fileviews *, struct batch *, struct file_view *);
/* Returns file_rows: those of the list, and the views. */
struct list fileviews_rows(struct fileviews *, const struct list *files);

/* Reads the views of a version, for fileviews_make(). */
enum err fileviews_former(struct fileviews *, const char *artifact_id, int64_t no);
/* Sets *mode to "all" if the version was published so and has pages of its own: then it has views,
 * and its entry page isn't one. Else NULL: its views are those of "auto". */
enum err fileviews_mode(struct ctx *c, const char *artifact_id, int64_t no, const char **mode);
enum err fileviews_insert(struct fileviews *, const char *artifact_id, int64_t no);
/* Draws views again whose objects are lost, and changes their rows if they come out differently.
 * files: file_rows of the version, all or some. */
enum err fileviews_mend(struct ctx *c, const struct version_row *, struct list *files);

struct view_drawn;
/* Draws the view of files[at], which needs neither a version nor (without a digest) an object. The
 * others are those that an app imports. *why: what is wrong with it, or NULL. Sets v's kind and
 * renderer. The file must not be a page. Fails as fileviews_make() does. */
enum err fileview_draw(struct ctx *c, const struct shown_file *files, size_t n, size_t at,
    struct file_view *v, struct view_drawn *out, const char **why);

struct view_source;
/* Reads as many bytes of a file as s->kind needs, as text. s->text stays NULL if it is none. */
enum err fileview_source(struct ctx *c, const struct shown_file *f, struct view_source *s);

/* Draws a Markdown text, or the cells of a notebook, without a page around it, in the process
 * apart. Fails as apart_run() does. */
enum err fileview_within(struct ctx *c, const struct view_source *, struct view_drawn *out);

struct artifact;
struct page_query;
enum err fileview_list(struct ctx *c, const struct artifact *a, int64_t no,
    const struct page_query *, struct list *out, const char **next);
/* Finds the file that a view shows; of a folder its README, or else the first file. E_NOT_FOUND. */
enum err fileview_shows(
    struct ctx *c, const char *artifact_id, int64_t no, const char *path, const char **file);
/* Draws all views of a version anew, as they would be made today. fileviews_replace()
 * then puts them in the place of the others, in a transaction. */
enum err fileviews_remake(
    struct ctx *c, const struct artifact *a, int64_t no, struct fileviews **out);
enum err fileviews_replace(struct fileviews *, const struct artifact *a, int64_t no);
#endif
