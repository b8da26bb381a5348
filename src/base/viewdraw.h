/* SPDX-License-Identifier: Apache-2.0
 * Draws the page that shows a published file: a thin bar with its name, facts, and links to the
 * file, then what the kind shows. The page depends on the name and the bytes alone (a table's on
 * its path, too), loads nothing but our own scripts, and runs none of its own. Pure functions. */
#ifndef VITRINE_VIEWDRAW_H
#define VITRINE_VIEWDRAW_H
#include "base/buf.h"
#include "base/ctx.h"
#include "base/viewkind.h"

enum {
	VIEW_TEXT_BYTES = 1 << 20,         /* a longer text is shown up to here */
	VIEW_NOTEBOOK_BYTES = (16 << 20) - 4096,
	VIEW_ROWS = 100,                   /* of a table */
	VIEW_COLUMNS = 1000,
	VIEW_TITLE_CHARS = 200
};

struct view_source {
	enum view_kind kind;
	const char *name; /* without folders */
	const char *path; /* in its version, if the view has links by it; NULL: it has none */
	int64_t size;     /* of the file */
	const char *text; /* its first n bytes, as UTF-8 and with a NUL behind; NULL: not text */
	size_t n;
	bool cut; /* the file has more than that */
	const char *charset; /* that the file is in; NULL: UTF-8 */
};
struct view_drawn {
	struct buf html;
	const char *title;
	const char *warning; /* for the publisher; NULL: none */
};

/* A folder's page. */
struct view_entry {
	const char *name; /* a folder's ends with a slash */
	const char *link; /* relative to the folder */
	int64_t size;     /* bytes of a file, files of a folder */
};
struct view_folder {
	const char *name; /* NULL: the top */
	bool below;       /* another folder holds it */
	const char *readme; /* HTML, or NULL; has_h1: with the page's heading */
	bool has_h1;
	const struct view_entry *v;
	size_t n, all;    /* entries of this page, of all pages */
	const char *before, *after; /* links to the pages beside this one, or NULL */
};

/* The number at the end is raised when the kind's output changes. */
const char *view_renderer(enum view_kind);
/* How many bytes of a file are needed to draw its view. */
size_t view_wants(enum view_kind, int64_t size);
/* True if the kind parses the file's bytes, which happens in a separate process (view_work()). */
bool view_parses(enum view_kind);
/* Never fails: what can't be laid out is shown as its text. */
void view_draw(struct ctx *c, const struct view_source *, struct view_drawn *out);
void view_draw_folder(void *owner, const struct view_folder *, struct view_drawn *out);

/* view_draw() for a separate process (ext/apart.h). view_order() writes what it reads, and
 * view_answer() reads what it writes; false if that is malformed. An order with `within` is for the
 * text, or the cells of a notebook, without a page around it. The title of a text is NULL if it has
 * no heading. */
void view_order(struct buf *, const struct view_source *, bool within);
bool view_answer(void *owner, const char *answer, size_t n, struct view_drawn *out);
enum err view_work(struct ctx *c, const char *in, size_t n, struct buf *out);

/* ---- for the files that draw kinds ---- */

struct view_head {
	const char *name, *title, *lang, *facts;
	const char *path; /* of the file; NULL: it is beside the page */
	bool h1;     /* the name in the bar is the page's heading */
	unsigned loads;
	bool forms;
};
enum {
	VIEW_SCRIPT = 1, /* nginx/page/view.js */
	VIEW_DRAWS = 2,  /* nginx/page/draw.js, which loads libraries */
	VIEW_WASM = 4,   /* one of them is WebAssembly */
	VIEW_ALONE = 8   /* pictures of other hosts are never loaded */
};
/* Returns what a text that markdown.h has made needs of them. */
unsigned view_html_loads(const char *html);
void view_begin(struct buf *, const struct view_head *);
/* Begins the view of a file whose name is its title. */
void view_begin_file(struct buf *, const struct view_source *, const char *facts, unsigned loads);
/* Returns a file's kind and size in words. */
const char *view_facts(void *owner, const struct view_source *);
void view_end(struct buf *);
/* Adds a paragraph that says how much of a file is shown, unless it is all. */
void view_cut_note(struct buf *, const struct view_source *, size_t shown);
/* Adds what markdown.h has made. */
void view_html_put(struct buf *, const char *html);
void view_markdown(struct ctx *c, const struct view_source *, struct view_drawn *out);
/* The text alone, for a folder's page. */
void view_readme(struct ctx *c, const struct view_source *, struct view_drawn *out);
/* Draws the lines of a text, with what draw.js makes of it before them if it is a diagram. */
void view_code(struct ctx *c, const struct view_source *, struct view_drawn *out);
/* Adds the lines of a text as items of a list, with the ids L1, L2 and so on if `ids`. Returns how
 * many. */
int64_t view_lines(struct buf *, const char *text, size_t n, bool ids);
/* False, and nothing is drawn, if the bytes aren't what the kind needs. */
bool view_json(struct ctx *c, const struct view_source *, struct view_drawn *out);
struct json;
/* Adds the shapes of GeoJSON; false if there are none. */
bool view_shapes(struct buf *, const struct json *);
bool view_table(struct ctx *c, const struct view_source *, struct view_drawn *out);
bool view_notebook(struct ctx *c, const struct view_source *, struct view_drawn *out);
/* The cells alone. */
bool view_cells(struct ctx *c, const struct view_source *, struct view_drawn *out);

/* The first rows of CSV or TSV, as data; base/viewtable.h has pages of them. Blank lines aren't
 * counted. */
struct view_row {
	const char **v;
	size_t n;   /* of v, at most VIEW_COLUMNS */
	size_t all; /* as the file has them */
};
struct view_rows {
	struct view_row head, *v;
	size_t n, all;
	bool whole;         /* all is how many there are */
	bool ragged, wide;  /* some have more or fewer values than head, or more than are shown */
	bool *numbers;      /* for each column: it has nothing else */
};
/* False if there is no row. */
bool view_rows_read(void *owner, const struct view_source *, struct view_rows *out);
#endif
