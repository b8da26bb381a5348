/* SPDX-License-Identifier: Apache-2.0
 * The two tools that reach local files. A page may have talked their caller into anything. So they
 * stay below one folder, which is opened once, and away from files that publish leaves out, by path
 * and by link: they publish no .ssh and write no .bashrc. */
#include "base/ignore.h"
#include "base/str.h"
#include "cli/mcp.h"
#include "cli/publish.h"
#include "cli/pull.h"
#include "store/beneath.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#define PUBLISH_IN(F, T) \
	F(T, STR, folder, .flags = F_REQ, .lo = 1, \
		.doc = "Of this computer; relative to the folder the client was started in") \
	F(T, STR, name, .doc = "What it is called") \
	F(T, STR, artifact, .doc = "Id or slug, to publish a new version of this one") \
	F(T, BOOL, new, .doc = "Make another artifact, even if this folder was published before") \
	F(T, WORD, visibility, .arg = "public|unlisted|private") \
	F(T, STR, message, .doc = "What changed")
SHAPE(mcp_publish, PUBLISH_IN);

#define PULL_IN(F, T) \
	F(T, STR, artifact, .flags = F_REQ, .lo = 1, .doc = "Id or slug") \
	F(T, STR, folder, .flags = F_REQ, .lo = 1, \
		.doc = "Of this computer; it is made if it isn't there")
SHAPE(mcp_pull, PULL_IN);

static const struct rpc_tool tools[] = {
	[MCPTOOL_PUBLISH] = { "publish_folder", "Publish a folder",
	    "Publish a folder of this computer as a page, and answer its address. Use it "
	    "instead of publish for files that are on disk: you needn't read them, and only "
	    "what has changed is sent. The same folder again is a new version of the same "
	    "artifact. Dotfiles and node_modules are left out.",
	    &mcp_publish_shape },
	[MCPTOOL_PULL] = { "pull_folder", "Fetch into a folder",
	    "Fetch all files of an artifact into a folder of this computer. Use it instead of "
	    "fetch to work on them there, and publish_folder to send them back. Files there "
	    "that differ are never overwritten; dotfiles aren't written.",
	    &mcp_pull_shape, .again = true },
};

enum mcptool
mcptool_named(const char *name)
{
	return str_eq(name, tools[MCPTOOL_PUBLISH].name) ? MCPTOOL_PUBLISH
	    : str_eq(name, tools[MCPTOOL_PULL].name)     ? MCPTOOL_PULL
							 : MCPTOOL_NONE;
}

void
mcptool_write(struct buf *b, enum mcptool tool)
{
	rpc_tool_write(b, &tools[tool]);
}

/* ---- below the root ---- */

bool
mcptool_root(struct cli *cli, struct mcp_root *out)
{
	const char *typed = cli_option(cli, "--root");
	char *real = realpath(typed ? typed : ".", mem_zalloc(cli->c->mem, PATH_MAX));

	*out = (struct mcp_root){ -1, real, typed };
	/* Desktops start programs in /, which nobody means. */
	if (!typed && str_eq(real, "/"))
		return true;
	out->fd = real ? open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (out->fd < 0)
		return cli_fail("%s: %s", typed ? typed : ".", strerror(errno)) == EXIT_FINE;
	mem_fd(cli->c->mem, out->fd);
	return true;
}

/* Returns what follows root in path; NULL if path isn't below it. */
static const char *
behind(const char *path, const char *root)
{
	size_t n = root ? strlen(root) : 0;

	while (n > 0 && root[n - 1] == '/')
		n--;
	return root && *root == '/' && strncmp(path, root, n) == 0 && strchr("/", path[n])
	    ? path + n
	    : NULL;
}

/* Returns the path below the root, "." for the root itself; NULL after saying what is wrong. */
static const char *
path_below(struct cli *cli, const struct mcp_root *root, const char *typed)
{
	const struct ignore *ignore = ignore_new(cli->c->mem, NULL);
	const char *path = typed;
	struct buf b = BUF(cli->c->mem);
	char *rest, *part;

	if (root->fd < 0) {
		cli_fail("folder: there is none to work in: start vitrine mcp with --root DIR");
		return NULL;
	}
	if (*path == '/' && !(path = behind(typed, root->path)) &&
	    !(path = behind(typed, root->typed))) {
		cli_fail("folder: %s isn't below %s, the only folder that agents may use", typed,
		    root->path);
		return NULL;
	}
	rest = mem_strdup(cli->c->mem, path);
	while ((part = str_split(&rest, '/'))) {
		if (str_eq(part, "..")) {
			cli_fail("folder: %s: there is no .. here; name a folder below %s", typed,
			    root->path);
			return NULL;
		}
		if (*part && !str_eq(part, "."))
			buf_fmt(&b, "%s%s", b.n ? "/" : "", part);
	}
	if (b.n && ignore_leaves_out_within(ignore, b.s, true)) {
		cli_fail("folder: %s is one that is never published, nor written by agents", typed);
		return NULL;
	}
	return b.n ? b.s : ".";
}

