/* SPDX-License-Identifier: Apache-2.0
 * Root's part: what www-data got becomes what nginx serves. Everything below tls_dir is www-data's,
 * which may be hostile: no link is followed there, only a small file of its own is read, and a
 * process of nobody's parses it. What we print of it are our own words. */
#include "admin/certificates.h"
#include "admin/cmd.h"
#include "admin/program.h"
#include "agents/card.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, RELOAD_S = 60, NGINX_S = 30, DAY_S = 86400 };

/* ---- files of root's ---- */

/* Returns a path in the folder of vitrine.yaml. */
static const char *
conf_sibling(struct ctx *c, const char *name)
{
	const char *path = c->conf->path, *slash = strrchr(path, '/');

	return slash ? mem_printf(c->mem, "%.*s/%s", (int)(slash - path), path, name)
		     : mem_printf(c->mem, "./%s", name);
}

static const char *
installed(struct ctx *c, const char *name)
{
	return conf_sibling(c, mem_printf(c->mem, "tls/%s", name));
}

static enum err
folder_make(struct ctx *c)
{
	const char *folder = conf_sibling(c, "tls");
	struct stat st;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return fail_here(c, "%s", folder);
	if (lstat(folder, &st))
		return fail_here(c, "%s", folder);
	errno = 0;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
		return fail(c, E_INVALID,
		    "%s must be a folder of this user that nobody else can read; "
		    "run this command as root",
		    folder);
	return E_OK;
}

/* ---- what www-data got ---- */

const char *
certificate_unfit_for(struct ctx *c, const char *host, const char *pages, const char *pem,
    size_t n, struct certificate *out)
{
	const char *why = certificate_read(c->mem, pem, n, out);

	if (why)
		return why;
	if (!out->has_key)
		return "it has no key";
	if (out->begins_at > c->now || out->ends_at <= c->now)
		return "it isn't valid now; check this machine's clock, too";
	if (certificate_covers(out, host) && (!pages || certificate_covers(out, pages)))
		return NULL;
	return pages ? mem_printf(c->mem, "it isn't for both %s and %s", host, pages)
		     : mem_printf(c->mem, "it isn't for %s", host);
}

const char *
certificate_unfit(struct ctx *c, const char *pem, size_t n, struct certificate *out)
{
	return certificate_unfit_for(c, card_host(c->mem, c->conf),
	    mem_printf(c->mem, "*.%s", c->conf->content_domain), pem, n, out);
}

/* Checks the certificate as the user nobody, in a process that has no files, and can neither make
 * any nor fork. Others can't trace it, because it was root's. */
static _Noreturn void
pair_parse(struct ctx *c, const struct buf *pem, int to)
{
	static const struct rlimit none = { 0, 0 }, seconds = { 5, 5 };
	struct certificate got;
	const char *why;

	if (geteuid() == 0 &&
	    (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		setresuid(NOBODY, NOBODY, NOBODY)))
		_exit(1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	setrlimit(RLIMIT_NOFILE, &none);
	setrlimit(RLIMIT_NPROC, &none);
	setrlimit(RLIMIT_FSIZE, &none);
	setrlimit(RLIMIT_CPU, &seconds);
	why = certificate_unfit(c, pem->s, pem->n, &got);
	if (!why)
		why = "ok";
	_exit(write(to, why, strlen(why)) != (ssize_t)strlen(why));
}

static enum err
pair_check(struct ctx *c, const struct buf *pem)
{
	char said[512] = "";
	size_t got = 0;
	ssize_t n;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0)
		return fail_here(c, "no process");
	if (!pid)
		pair_parse(c, pem, ends[1]);
	close(ends[1]);
	while (got < sizeof said - 1 && (n = read(ends[0], said + got, sizeof said - 1 - got)) > 0)
		got += (size_t)n;
	close(ends[0]);
	waitpid(pid, NULL, 0);
	errno = 0;
	return str_eq(said, "ok") ? E_OK
				  : fail(c, E_INVALID, "%s: %s", certificate_held(c),
					got ? str_one_line(c->mem, said) : "it can't be parsed");
}

static bool
all_read(int fd, struct buf *out)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof chunk)) > 0 && out->n <= PAIR_BYTES)
		buf_add(out, chunk, (size_t)n);
	return n == 0 && out->n && out->n <= PAIR_BYTES;
}

