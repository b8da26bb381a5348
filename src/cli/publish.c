/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd.h"

#include "base/str.h"
#include "cli/folder.h"
#include "cli/http.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AS_JSON_BYTES = 8 << 20 }; /* more than this is sent as an archive */

struct publishing {
	struct cli *cli;
	const char *place;
	struct folder folder;
	bool *send;            /* per file: its bytes go along; else its digest */
	const char *artifact;  /* id, or NULL */
	const char *remember;  /* the file that keeps the id, or NULL */
};

/* ---- which artifact this folder was published as ---- */

static void
memory_read(struct publishing *p)
{
	struct stat st;
	struct json *tree;
	char text[4096];
	ssize_t n;
	int fd;

	if (usage_option(&p->cli->with, "--slug") || usage_option(&p->cli->with, "--artifact") ||
	    stat(p->place, &st) || !S_ISDIR(st.st_mode))
		return;
	p->remember = mem_printf(p->cli->c->mem, "%s/.vitrine.json", p->place);
	fd = usage_option(&p->cli->with, "--new") ? -1 : open(p->remember, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, text, sizeof text);
	close(fd);
	if (n > 0 && json_parse(p->cli->c, text, (size_t)n, &tree) == E_OK &&
	    *json_member(tree, "artifact_id"))
		p->artifact = json_member(tree, "artifact_id");
}

static void
memory_write(struct publishing *p, const struct json *reply)
{
	struct buf b = BUF(p->cli->c->mem);
	FILE *f;

	if (!p->remember || p->artifact)
		return;
	buf_str(&b, "{\"artifact_id\":");
	buf_json(&b, json_member(reply, "artifact.id"));
	buf_str(&b, ",\"url\":");
	buf_json(&b, json_member(reply, "deployment.url"));
	buf_str(&b, "}\n");
	f = fopen(p->remember, "we");
	if (!f || fputs(b.s, f) < 0 || fclose(f))
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

	buf_str(b, "{\"path\":");
	buf_json(b, f->path);
	buf_fmt(b, ",\"size_bytes\":%lld,\"sha256\":\"%s\"", (long long)f->size,
	    crypto_hex(mem, f->sha256, SHA256_BYTES));
	if (content) {
		if (!folder_content(p->cli, f, &bytes))
			return false;
		if (bytes_are_text(bytes, (size_t)f->size)) {
			buf_str(b, ",\"content\":");
			buf_json(b, bytes);
		} else {
			buf_fmt(b, ",\"encoding\":\"base64\",\"content\":\"%s\"",
			    crypto_base64(mem, bytes, (size_t)f->size));
		}
		mem_free(bytes);
	}
	buf_chr(b, '}');
	return true;
}

static void
option_write(struct publishing *p, struct buf *b, const char *option, const char *member)
{
	const char *value = usage_option(&p->cli->with, option);

	if (!value)
		return;
	buf_fmt(b, ",\"%s\":", member);
	buf_json(b, value);
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
	const char *name = usage_option(&p->cli->with, "--name"),
		   *expected = usage_option(&p->cli->with, "--expected-version");
	bool first = true;

	buf_str(b, "{\"name\":");
	buf_json(b, name ? name : default_name(p));
	option_write(p, b, "--slug", "slug");
	option_write(p, b, "--visibility", "visibility");
	option_write(p, b, "--message", "message");
	option_write(p, b, "--entrypoint", "entrypoint");
	if (p->artifact)
		buf_fmt(b, ",\"artifact_id\":\"%s\"", p->artifact);
	if (expected)
		buf_fmt(b, ",\"expected_version\":%s", expected);
	if (usage_option(&p->cli->with, "--draft"))
		buf_str(b, ",\"draft\":true");
	if (usage_option(&p->cli->with, "--spa"))
		buf_str(b, ",\"routing\":\"spa\"");
	buf_str(b, ",\"files\":[");
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
			any |= p->send[i] = str_eq(json_str(json_at(missing, k)), hex);
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
	int64_t number;
	int status = EXIT_FINE;

	if (expected && !str_int(expected, &number)) {
		cli_fail("--expected-version: %s is not a number", expected);
		return EXIT_USAGE;
	}
	if (artifact && !(p.artifact = cli_artifact(cli, artifact, &status)))
		return status;
	if (!folder_read(cli, p.place, &p.folder))
		return EXIT_REFUSED;
	memory_read(&p);
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
		fprintf(stderr, "vitrine: %s\n", json_str(json_at(warnings, i)));
	if (cli->json)
		cli_print(cli, res.json);
	else
		printf("%s\n",
		    json_member(res.json,
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
