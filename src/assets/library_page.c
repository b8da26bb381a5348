/* SPDX-License-Identifier: Apache-2.0
 * The pages of an asset library, a workspace's or a person's own: its files, one file with its
 * versions, and the forms that add, change, and delete. */
#include "assets/library_page.h"

#include "assets/asset_api.h"
#include "assets/file_look.h"
#include "assets/link.h"
#include "assets/upload.h"
#include "base/id.h"
#include "base/sniff.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/artifact_top_page.h"
#include "core/find.h"
#include "core/place.h"
#include "http/form.h"
#include "http/multipart.h"
#include "team/folder.h"

enum {
	FILES_A_PAGE = 24,
	FOLDERS_A_PAGE = 60,
	LOOSE_SHOWN = 20,
	VERSIONS_A_PAGE = 10,
	FILES_AT_ONCE = 100,
	PICTURE_BYTES = 40 << 20
};

SHAPE_DEFINE(chosen_query, CHOSEN_QUERY);

const char *
library_path(const struct req *r)
{
	return r->ws ? mem_printf(r->c->mem, "/w/%s/library", r->ws->id) : "/library";
}

const char *
library_place(const struct req *r, const char *folder_id)
{
	const char *at = library_path(r);

	return folder_id ? mem_printf(r->c->mem, "%s/folders/%s", at, folder_id) : at;
}

const char *
library_from(const struct req *r, const char *from)
{
	return r->ws && from && id_valid(from, "fld_") ? from : NULL;
}

enum err
library_back(struct req *r, const char *folder_id, const char *done)
{
	return reply_go(r, "%s?done=%s", library_place(r, folder_id), done);
}

/* ---- the list ---- */

#define LIBRARY_PAGE(F, T) \
	F(T, OBJ,  folder,  .sub = &folder_shape, .doc = "NULL: none") \
	F(T, LIST, way,     .sub = &folder_step_shape, .doc = "The folders that it lies in") \
	F(T, BOOL, making,  .doc = "The form for a new folder is open") \
	F(T, LIST, folders, .sub = &folder_shape) \
	F(T, STR,  more_folders) \
	F(T, STR,  as_cards) \
	F(T, STR,  as_list) \
	F(T, OBJ,  all,     .sub = &assets_shape) \
	F(T, LIST, files,   .sub = &deliverable_shape) \
	F(T, STR,  next) \
	F(T, LIST, loose,   .sub = &asset_blob_shape, .doc = "The first few") \
	F(T, INT,  percent) \
	F(T, INT,  max_size, .doc = "Of a file")
SHAPE(library_page, LIBRARY_PAGE);

#define LIBRARY_QUERY(F, T) \
	F(T, STR, q,      .hi = 100) \
	F(T, STR, kind,   .hi = 20) \
	F(T, STR, as,     .hi = 10) \
	F(T, STR, cursor, .hi = 40) \
	F(T, STR, after,  .hi = 8000, .doc = "Of the list of folders") \
	F(T, STR, done,   .hi = 40)
SHAPE(library_query, LIBRARY_QUERY);

static enum err
library_folders(struct req *r, const struct library_query *q, struct library_page *page)
{
	struct folder_query ask = { .limit = FOLDERS_A_PAGE,
		.cursor = q->after,
		.q = str_given(q->q) };
	const struct folder *in = page->folder;
	struct folder_list rows;
	const char *next;

	if (!ask.q)
		ask.parent_id = in ? in->id : FOLDER_TOP;
	TRY(folder_list(r->c, r->ws, r->who, &ask, &rows, &next));
	page->folders = (struct list){ rows.v, rows.n };
	if (next)
		page->more_folders = req_with(r, "after", next, "after|" NEXT_WITHOUT);
	return E_OK;
}

