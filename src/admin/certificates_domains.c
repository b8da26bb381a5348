/* SPDX-License-Identifier: Apache-2.0
 * Certificates of domains of people's own, which nginx finds by the host's name. The file is
 * written before the row says so; a run that was killed in between is completed by the next, which
 * takes the file that it finds. */
#include "admin/certificates.h"
#include "admin/cmd.h"
#include "admin/program.h"
#include "base/str.h"
#include "domains/certify.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DAY_S = 86400, SWEEP_S = 3600, WHY_SHOWN = 300 };

static const char *
below(struct ctx *c, const char *name)
{
	return mem_printf(c->mem, "%s/%s", c->conf->tls_dir, name);
}

/* ---- one domain ---- */

/* True if there is a certificate that isn't due yet. */
static bool
is_current(struct ctx *c, const char *host, const char *path, struct certificate *out)
{
	struct buf pem = BUF(c->mem);
	bool fits = certificate_load(path, &pem) &&
	    !certificate_unfit_for(c, host, NULL, pem.s, pem.n, out) &&
	    c->now < certificate_due_at(out);

	errno = 0;
	return fits;
}

/* This machine's authority for domains: www-data's, as only root can read the other. */
static enum err
local_sign(struct ctx *c, const char *host, struct buf *out, struct certificate *got)
{
	struct buf authority = BUF(c->mem);
	const char *why;

	TRY(certificate_authority(c, below(c, "domains.pem"), below(c, "ca.pem"), &authority));
	if (!certificate_make(out, &authority, &host, 1, CERTIFICATE_LOCAL_DAYS))
		return fail_here(c, "OpenSSL makes no certificate for %s", host);
	c->now = time(NULL);
	why = certificate_unfit_for(c, host, NULL, out->s, out->n, got);
	return why ? fail(c, E_INVALID, "%s", why) : E_OK;
}

static enum err
pair_get(struct ctx *c, const struct domain_want *d, struct certificate *got, bool *limited)
{
	const char *folder = below(c, mem_printf(c->mem, "domains/%s", d->host));
	struct buf pair = BUF(c->mem);

	TRY(str_eq(c->conf->certificates, "local")
		? local_sign(c, d->host, &pair, got)
		: certificate_issue(c, d->host, NULL, &pair, got, limited));
	if (mkdir(folder, 0700) && errno != EEXIST)
		return fail_here(c, "%s", folder);
	errno = 0;
	return file_replace(
	    c, mem_printf(c->mem, "%s/combined.pem", folder), 0600, pair.s, pair.n);
}

static enum err
activate(struct ctx *c, const struct domain_want *d, const struct certificate *got)
{
	bool active;

	TRY(db_begin(c));
	TRY(domain_certified(c, d->host, got->ends_at, certificate_due_at(got), &active));
	TRY(db_commit(c));
	return effects_carry_out(c);
}

/* Keeps what failed with the domain, where its owner sees it. */
static enum err
failure_keep(struct ctx *c, const struct domain_want *d, int64_t next_at)
{
	const char *why = str_cut(c->mem, cmd_why(c), WHY_SHOWN);

	fprintf(stderr, "vitrinectl: %s: no certificate; the next attempt is at %s: %s\n", d->host,
	    str_rfc3339(c->mem, next_at), why);
	ctx_forgive(c);
	return domain_not_certified(
	    c, d, next_at, mem_printf(c->mem, "It has no certificate yet: %s", why));
}

static enum err
domain_attempt(struct ctx *c, const struct domain_want *d)
{
	const char *path = below(c, mem_printf(c->mem, "domains/%s/combined.pem", d->host));
	int64_t next_at = c->now + certificate_wait_s(d->failures + 1);
	bool limited = false, room = true;
	struct certificate got;

	if (is_current(c, d->host, path, &got))
		return activate(c, d, &got);
	if (str_eq(c->conf->certificates, "acme"))
		TRY(domain_try(c, d, next_at, &room));
	if (!room)
		return E_OK;
	if (pair_get(c, d, &got, &limited))
		return failure_keep(c, d, limited ? c->now + DAY_S : next_at);
	printf("got a certificate for %s\n", d->host);
	return activate(c, d, &got);
}

/* ---- those that ended ---- */

static void
folder_remove(int domains, const char *host)
{
	int fd = openat(domains, host, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *one;

	while (d && (one = readdir(d)))
		if (!str_eq(one->d_name, ".") && !str_eq(one->d_name, ".."))
			unlinkat(fd, one->d_name, 0);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	unlinkat(domains, host, AT_REMOVEDIR);
	errno = 0;
}

static int
host_order(const void *a, const void *b)
{
	return strcmp(a, ((const struct domain_host *)b)->host);
}

/* Removes keys and certificates of domains that ended, hourly: rows may be gone without a trace. */
static enum err
ended_remove(struct ctx *c)
{
	const char *swept = below(c, "swept");
	struct domain_host_list held;
	struct dirent *one;
	struct stat st;
	DIR *all;

	if (stat(swept, &st) == 0 && st.st_mtime <= c->now && c->now - st.st_mtime < SWEEP_S)
		return E_OK;
	errno = 0;
	TRY(domains_held(c, &held));
	if (!(all = opendir(below(c, "domains"))))
		return fail_here(c, "%s", below(c, "domains"));
	while ((one = readdir(all)))
		if (*one->d_name != '.' &&
		    !(held.n &&
			bsearch(one->d_name, held.v, held.n, sizeof *held.v, host_order)))
			folder_remove(dirfd(all), one->d_name);
	closedir(all);
	return file_replace(c, swept, 0600, "", 0);
}

enum err
certificates_for_domains(struct ctx *c)
{
	struct domain_want_list due;

	TRY(domains_uncertified(c, &due));
	for (size_t i = 0; i < due.n; i++) {
		struct ctx *part = ctx_begin(c->conf, c->db);

		if (domain_attempt(part, &due.v[i]))
			fprintf(stderr, "vitrinectl: %s: %s\n", due.v[i].host, cmd_why(part));
		db_rollback(part);
		ctx_end(part);
	}
	return ended_remove(c);
}