bool
certificate_load(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool whole = fd >= 0 && all_read(fd, out);

	if (fd >= 0)
		close(fd);
	return whole;
}

/* Appends the certificate and key that www-data got; nothing if there are none yet. */
static enum err
held_read(struct ctx *c, struct buf *out)
{
	enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
	const char *path = certificate_held(c);
	struct stat data, st;
	int root = mem_fd(c->mem, open(c->conf->tls_dir, FOLDER)),
	    base = root < 0 ? -1 : mem_fd(c->mem, openat(root, "base", FOLDER)),
	    fd = base < 0 ? -1
			  : mem_fd(c->mem,
				openat(base, "combined.pem",
				    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));

	if (fd < 0 && errno == ENOENT) {
		errno = 0;
		return E_OK;
	}
	if (fd < 0 || fstat(fd, &st) || stat(c->conf->data_dir, &data)) {
		errno = 0;
		return fail(c, E_INVALID, "%s: a link is there, or it can't be read", path);
	}
	if (!S_ISREG(st.st_mode) || st.st_uid != data.st_uid || st.st_nlink != 1 ||
	    st.st_size > PAIR_BYTES)
		return fail(c, E_INVALID,
		    "%s must be a file of data_dir's owner, with one name and at most 64 KiB",
		    path);
	errno = 0;
	return all_read(fd, out) ? E_OK : fail(c, E_INVALID, "%s can't be read", path);
}

/* ---- the authority of this machine ---- */

enum err
certificate_authority(
    struct ctx *c, const char *key_path, const char *path, struct buf *out)
{
	struct buf certificate = BUF(c->mem);
	char host[65] = "";

	if (certificate_load(path, &certificate) && certificate_load(key_path, out)) {
		buf_add(out, certificate.s, certificate.n);
		return E_OK;
	}
	out->n = certificate.n = 0;
	gethostname(host, sizeof host - 1);
	if (!certificate_make_authority(
		out, &certificate, mem_printf(c->mem, "Vitrine on %s", host)))
		return fail_here(c, "OpenSSL makes no certificate");
	TRY(file_replace(c, key_path, 0600, out->s, out->n));
	TRY(file_replace(c, path, 0644, certificate.s, certificate.n));
	buf_add(out, certificate.s, certificate.n);
	return E_OK;
}

static enum err
local_make(struct ctx *c, struct buf *out)
{
	const char *const names[] = { card_host(c->mem, c->conf),
		mem_printf(c->mem, "*.%s", c->conf->content_domain) };
	struct buf authority = BUF(c->mem);

	TRY(certificate_authority(
	    c, installed(c, "ca-key.pem"), conf_sibling(c, "ca.pem"), &authority));
	return certificate_make(out, &authority, names, 2, CERTIFICATE_LOCAL_DAYS)
	    ? E_OK
	    : fail_here(c, "OpenSSL makes no certificate of %s", conf_sibling(c, "ca.pem"));
}

/* True if a new certificate of this machine's authority is due: in the last third of the present
 * one's life, or if that is missing, unfit, or of another authority. */
static bool
local_due(struct ctx *c, const struct buf *now)
{
	struct certificate got;

	return !now->n || certificate_unfit(c, now->s, now->n, &got) ||
	    got.ends_at - c->now < CERTIFICATE_LOCAL_DAYS * DAY_S / 3 ||
	    certificate_untrusted(c->mem, now->s, now->n, conf_sibling(c, "ca.pem"));
}

/* ---- what nginx serves ---- */

static enum err
nginx_reload(struct ctx *c)
{
	const char *path = installed(c, "combined.pem"), *former = installed(c, "former.pem"),
		   *pending = installed(c, "pending");
	struct buf said = BUF(c->mem);

	if (program_run((const char *const[]){ "nginx", "-t", NULL }, NGINX_S, &said)) {
		if (rename(former, path) && errno != ENOENT)
			return fail_here(c, "%s", path);
		unlink(pending);
		errno = 0;
		return fail(c, E_INVALID, "nginx refuses it, so the former one stays: %s",
		    str_one_line(c->mem, buf_done(&said)));
	}
	said.n = 0;
	if (program_run((const char *const[]){ "nginx", "-s", "reload", NULL }, NGINX_S, &said))
		return fail(c, E_INVALID, "nginx wasn't reloaded, which is tried again: %s",
		    str_one_line(c->mem, buf_done(&said)));
	unlink(pending);
	errno = 0;
	printf("nginx serves a new certificate\n");
	return E_OK;
}