static enum err
library_files(struct req *r, const struct library_query *q, struct library_page *page)
{
	struct asset_query ask = { .limit = FILES_A_PAGE, .has.limit = GIVEN, .q = str_given(q->q),
		.kind = str_one_of(q->kind, FILE_KINDS), .cursor = q->cursor };
	struct assets *all = mem_new(r->c->mem, struct assets);
	struct library l = asset_library(r);
	const struct folder *in = page->folder;
	struct asset_blob *b;

	if (r->ws && !ask.q)
		ask.folder_id = in ? in->id : FOLDER_TOP;
	TRY(asset_list(r->c, &l, r->who, &ask, all));
	b = all->loose.v;
	page->all = all;
	page->files = all->deliverables;
	page->next = req_next(r, all->next_cursor, NEXT_WITHOUT);
	page->percent = 100 * all->used_bytes / all->limit_bytes;
	page->loose = (struct list){ b, all->loose.n < LOOSE_SHOWN ? all->loose.n : LOOSE_SHOWN };
	for (size_t i = 0; i < page->loose.n; i++)
		b[i].kind = file_kind(b[i].mime_type);
	return files_dress(r->c, r->ws, &page->files, r->ws && ask.q);
}

static enum err
h_library(struct req *r)
{
	const struct library_query *q = r->query;
	struct library_page page = {
		.making = r->refused.row && str_ends(r->refused.row->path, "/folders"),
		.as_cards = req_with(r, "as", "cards", "as|done"),
		.as_list = req_with(r, "as", "list", "as|done"),
		.max_size = r->c->conf->max_asset_bytes };
	struct folder_step_list way;
	struct folder *in;

	if (route_has_param(r->route, "fld")) {
		TRY(folder_get(r->c, r->ws, r->who, req_param(r, "fld"), &in));
		TRY(folder_way(r->c, in->parent_id, &way));
		page.folder = in;
		page.way = (struct list){ way.v, way.n };
	}
	if (r->ws && !q->cursor && !str_one_of(q->kind, FILE_KINDS))
		TRY(library_folders(r, q, &page));
	TRY(library_files(r, q, &page));
	return reply_page(r, 0, &page);
}

/* ---- to add: files, or a version of one ---- */

static enum err
file_here(struct req *r, struct deliverable **out)
{
	struct library l = asset_library(r);

	return deliverable_get(r->c, &l, r->who, asset_deliverable(r), false, out);
}

static bool
is_version(const struct req *r)
{
	return str_ends(r->route->path, "/versions");
}

#define FILES_FORM(F, T) \
	F(T, STR, files) \
	F(T, STR, visibility)
SHAPE(files_form, FILES_FORM);

struct sent {
	struct asset_blob *v[FILES_AT_ONCE];
	size_t n;
	const char *visibility; /* NULL: the default of a new asset */
};

/* Attributes a refusal of the files to their field. */
static enum err
sent_blame(struct req *r, enum err e)
{
	const char *why = r->c->message;

	if (why && (err_table[e].status == 400 || err_table[e].status == 413) &&
	    !str_starts(why, "files: "))
		r->c->message = mem_printf(r->c->mem, "files: %s", why);
	return e;
}

static enum err
files_ask(struct req *r)
{
	struct library l = asset_library(r);
	struct deliverable *d;

	if (is_version(r))
		TRY(file_here(r, &d));
	return sent_blame(r, library_room(r->c, &l, req_file_least(r)));
}

/* Treats the bytes as an upload that has no row. */
static struct upload
upload_here(const struct req *r)
{
	struct library l = asset_library(r);

	return (struct upload){ .bucket_id = l.bucket_id,
		.workspace_id = l.workspace_id,
		.user_id = r->who->user_id };
}

/* A browser sends a part without a name for an empty file field, and a path for files of a dropped
 * folder. */
static enum err
part_take(struct req *r, const struct part *p, struct sent *to)
{
	struct upload u = upload_here(r);
	const char *name = p->filename ? str_base(p->filename) : NULL, *text;

	if (str_eq(p->name, "visibility") && p->bytes.n == strlen("workspace")) {
		TRY(part_read(r->c, p, &text));
		to->visibility = str_eq(text, "workspace") ? "workspace" : NULL;
	}
	if (!name || !*name)
		return E_OK;
	TRY(filename_check(r->c, "files", name));
	u.filename = unicode_nfc(r->c->mem, name);
	return upload_store(r->c, &u, &p->bytes, NULL, &to->v[to->n++]);
}

