/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/upload.h"

#include "base/crypto.h"
#include "base/id.h"
#include "base/str.h"
#include "cli/credentials.h"
#include "cli/file.h"

#include <limits.h>
#include <unistd.h>

/* After a lost connection, at most one piece is sent twice. */
enum { PIECE_BYTES = 8 << 20, KEPT_BYTES = 32768 };
#define CHANGED "%s: changed while it was being sent; send it again"

struct sending {
	struct cli *cli;
	const char *library, *path; /* path: the file's, as it was typed */
	struct http_file file;
	struct stat was;
	const char *sha256;
	const char *what;  /* the file's size, time and digest as a text */
	const char *kept;  /* the file that stores the upload */
	const char *at;    /* the upload's path at the service; NULL: there is none yet */
	const char *blob_id; /* NULL until the service has all bytes */
	int64_t received;
	bool resumed; /* an earlier command began the upload */
	bool noted;   /* the user knows how far that came */
	bool anew;    /* the upload has expired once; a second time is a failure */
	bool wrong;   /* the bytes don't match the announced digest */
};

/* ---- the file ---- */

bool
upload_unchanged(const struct http_file *file, const struct stat *was)
{
	struct stat st;

	return fstat(file->fd, &st) == 0 && st.st_size == was->st_size &&
	    st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

const char *
upload_what(struct cli *cli, const struct http_file *file, const struct stat *was)
{
	return mem_printf(cli->c->mem, "%lld %lld.%09ld", (long long)file->n,
	    (long long)was->st_mtim.tv_sec, was->st_mtim.tv_nsec);
}

static int
file_digest(struct sending *s)
{
	struct sha256 *h = crypto_sha256_begin(s->cli->c->mem);
	uint8_t digest[SHA256_BYTES];
	char chunk[65536];
	int64_t at = 0;
	ssize_t got;

	while (at < s->file.n && (got = pread(s->file.fd, chunk, sizeof chunk, at)) > 0) {
		crypto_sha256_add(h, chunk, (size_t)got);
		at += got;
		if (s->file.n > PIECE_BYTES)
			cli_progress(s->cli, "reading", at, s->file.n);
	}
	cli_progress(s->cli, "", 1, 1);
	if (at != s->file.n)
		return cli_fail("%s: can't be read to its end", s->path);
	crypto_sha256_end(h, digest);
	s->sha256 = crypto_hex(s->cli->c->mem, digest, sizeof digest);
	return EXIT_FINE;
}

/* ---- the stored upload ---- */

const char *
upload_kept(struct cli *cli, const char *folder, const char *where, const char *path)
{
	void *mem = cli->c->mem;
	const char *real = path, *whole;
	uint8_t name[SHA256_BYTES];

	/* Standard input stays "-". */
	if (!str_eq(path, "-") && !(real = realpath(path, mem_zalloc(mem, PATH_MAX)))) {
		cli_fail("%s: is gone", path);
		return NULL;
	}
	whole = mem_printf(mem, "%s%s %s", credentials_origin(cli, cli->url), where, real);
	crypto_sha256(whole, strlen(whole), name);
	return credentials_beside(cli,
	    mem_printf(mem, "%s/%s.json", folder, crypto_hex(mem, name, sizeof name)));
}

const struct json *
upload_kept_read(struct cli *cli, const char *kept)
{
	const char *text;
	struct json *tree;
	struct stat st;
	size_t n;

	if (!cli_file_read(cli, kept, KEPT_BYTES, &st, &text, &n) || !text ||
	    st.st_uid != geteuid() || st.st_mode & 077 ||
	    json_parse(cli->c, text, n, &tree) != E_OK)
		return NULL;
	return tree;
}

const char *
upload_path(const char *url, const char *before, const char *prefix)
{
	const char *at = strstr(url, before);

	return at && token_valid(at + strlen(before), prefix) ? at : NULL;
}

static const char *
bytes_path(const char *url)
{
	return upload_path(url, "/v1/uploads/", "upt_");
}

/* Deletes an upload whose file has changed since, to free its room at the service. */
static void
upload_delete(struct sending *s)
{
	struct http_req req = { .method = "DELETE", .path = s->at, .save_fd = -1, .once = true };
	struct http_res res;

	http_send(s->cli, &req, "NOT_FOUND|CONFLICT", &res);
	unlink(s->kept);
	s->at = NULL;
}

void
upload_forget(const struct uploaded *u)
{
	unlink(u->kept);
}

/* ---- the upload ---- */

static int
upload_make(struct sending *s)
{
	struct buf body = BUF(s->cli->c->mem), kept;
	struct http_res res;
	int status;

	buf_chr(&body, '{');
	json_add(&body, "filename", str_base(s->path));
	json_key(&body, "size");
	buf_fmt(&body, "%lld", (long long)s->file.n);
	json_add(&body, "sha256", s->sha256);
	buf_chr(&body, '}');
	status = http_json(
	    s->cli, "POST", mem_printf(s->cli->c->mem, "%s/upload", s->library), &body, NULL, &res);
	if (status)
		return status;
	s->at = bytes_path(json_member(res.json, "uploadUrl"));
	if (!s->at)
		return cli_fail("%s didn't return an address to send a file to", s->cli->url);
	s->received = 0;
	kept = json_object_of(s->cli->c->mem, "file", s->what, "path", s->at, NULL);
	buf_chr(&kept, '\n');
	if (!credentials_keep(s->cli, s->kept, &kept))
		cli_note("  if this is interrupted, it begins again");
	return EXIT_FINE;
}

static int
progress_read(struct sending *s, const struct json *reply)
{
	const char *id = json_member(reply, "blobId");

	s->received = json_number(reply, "received");
	if (id_valid(id, "blb_"))
		s->blob_id = mem_strdup(s->cli->c->mem, id);
	else if (s->received < 0 || (s->received && s->received >= s->file.n))
		return cli_fail("%s: the service returned an impossible size", s->path);
	return EXIT_FINE;
}

/* Asks how much the service has. Begins an expired upload anew, once. */
static int
received_ask(struct sending *s, struct http_res *res)
{
	struct http_req req = { .method = "GET", .path = s->at, .save_fd = -1, .once = true };
	void *mem = s->cli->c->mem;
	int status = http_send(s->cli, &req, s->anew ? NULL : "NOT_FOUND", res);
	if (!status && !(status = progress_read(s, res->json))) {
		if (s->resumed && s->received && !s->noted && !s->cli->quiet)
			cli_note("%s: %s of %s are there already", s->path,
			    str_amount(mem, s->received), str_amount(mem, s->file.n));
		s->noted = true;
	}
	if (res->status != 404 || s->anew)
		return status;
	s->anew = true;
	s->resumed = false;
	unlink(s->kept);
	s->at = NULL;
	return EXIT_FINE;
}

/* The service compares the digest of the received bytes with the announced one. */
static const char *
sent_reword(struct cli *cli, const char *error, const void *path)
{
	return str_starts(error, "sha256:") ? mem_printf(cli->c->mem, CHANGED, (const char *)path)
					    : NULL;
}

/* Sends the next piece; a small file in one piece. */
static int
piece_send(struct sending *s, struct http_res *res)
{
	int64_t left = s->file.n - s->received;
	struct http_file piece = { .fd = s->file.fd,
		.at = s->received,
		.n = left < PIECE_BYTES ? left : PIECE_BYTES,
		.all = s->file.n > PIECE_BYTES ? s->file.n : 0 };
	struct http_req req = { .method = "PUT",
		.path = s->at,
		.file = &piece,
		.save_fd = -1,
		.reword = sent_reword,
		.reword_arg = s->path,
		.once = true };
	int status;

	if (!upload_unchanged(&s->file, &s->was))
		return cli_fail(CHANGED, s->path);
	status = http_send(s->cli, &req, "CONFLICT|NOT_FOUND", res);
	s->wrong = res->status == 400;
	return status ? status : progress_read(s, res->json);
}

/* Sends the rest until the service has all bytes. Fails after several tries without progress. */
static int
upload_go_on(struct sending *s)
{
	struct http_res res;
	int tries = 0, status;
	int64_t most = 0;
	bool sure = false;

	while (!s->blob_id) {
		if (!s->at) {
			if ((status = upload_make(s)))
				return status;
			sure = true;
		}
		res = (struct http_res){ 0 };
		status = sure ? piece_send(s, &res) : received_ask(s, &res);
		/* Another command may send this file, too, or the upload has expired. */
		if (!res.again && (res.status == 404 || res.status == 409))
			res.again = mem_printf(
			    s->cli->c->mem, "%s has another part of it", s->cli->url);
		if (status && !(res.again && http_wait(s->cli, s->path, &res, &tries)))
			return status;
		sure = !status;
		tries = s->received > most ? 0 : tries;
		most = s->received > most ? s->received : most;
	}
	return EXIT_FINE;
}

int
upload_file(struct cli *cli, const char *library, const char *path, struct uploaded *out)
{
	struct sending s = { .cli = cli, .library = library, .path = path };
	const struct json *kept;
	int status;

	if ((status = file_open(cli, path, &s.file, &s.was)) || (status = file_digest(&s)))
		return status;
	s.what = mem_printf(
	    cli->c->mem, "%s %s", upload_what(cli, &s.file, &s.was), s.sha256);
	s.kept = upload_kept(cli, "uploads", library, path);
	if (!s.kept)
		return EXIT_REFUSED;
	kept = upload_kept_read(cli, s.kept);
	if (kept && (s.at = bytes_path(json_member(kept, "path")))) {
		s.resumed = str_eq(json_member(kept, "file"), s.what);
		if (!s.resumed)
			upload_delete(&s);
	}
	status = upload_go_on(&s);
	cli_progress(cli, "", 1, 1);
	if (status && s.at && (s.wrong || !upload_unchanged(&s.file, &s.was)))
		upload_delete(&s);
	*out = (struct uploaded){ s.blob_id, s.kept, s.resumed };
	return status;
}
