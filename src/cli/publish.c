/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/folder.h"
#include "cli/http.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	AS_JSON_BYTES = 8 << 20, /* more than this is sent as an archive */
	MEMORY_BYTES = 4096
};

struct publishing {
	struct cli *cli;
	const char *place;
	struct folder folder;
	bool *send;            /* per file: its bytes go along; else its digest */
	const char *artifact;  /* id, or NULL */
	const char *remember;  /* the file that keeps the id, or NULL */
	int64_t expected;      /* of --expected-version */
};

/* ---- which artifact this folder was published as ---- */

/* What another program may have put there decides nothing but which artifact: an id, or it is
 * refused. */
static bool
memory_parse(struct publishing *p, const char *text, ssize_t n)
{
	struct json *tree;

	if (n > 0 && n < MEMORY_BYTES && json_parse(p->cli->c, text, (size_t)n, &tree) == E_OK &&
	    id_valid(json_member(tree, "artifact_id"), "art_")) {
		p->artifact = json_member(tree, "artifact_id");
		return true;
	}
	cli_fail(
	    "%s does not name an artifact (artifact_id must be art_…): remove it, or publish with --slug, --artifact or --new",
	    p->remember);
	return false;
}

static bool
memory_read(struct publishing *p)
{
	char text[MEMORY_BYTES];
	struct stat st;
	ssize_t n;
	int fd;

	if (usage_option(&p->cli->with, "--slug") || usage_option(&p->cli->with, "--artifact") ||
	    stat(p->place, &st) || !S_ISDIR(st.st_mode))
		return true;
	p->remember = mem_printf(p->cli->c->mem, "%s/.vitrine.json", p->place);
	if (usage_option(&p->cli->with, "--new"))
		return true;
	fd = open(p->remember, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		cli_fail("%s: %s", p->remember,
		    fd < 0 && errno != ELOOP ? strerror(errno)
					     : "is no plain file; remove it, or publish with --new");
		if (fd >= 0)
			close(fd);
		return false;
	}
	n = read(fd, text, sizeof text);
	close(fd);
	return memory_parse(p, text, n);
}

static void
memory_write(struct publishing *p, const struct json *reply)
{
	struct buf b = BUF(p->cli->c->mem);

	if (!p->remember || p->artifact)
		return;
	buf_chr(&b, '{');
	json_add(&b, "artifact_id", json_member(reply, "artifact.id"));
	json_add(&b, "url", json_member(reply, "deployment.url"));
	buf_str(&b, "}\n");
	if (!cli_file_write(p->cli, p->remember, 0666, &b))
		fprintf(stderr, "vitrine: %s could not be written; publish with --slug next time\n",
		    p->remember);
}

/* ---- the request ---- */

static bool
bytes_are_text(const char *s, size_t n)
{
	return !memchr(s, '\0', n) && str_utf8_valid(s, n);
}

static bool
file_write(struct publishing *p, struct buf *b, const struct folder_file *f, bool content)
{
	void *mem = p->cli->c->mem;
	char *bytes;

	buf_chr(b, '{');
	json_add(b, "path", f->path);
	json_key(b, "size_bytes");
	buf_fmt(b, "%lld", (long long)f->size);
	json_add(b, "sha256", crypto_hex(mem, f->sha256, SHA256_BYTES));
	if (content) {
		bool text;

		if (!folder_content(p->cli, f, &bytes))
			return false;
		text = bytes_are_text(bytes, (size_t)f->size);
		if (!text)
			json_add(b, "encoding", "base64");
		json_add(
		    b, "content", text ? bytes : crypto_base64(mem, bytes, (size_t)f->size));
		mem_free(bytes);
	}
	buf_chr(b, '}');
	return true;
}

static void
option_write(struct publishing *p, struct buf *b, const char *option, const char *member)
{
	const char *value = usage_option(&p->cli->with, option);

	if (value)
		json_add(b, member, value);
}

static const char *
default_name(struct publishing *p)
{
	char *path = realpath(p->place, NULL);
	const char *name = path ? mem_strdup(p->cli->c->mem, strrchr(path, '/') + 1) : "";

	free(path);
	return *name ? name : "Untitled";
}