static enum err
p_files(struct req *r)
{
	struct part *parts = mem_array(r->c->mem, struct part, FILES_AT_ONCE);
	struct sent *sent = r->prepared = mem_new(r->c->mem, struct sent);
	size_t n;

	TRY(files_ask(r));
	TRY(sent_blame(r, multipart_parse(r->c, req_env(r, "CONTENT_TYPE"), r->form, parts,
	    FILES_AT_ONCE, &n)));
	for (size_t i = 0; i < n; i++)
		TRY(sent_blame(r, part_take(r, &parts[i], sent)));
	if (!sent->n)
		return fail(r->c, E_INVALID, "files: choose one first");
	return is_version(r) && sent->n != 1
	    ? fail(r->c, E_INVALID, "files: choose one; a version is a single file")
	    : E_OK;
}

/* The counters come last: they are locked until the commit. */
static enum err
h_files_upload(struct req *r)
{
	const char *folder_id = route_has_param(r->route, "fld") ? req_param(r, "fld") : NULL, *id;
	const struct sent *sent = r->prepared;
	struct library l = asset_library(r);
	struct upload u = upload_here(r);

	for (size_t i = 0; i < sent->n; i++) {
		TRY(upload_record(r->c, &u, sent->v[i]));
		TRY(is_version(r)
			? deliverable_add_version(r->c, &l, r->who, asset_deliverable(r),
			      &(struct deliverable_next){ .blob_id = sent->v[i]->id })
			: deliverable_add(r->c, &l, r->who,
			      &(struct deliverable_new){ .blob_id = sent->v[i]->id,
				  .visibility = sent->visibility,
				  .folder_id = folder_id },
			      &id));
	}
	for (size_t i = 0; i < sent->n; i++)
		TRY(sent_blame(r, library_take(r->c, &l, sent->v[i]->size)));
	return form_done(r, NULL);
}

/* ---- a file ---- */

#define FILE_PAGE(F, T) \
	F(T, OBJ,  file,    .sub = &deliverable_shape) \
	F(T, BOOL, shown,   .doc = "The page shows or plays it") \
	F(T, LIST, way,     .sub = &folder_step_shape, .doc = "The folders that it lies in") \
	F(T, LIST, versions, .sub = &deliverable_version_shape) \
	F(T, STR,  next) \
	F(T, INT,  max_size)
SHAPE(library_file_page, FILE_PAGE);

static enum err
h_file(struct req *r)
{
	const struct tab_query *q = r->query;
	struct deliverable_version_list versions;
	struct folder_step_list way;
	struct library_file_page page;
	struct deliverable *d;
	const char *next;

	TRY(file_here(r, &d));
	TRY(folder_way(r->c, d->folder_id, &way));
	TRY(deliverable_versions(r->c, d,
	    &(struct page_query){ .limit = VERSIONS_A_PAGE, .cursor = q->cursor }, &versions,
	    &next));
	file_dress(r->c, r->ws, d);
	page = (struct library_file_page){ .file = d,
		.shown = sniff_shows(d->mime_type) &&
		    (!str_starts(d->mime_type, "image/") || d->size <= PICTURE_BYTES),
		.way = { way.v, way.n },
		.versions = { versions.v, versions.n },
		.next = req_next(r, next, NEXT_WITHOUT),
		.max_size = r->c->conf->max_asset_bytes };
	return reply_page(r, 0, &page);
}

/* ---- a version of one that is shared with somebody outside ---- */

