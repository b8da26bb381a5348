/* SPDX-License-Identifier: Apache-2.0
 * The pages of an asset library, a workspace's or a person's own: its files, one file with its
 * versions, and the forms that add, change, and delete. */
#include "assets/library_page.h"

#include "assets/asset_api.h"
#include "assets/link.h"
#include "assets/upload.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/sniff.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/find.h"
#include "core/place.h"
#include "core/workspace.h"
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

/* The path of the library in the API. */
static const char *
library_api(const struct req *r)
{
	return r->ws ? mem_printf(r->c->mem, "/v1/workspaces/%s/assets", r->ws->id) : "/v1/assets";
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

static const char *
folder_param(const struct req *r)
{
	return strstr(r->route->path, "{fld}") ? req_param(r, "fld") : NULL;
}

/* ---- a file, as lists and its own page show it ---- */

/* Only a small picture is shown as its own preview. */
static const char *
picture_path(const struct req *r, const struct deliverable *d)
{
	if (file_is_thumbnail(d->mime_type, d->size))
		return mem_printf(r->c->mem, "/v1/files/%s/content", d->id);
	return d->previewed ? mem_printf(r->c->mem, "%s/deliverables/%s/preview", library_api(r),
				  d->id)
			    : NULL;
}

/* Adds the facts of a file that only pages show. */
static void
file_dress(const struct req *r, struct deliverable *d)
{
	d->kind = file_kind(d->mime_type);
	d->picture = picture_path(r, d);
}

/* ---- the list ---- */

#define LIBRARY_PAGE(F, T) \
	F(T, STR,  at,      .doc = "Path of the library's first page") \
	F(T, STR,  api,     .doc = "Path of the library in the API") \
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

/* Adds which links show each file, and with `placed` the folder that it is in. */
static enum err
files_dress(struct req *r, const struct list *files, bool placed)
{
	const char **ids = mem_array(r->c->mem, const char *, files->n + 1),
		   **folders = mem_array(r->c->mem, const char *, files->n + 1),
		   **paths = mem_array(r->c->mem, const char *, files->n + 1);
	int64_t *links = mem_array(r->c->mem, int64_t, files->n + 1);
	struct deliverable *d = files->v;

	for (size_t i = 0; i < files->n; i++) {
		ids[i] = d[i].id;
		folders[i] = d[i].folder_id;
	}
	TRY(links_of_files(r->c, ids, files->n, links));
	if (placed)
		TRY(folder_paths(r->c, folders, files->n, paths));
	for (size_t i = 0; i < files->n; i++) {
		file_dress(r, &d[i]);
		d[i].links = links[i];
		d[i].lies_in = paths[i];
	}
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
	return files_dress(r, &page->files, r->ws && ask.q);
}

static enum err
library_reply(struct req *r, struct folder *in)
{
	const struct library_query *q = r->query;
	struct library_page page = { .at = library_path(r),
		.api = library_api(r),
		.folder = in,
		.making = r->refused.row && str_ends(r->refused.row->path, "/folders"),
		.as_cards = req_with(r, "as", "cards", "as|done"),
		.as_list = req_with(r, "as", "list", "as|done"),
		.max_size = r->c->conf->max_asset_bytes };
	struct folder_step_list way;

	if (in) {
		TRY(folder_way(r->c, in->parent_id, &way));
		page.way = (struct list){ way.v, way.n };
	}
	if (r->ws && !q->cursor && !str_one_of(q->kind, FILE_KINDS))
		TRY(library_folders(r, q, &page));
	TRY(library_files(r, q, &page));
	return reply_page(r, 0, &page);
}

static enum err
h_library(struct req *r)
{
	return library_reply(r, NULL);
}

static enum err
h_library_folder(struct req *r)
{
	struct folder *f;

	TRY(folder_get(r->c, r->ws, r->who, req_param(r, "fld"), &f));
	return library_reply(r, f);
}

/* ---- to add ---- */

#define FILES_FORM(F, T) \
	F(T, STR, files) \
	F(T, STR, visibility)
SHAPE(files_form, FILES_FORM);

struct sent {
	struct asset_blob *v[FILES_AT_ONCE];
	size_t n;
	const char *visibility; /* NULL: as it is by itself */
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
files_take(struct req *r, struct sent *to)
{
	struct part *parts = mem_array(r->c->mem, struct part, FILES_AT_ONCE);
	size_t n;

	TRY(multipart_parse(r->c, req_env(r, "CONTENT_TYPE"), r->form, parts, FILES_AT_ONCE, &n));
	for (size_t i = 0; i < n; i++)
		TRY(part_take(r, &parts[i], to));
	return to->n ? E_OK : fail(r->c, E_INVALID, "files: choose one first");
}

static enum err
p_files(struct req *r)
{
	struct sent *sent = r->prepared = mem_new(r->c->mem, struct sent);

	TRY(files_ask(r));
	return sent_blame(r, files_take(r, sent));
}

/* The counters come last: they are locked until the commit. */
static enum err
files_count(struct req *r, const struct sent *sent)
{
	struct library l = asset_library(r);

	for (size_t i = 0; i < sent->n; i++)
		TRY(library_take(r->c, &l, sent->v[i]->size));
	return E_OK;
}

static enum err
h_files_upload(struct req *r)
{
	const struct sent *sent = r->prepared;
	struct library l = asset_library(r);
	struct upload u = upload_here(r);
	const char *folder_id = folder_param(r), *id;

	for (size_t i = 0; i < sent->n; i++) {
		TRY(upload_record(r->c, &u, sent->v[i]));
		TRY(deliverable_add(r->c, &l, r->who,
		    &(struct deliverable_new){ .blob_id = sent->v[i]->id,
			.visibility = sent->visibility,
			.folder_id = folder_id },
		    &id));
	}
	TRY(sent_blame(r, files_count(r, sent)));
	return library_back(r, folder_id, "uploaded");
}

/* ---- a file ---- */

#define FILE_PAGE(F, T) \
	F(T, OBJ,  file,    .sub = &deliverable_shape) \
	F(T, STR,  at) \
	F(T, STR,  api) \
	F(T, STR,  path,    .doc = "Of its bytes") \
	F(T, BOOL, shown,   .doc = "The page shows or plays it") \
	F(T, LIST, way,     .sub = &folder_step_shape, .doc = "The folders that it lies in") \
	F(T, LIST, versions, .sub = &deliverable_version_shape) \
	F(T, STR,  next) \
	F(T, INT,  max_size)
SHAPE(library_file_page, FILE_PAGE);

#define FILE_QUERY(F, T) \
	F(T, STR, done,   .hi = 40) \
	F(T, STR, cursor, .hi = 40)
SHAPE(file_query, FILE_QUERY);

static enum err
file_here(struct req *r, struct deliverable **out)
{
	struct library l = asset_library(r);

	return deliverable_get(r->c, &l, r->who, asset_deliverable(r), false, out);
}

static enum err
h_file(struct req *r)
{
	const struct file_query *q = r->query;
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
	file_dress(r, d);
	page = (struct library_file_page){ .file = d,
		.at = library_path(r),
		.api = library_api(r),
		.path = mem_printf(r->c->mem, "/v1/files/%s/content", d->id),
		.shown = sniff_shows(d->mime_type) &&
		    (!str_starts(d->mime_type, "image/") || d->size <= PICTURE_BYTES),
		.way = { way.v, way.n },
		.versions = { versions.v, versions.n },
		.next = req_next(r, next, NEXT_WITHOUT),
		.max_size = r->c->conf->max_asset_bytes };
	return reply_page(r, 0, &page);
}

/* ---- another version of it ---- */

static enum err
version_ask(struct req *r)
{
	struct deliverable *d;

	TRY(file_here(r, &d));
	return files_ask(r);
}

static enum err
p_version(struct req *r)
{
	struct deliverable *d;
	struct sent *sent;

	TRY(file_here(r, &d));
	TRY(p_files(r));
	sent = r->prepared;
	return sent->n == 1
	    ? E_OK
	    : fail(r->c, E_INVALID, "files: choose one; a version is a single file");
}

static enum err
h_version_upload(struct req *r)
{
	const struct sent *sent = r->prepared;
	struct library l = asset_library(r);
	struct upload u = upload_here(r);

	TRY(upload_record(r->c, &u, sent->v[0]));
	TRY(deliverable_add_version(r->c, &l, r->who, asset_deliverable(r),
	    &(struct deliverable_next){ .blob_id = sent->v[0]->id }));
	TRY(sent_blame(r, files_count(r, sent)));
	return reply_go(r, "%s/%s?done=version_added", library_path(r), asset_deliverable(r));
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
	return reply_redirect(r, "/shared?done=version_added");
}

/* ---- to delete, asked before: one, or several that were chosen ---- */

#define CHOSEN_FORM(F, T) \
	F(T, STRS, file, .flags = F_REQ, .item = K_ID, .arg = "dlv_", .lo = 1, .hi = CHOSEN_MOST) \
	F(T, STR,  from, .hi = FOLDER_ID_CHARS)
SHAPE(chosen_form, CHOSEN_FORM);

/* People other than the caller who lose a file. */
struct losers {
	bool shared, linked;
};

static enum err
chosen_read(struct req *r, const struct strs *ids, const char **names, struct losers *of)
{
	int64_t *links = mem_zalloc(r->c->mem, (ids->n + 1) * sizeof *links);
	struct library l = asset_library(r);
	struct deliverable_list files;

	TRY(deliverables_named(r->c, &l, r->who, ids, true, &files));
	for (size_t i = 0; i < files.n; i++) {
		const struct deliverable *d = &files.v[i];

		names[i] = d->name;
		of->shared = of->shared || str_eq(d->visibility, "workspace");
	}
	TRY(links_of_files(r->c, ids->v, ids->n, links));
	for (size_t i = 0; i < ids->n; i++)
		of->linked = of->linked || links[i];
	return E_OK;
}

static enum err
h_files_delete_ask(struct req *r)
{
	const struct chosen_query *q = r->query;
	const char **names = mem_array(r->c->mem, const char *, q->file.n + 1),
		   *from = library_from(r, q->from);
	struct losers of = { 0 };
	bool one = q->file.n == 1;

	if (!q->file.n)
		return library_back(r, from, "no_files_chosen");
	TRY(chosen_read(r, &q->file, names, &of));
	return reply_page(r, 0,
	    &(struct confirm_page){
		.question = one ? mem_printf(r->c->mem, "Delete %s?", names[0])
				: mem_printf(r->c->mem, "Delete %zu files?", q->file.n),
		.consequence = mem_printf(r->c->mem,
		    "%s%sAll versions go%s. %sThis can’t be undone.",
		    one ? "" : str_some(r->c->mem, names, q->file.n), one ? "" : ". ",
		    of.shared ? mem_printf(r->c->mem, ", for everyone in %s", r->ws->name) : "",
		    !of.linked ? ""
			: one  ? "Delivery links no longer show it. "
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
    .doc = "Upload files" }, \
  { PAGE(at "/delete", who_, confirm, h_files_delete_ask), .query = &chosen_query_shape, \
    .doc = "Asks whether to delete files" }, \
  { FORM(at "/delete", who_, chosen_form, h_files_delete), .again = at "/delete", \
    .doc = "Delete all of them, or none" }, \
  { PAGE(at "/" dlv, who_, library_file, h_file), .query = &file_query_shape, .opened = FIND_FILE, \
    .doc = "A file, and its versions" }, \
  { POST, at "/" dlv, asks, DOES("PATCH " api "/deliverables/" dlv), \
    .then = at "/" dlv "?done=saved", .again = at "/" dlv, \
    .doc = "Rename it, or change who sees it" }, \
  { POST, at "/" dlv "/versions", who_, \
    TAKES_FILES_AND(files_form), GIVES_REDIRECT,           h_version_upload, \
    .again = at "/" dlv, .slow = true, .max_body = BODY_ASSET, .judge = version_ask, \
    .prepare = p_version, .doc = "Upload another version" }, \
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
    .prepare = p_shared_version,
    .doc = "Upload another version of a file that is shared with you" },
  { PAGE(IN_FOLDER, WS_MEMBER, library, h_library_folder), .query = &library_query_shape,
    .doc = "The files in a folder" },
  { POST, IN_FOLDER,              WS_MEMBER,
    TAKES_FILES_AND(files_form), GIVES_REDIRECT,           h_files_upload,
    .again = IN_FOLDER, .slow = true, .max_body = BODY_ASSET, .judge = files_ask,
    .prepare = p_files, .doc = "Upload files to a folder" },
  { POST, OF_WORKSPACE "/folders", DOES("POST /v1/workspaces/{ws}/folders"),
    .then = OF_WORKSPACE "/folders/{id}?done=folder_made", .again = OF_WORKSPACE,
    .doc = "Create a folder" },
  { POST, IN_FOLDER "/folders", DOES("POST /v1/workspaces/{ws}/folders"),
    .then = OF_WORKSPACE "/folders/{id}?done=folder_made", .with = "parent_id={fld}",
    .again = IN_FOLDER, .doc = "Create a folder in a folder" },
};
ROUTES(library_page, "Pages: library",
    "What people see of an asset library in the browser, a workspace's and their own.");