/* In an archive the files that are sent stand by themselves; the others are named by digest. */
static bool
manifest_write(struct publishing *p, struct buf *b, bool archived)
{
	const char *name = usage_option(&p->cli->with, "--name");
	bool first = true;

	buf_chr(b, '{');
	json_add(b, "name", name ? name : default_name(p));
	option_write(p, b, "--slug", "slug");
	option_write(p, b, "--visibility", "visibility");
	option_write(p, b, "--message", "message");
	option_write(p, b, "--entrypoint", "entrypoint");
	if (p->artifact)
		json_add(b, "artifact_id", p->artifact);
	if (usage_option(&p->cli->with, "--expected-version")) {
		json_key(b, "expected_version");
		buf_fmt(b, "%lld", (long long)p->expected);
	}
	if (usage_option(&p->cli->with, "--draft")) {
		json_key(b, "draft");
		buf_str(b, "true");
	}
	if (usage_option(&p->cli->with, "--spa"))
		json_add(b, "routing", "spa");
	json_key(b, "files");
	buf_chr(b, '[');
	for (size_t i = 0; i < p->folder.n; i++) {
		if (archived && p->send[i])
			continue;
		if (!first)
			buf_chr(b, ',');
		first = false;
		if (!file_write(p, b, &p->folder.v[i], p->send[i]))
			return false;
	}
	buf_str(b, "]}");
	return true;
}

static int64_t
bytes_to_send(const struct publishing *p)
{
	int64_t n = 0;

	for (size_t i = 0; i < p->folder.n; i++)
		n += p->send[i] ? p->folder.v[i].size : 0;
	return n;
}

static int
publish_attempt(struct publishing *p, const char *quiet, struct http_res *res)
{
	struct http_req req = { .method = "POST", .path = "/v1/publish", .save_fd = -1 };
	bool archived = bytes_to_send(p) > AS_JSON_BYTES;
	struct buf b = BUF(p->cli->c->mem);

	if (!manifest_write(p, &b, archived))
		return EXIT_REFUSED;
	if (archived && !(req.archive = folder_pack(p->cli, &p->folder, p->send)))
		return EXIT_REFUSED;
	req.body = b.s;
	req.body_n = b.n;
	if (!p->cli->quiet && isatty(2))
		fprintf(stderr, "%zu files, %lld bytes; sending %lld bytes\n", p->folder.n,
		    (long long)p->folder.bytes, (long long)bytes_to_send(p));
	return http_send(p->cli, &req, quiet, res);
}

/* Marks what the service says it does not have; false if it named nothing of ours, so trying again
 * would be in vain. */
static bool
missing_mark(struct publishing *p, const struct json *reply)
{
	const struct json *details = json_get(reply, "details"),
			  *missing = details ? json_get(details, "missing") : NULL;
	bool any = false;

	for (size_t i = 0; i < p->folder.n; i++) {
		const char *hex = crypto_hex(p->cli->c->mem, p->folder.v[i].sha256, SHA256_BYTES);

		for (size_t k = 0; missing && !p->send[i] && k < json_len(missing); k++)
			any |= p->send[i] = str_eq(json_member(json_at(missing, k), ""), hex);
	}
	return any;
}

static int
run_publish(struct cli *cli)
{
	struct publishing p = { .cli = cli, .place = cli->with.args[0] };
	const char *artifact = usage_option(&cli->with, "--artifact"),
		   *expected = usage_option(&cli->with, "--expected-version");
	const struct json *warnings;
	struct http_res res;
	int status = EXIT_FINE;

	if (expected && !str_int(expected, &p.expected)) {
		cli_fail("--expected-version: %s is not a number", expected);
		return EXIT_USAGE;
	}
	if (artifact && !(p.artifact = cli_artifact(cli, artifact, &status)))
		return status;
	if (!folder_read(cli, p.place, &p.folder))
		return EXIT_REFUSED;
	if (!memory_read(&p))
		return EXIT_REFUSED;
	p.send = mem_array(cli->c->mem, bool, p.folder.n);
	/* Digests first: what was published before is not sent again. */
	status = publish_attempt(&p, "MISSING_BLOBS", &res);
	if (status == EXIT_CONFLICT && res.json &&
	    str_eq(json_member(res.json, "code"), "MISSING_BLOBS") && missing_mark(&p, res.json))
		status = publish_attempt(&p, NULL, &res);
	if (status)
		return status;
	memory_write(&p, res.json);
	warnings = json_get(res.json, "warnings");
	for (size_t i = 0; warnings && i < json_len(warnings); i++)
		fprintf(stderr, "vitrine: %s\n", json_shown(cli, json_at(warnings, i), ""));
	if (cli->json)
		cli_print(cli, res.json);
	else
		printf("%s\n",
		    json_shown(cli, res.json,
			usage_option(&cli->with, "--draft") ? "deployment.version_url"
							    : "deployment.url"));
	return EXIT_FINE;
}

const struct cli_cmd publish_cli[] = {
	{ "publish",
	    "DIR|FILE [--slug S] [--name N] [--visibility public|unlisted|private] [--message M] [--draft] [--entrypoint P] [--spa]"
	    " [--artifact A] [--expected-version N] [--new]",
	    "publish a folder or a file; prints its address", run_publish, false },
	{ 0 },
};