static enum err
p_shared_version(struct req *r)
{
	struct part *parts = mem_array(r->c->mem, struct part, FILES_AT_ONCE), *one = NULL;
	size_t n, sent = 0;

	TRY(multipart_parse(r->c, req_env(r, "CONTENT_TYPE"), r->form, parts, FILES_AT_ONCE, &n));
	for (size_t i = 0; i < n; i++)
		if (parts[i].filename && *parts[i].filename) {
			one = &parts[i];
			sent++;
		}
	return sent == 1
	    ? asset_version_prepare(r, str_base(one->filename), &one->bytes, NULL)
	    : fail(r->c, E_INVALID, "Choose one file; a version is a single file");
}

static enum err
h_shared_version(struct req *r)
{
	struct deliverable *d;

	TRY(asset_version_record(r, &d));
	return form_done(r, NULL);
}

/* ---- to delete, asked before: one, or several that were chosen ---- */

#define CHOSEN_FORM(F, T) \
	F(T, STRS, file, .flags = F_REQ, .item = K_ID, .arg = "dlv_", .lo = 1, .hi = CHOSEN_MOST) \
	F(T, STR,  from, .hi = FOLDER_ID_CHARS)
SHAPE(chosen_form, CHOSEN_FORM);

static enum err
h_files_delete_ask(struct req *r)
{
	const struct chosen_query *q = r->query;
	const char **names = mem_array(r->c->mem, const char *, q->file.n + 1),
		   *from = library_from(r, q->from);
	int64_t *links = mem_zalloc(r->c->mem, (q->file.n + 1) * sizeof *links);
	bool one = q->file.n == 1, shared = false, linked = false;
	struct library l = asset_library(r);
	struct deliverable_list files;

	if (!q->file.n)
		return library_back(r, from, "no_files_chosen");
	TRY(deliverables_named(r->c, &l, r->who, &q->file, true, &files));
	TRY(links_of_files(r->c, q->file.v, q->file.n, links));
	for (size_t i = 0; i < files.n; i++) {
		names[i] = files.v[i].name;
		shared = shared || str_eq(files.v[i].visibility, "workspace");
		linked = linked || links[i];
	}
	return reply_page(r, 0,
	    &(struct confirm_page){
		.question = one ? mem_printf(r->c->mem, "Delete %s?", names[0])
				: mem_printf(r->c->mem, "Delete %zu files?", q->file.n),
		.consequence = mem_printf(r->c->mem,
		    "%s%sAll versions go%s. %sThis can’t be undone.",
		    one ? "" : str_some(r->c->mem, names, q->file.n), one ? "" : ". ",
		    shared ? mem_printf(r->c->mem, ", for everyone in %s", r->ws->name) : "",
		    !linked ? ""
			: one ? "Delivery links no longer show it. "
			      : "Delivery links no longer show them. "),
		.action = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?")),
		.verb = one ? "Delete file" : "Delete files",
		.field = from ? "from" : NULL,
		.value = from,
		.files = q->file,
		.back = library_place(r, from) });
}

/* Deletes all or none. */
static enum err
h_files_delete(struct req *r)
{
	const struct chosen_form *in = r->in;
	const char **ids = ids_in_order(r->c, in->file.v, in->file.n);
	struct library l = asset_library(r);

	for (size_t i = 0; i < in->file.n; i++)
		TRY(deliverable_delete(r->c, &l, r->who, ids[i]));
	return library_back(r, library_from(r, in->from), "gone");
}

static enum err
loose_find(struct req *r, struct shown *out)
{
	struct library l = asset_library(r);
	struct asset_blob *b;

	TRY(asset_blob_get(r->c, &l, r->who, asset_loose(r), &b));
	*out = SHOWN(asset_blob, b);
	return E_OK;
}