/* True within a minute of the last change: nginx's workers that end serve their clients on, so each
 * reload holds memory for a while. */
static bool
is_too_soon(struct ctx *c)
{
	struct stat st;

	return stat(installed(c, "combined.pem"), &st) == 0 && st.st_mtime <= c->now &&
	    c->now - st.st_mtime < RELOAD_S;
}

static enum err
pair_install(struct ctx *c, const struct buf *pair)
{
	const char *path = installed(c, "combined.pem"), *former = installed(c, "former.pem");

	/* The file "pending" stays until nginx was reloaded, so a run that is killed in between is
	 * completed by the next. */
	TRY(file_replace(c, installed(c, "pending"), 0600, "", 0));
	if ((unlink(former) && errno != ENOENT) || (link(path, former) && errno != ENOENT))
		return fail_here(c, "%s", former);
	TRY(file_replace(c, path, 0600, pair->s, pair->n));
	return nginx_reload(c);
}

static enum err
install_one_at_a_time(struct ctx *c, bool *mine)
{
	int fd;

	TRY(folder_make(c));
	fd = mem_fd(c->mem, open(installed(c, "lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
	if (fd < 0)
		return fail_here(c, "%s", installed(c, "lock"));
	*mine = flock(fd, LOCK_EX | LOCK_NB) == 0;
	errno = 0;
	return E_OK;
}

enum err
certificate_renew_local(struct ctx *c)
{
	struct buf pair = BUF(c->mem);
	bool mine;

	TRY(install_one_at_a_time(c, &mine));
	if (!mine)
		return fail(c, E_CONFLICT, "another certificates install is running; try again");
	TRY(local_make(c, &pair));
	return pair_install(c, &pair);
}

static enum err
cmd_install(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct buf now = BUF(c->mem), next = BUF(c->mem);
	bool local = str_eq(c->conf->certificates, "local"), mine;

	if (str_eq(c->conf->certificates, "files"))
		return E_OK;
	TRY(install_one_at_a_time(c, &mine));
	if (!mine)
		return E_OK;
	if (!certificate_load(installed(c, "combined.pem"), &now))
		now.n = 0;
	errno = 0;
	if (access(installed(c, "pending"), F_OK) == 0)
		return nginx_reload(c);
	errno = 0;
	if (local && local_due(c, &now))
		TRY(local_make(c, &next));
	else if (!local)
		TRY(held_read(c, &next));
	if (!next.n || (next.n == now.n && memcmp(next.s, now.s, now.n) == 0) || is_too_soon(c))
		return E_OK;
	TRY(pair_check(c, &next));
	return pair_install(c, &next);
}

enum err
certificate_files(struct ctx *c, const char **certificate, const char **key)
{
	struct buf now = BUF(c->mem), first = BUF(c->mem);

	if (str_eq(c->conf->certificates, "files")) {
		*certificate = c->conf->tls_cert_file;
		*key = c->conf->tls_key_file;
		return str_eq(*certificate, "-") || str_eq(*key, "-")
		    ? fail(c, E_INVALID,
			  "tls_cert_file and tls_key_file: must be set if certificates is files")
		    : E_OK;
	}
	*certificate = *key = installed(c, "combined.pem");
	TRY(folder_make(c));
	if (certificate_load(*certificate, &now) &&
	    (!str_eq(c->conf->certificates, "local") || !local_due(c, &now)))
		return E_OK;
	errno = 0;
	TRY(local_make(c, &first));
	return file_replace(c, *certificate, 0600, first.s, first.n);
}

const struct cmd certificates_install_cmds[] = {
	{ "certificates install", "",
	    "as root, each minute: give nginx the certificate that run got, or one of this "
	    "machine's own authority; refuses what isn't valid now for both names, and takes it "
	    "back if nginx refuses it",
	    cmd_install },
	{ 0 },
};