/* A folder below the root, opened. */
struct opened {
	int fd;
	const char *below, *path; /* relative to the root; absolute, without links */
	bool made;                /* folder_open() created it */
};

/* Opens a folder; with make, creates it if there is none. Returns the exit status, after saying
 * why. */
static int
folder_open(struct cli *cli, const struct mcp_root *root, const char *typed, bool make,
    struct opened *out)
{
	char *path = mem_zalloc(cli->c->mem, PATH_MAX);
	const char *link;
	int at;

	*out = (struct opened){ .fd = -1, .below = path_below(cli, root, typed) };
	if (!out->below)
		return EXIT_REFUSED;
	at = beneath_follow(root->fd, out->below);
	if (at >= 0) {
		/* Opens the folder that was found, even if its name leads elsewhere by now. */
		out->fd = open(mem_printf(cli->c->mem, "/proc/self/fd/%d", at),
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(at);
	} else if (make && errno == ENOENT) {
		out->fd = beneath_mkdirs(root->fd, out->below, &out->made);
	}
	if (out->fd < 0)
		return cli_fail("folder: %s: %s", typed,
		    errno == EXDEV       ? mem_printf(cli->c->mem,
					       "a symbolic link in it leads out of %s", root->path)
			: errno == ELOOP ? "has a symbolic link where none can be followed"
					 : strerror(errno));
	mem_fd(cli->c->mem, out->fd);
	link = mem_printf(cli->c->mem, "/proc/self/fd/%d", out->fd);
	if (readlink(link, path, PATH_MAX - 1) < 0 || !behind(path, root->path))
		return cli_fail("folder: %s isn't below %s anymore", typed, root->path);
	/* A link may have led to a folder that is left out, so this checks again. */
	if (!path_below(cli, root, path))
		return EXIT_REFUSED;
	out->path = path;
	return EXIT_FINE;
}

/* ---- the tools ---- */

static void
option_set(struct cli *cli, const char *option, const char *value)
{
	if (value)
		cli->with.options[cli->with.option_n++] =
		    (struct usage_option){ option, value };
}

static void
member_copy(struct buf *out, const struct json *reply, const char *name, const char *path)
{
	const struct json *value = json_find(reply, path);

	if (!value || json_kind(value) == J_NULL)
		return;
	json_key(out, name);
	json_into(out, value);
}

static int
publish_folder(
    struct cli *cli, const struct mcp_root *root, const struct mcp_publish *in, struct buf *out)
{
	const struct json *reply;
	struct opened at;
	int status = folder_open(cli, root, in->folder, false, &at);
	struct publish_what what = { at.path, at.fd, .agent = true };

	if (status)
		return status;
	option_set(cli, "--name", in->name);
	option_set(cli, "--artifact", in->artifact);
	option_set(cli, "--new", in->new ? "" : NULL);
	option_set(cli, "--visibility", in->visibility);
	option_set(cli, "--message", in->message);
	if ((status = publish(cli, &what, &reply)))
		return status;
	member_copy(out, reply, "artifact_id", "artifact.id");
	member_copy(out, reply, "name", "artifact.name");
	member_copy(out, reply, "url", "deployment.url");
	member_copy(out, reply, "version_no", "version.version_no");
	return EXIT_FINE;
}

static int
pull_folder(
    struct cli *cli, const struct mcp_root *root, const struct mcp_pull *in, struct buf *out)
{
	struct pull_done done;
	struct opened at;
	int status = folder_open(cli, root, in->folder, true, &at);
	struct pull_what what = { in->artifact, at.path, at.fd, .agent = true };

	if (!status)
		status = pull(cli, &what, &done);
	/* rmdir leaves a folder that isn't empty. */
	if (status && at.made)
		unlinkat(root->fd, at.below, AT_REMOVEDIR);
	if (status)
		return status;
	json_texts(out, "artifact_id", done.id, "folder", what.dir, NULL);
	buf_fmt(out, ",\"version_no\":%s,\"fetched\":%lld,\"already_there\":%lld", done.version,
	    (long long)done.fetched, (long long)done.kept);
	return EXIT_FINE;
}

int
mcptool_call(struct cli *cli, const struct mcp_root *root, enum mcptool tool, const struct rpc *m,
    struct buf *out)
{
	const struct usage none = { 0 };
	const struct json *sent;
	void *in;

	if (rpc_arguments(cli->c, m, tools[tool].name, tools[tool].in, &sent, &in))
		return cli_fail("%s", ctx_why(cli->c));
	cli->with = none;
	return tool == MCPTOOL_PUBLISH ? publish_folder(cli, root, in, out)
				       : pull_folder(cli, root, in, out);
}