/* asks: who may send a form that runs a row of the API; PUBLIC: as that row says. */
#define LIBRARY_PAGES(at, api, who_, asks, dlv, loose) \
  { PAGE(at, who_, library, h_library), .query = &library_query_shape, \
    .doc = "The files of the library" }, \
  { POST, at,                     who_, \
    TAKES_FILES_AND(files_form), GIVES_REDIRECT,           h_files_upload, \
    .again = at, .slow = true, .max_body = BODY_ASSET, .judge = files_ask, .prepare = p_files, \
    .then = at "?done=uploaded", .doc = "Upload files" }, \
  { PAGE(at "/delete", who_, confirm, h_files_delete_ask), .query = &chosen_query_shape, \
    .doc = "Asks whether to delete files" }, \
  { FORM(at "/delete", who_, chosen_form, h_files_delete), .again = at "/delete", \
    .doc = "Delete all of them, or none" }, \
  { PAGE(at "/" dlv, who_, library_file, h_file), .query = &tab_query_shape, .opened = FIND_FILE, \
    .doc = "A file, and its versions" }, \
  { POST, at "/" dlv, asks, DOES("PATCH " api "/deliverables/" dlv), \
    .then = at "/" dlv "?done=saved", .again = at "/" dlv, \
    .doc = "Rename it, or change who sees it" }, \
  { POST, at "/" dlv "/versions", who_, \
    TAKES_FILES_AND(files_form), GIVES_REDIRECT,           h_files_upload, \
    .again = at "/" dlv, .slow = true, .max_body = BODY_ASSET, .judge = files_ask, \
    .prepare = p_files, .then = at "/" dlv "?done=version_added", \
    .doc = "Upload another version" }, \
  { POST, at "/loose/" loose, asks, DOES("POST " api "/deliverables"), \
    .then = at "/{id}?done=kept", .with = "blobId=" loose, .again = at, \
    .doc = "Keep a loose file in the library" }, \
  { POST, at "/loose/" loose "/delete", asks, DOES("DELETE " api "/blobs/" loose), \
    .ask = ASK("Delete {filename}?", "Only you can see it. This can’t be undone.", \
	"Delete file", at, .find = loose_find, .who = who_), \
    .then = at "?done=gone", .doc = "Delete it" }

#define OF_WORKSPACE "/w/{ws}/library"
#define IN_FOLDER OF_WORKSPACE "/folders/{fld}"
static const struct route library_page_routes[] = {
  LIBRARY_PAGES("/library", "/v1/assets", SESSION, SESSION, "{own_dlv}", "{own_loose}"),
  LIBRARY_PAGES(OF_WORKSPACE, "/v1/workspaces/{ws}/assets", WS_MEMBER, PUBLIC, "{dlv}", "{loose}"),
  { POST, "/shared/files/{dlv}",  SESSION,
    TAKES_FILES,                 GIVES_REDIRECT,           h_shared_version,
    .again = "/shared", .slow = true, .max_body = BODY_ASSET, .judge = asset_version_ask,
    .prepare = p_shared_version, .then = "/shared?done=version_added",
    .doc = "Upload another version of a file that is shared with you" },
  { PAGE(IN_FOLDER, WS_MEMBER, library, h_library), .query = &library_query_shape,
    .doc = "The files in a folder" },
  { POST, IN_FOLDER,              WS_MEMBER,
    TAKES_FILES_AND(files_form), GIVES_REDIRECT,           h_files_upload,
    .again = IN_FOLDER, .slow = true, .max_body = BODY_ASSET, .judge = files_ask,
    .prepare = p_files, .then = IN_FOLDER "?done=uploaded", .doc = "Upload files to a folder" },
  { POST, OF_WORKSPACE "/folders", DOES("POST /v1/workspaces/{ws}/folders"),
    .then = OF_WORKSPACE "/folders/{id}?done=folder_made", .again = OF_WORKSPACE,
    .doc = "Create a folder" },
  { POST, IN_FOLDER "/folders", DOES("POST /v1/workspaces/{ws}/folders"),
    .then = OF_WORKSPACE "/folders/{id}?done=folder_made", .with = "parent_id={fld}",
    .again = IN_FOLDER, .doc = "Create a folder in a folder" },
};
ROUTES(library_page, "Pages: library",
    "What people see of an asset library in the browser, a workspace's and their own.");
