/* SPDX-License-Identifier: Apache-2.0
 * www-data's part: gets certificates from an authority by ACME. uacme speaks the protocol; it asks
 * `vitrinectl certificates hook` to show what the authority wants to see. */
#include "admin/certificates.h"
#include "admin/cmd.h"
#include "admin/program.h"
#include "agents/card.h"
#include "base/str.h"
#include "core/mail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOUR_S = 3600, DAY_S = 24 * HOUR_S, SOON_S = 10 * DAY_S, HOOK_S = 60, WHY_CHARS = 300 };
static const char token_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

static const char *
held(struct ctx *c, const char *name)
{
	return mem_printf(c->mem, "%s/%s", c->conf->tls_dir, name);
}

const char *
certificate_held(struct ctx *c)
{
	return held(c, "base/combined.pem");
}

/* Reads the certificate that this user can read. Returns NULL, or why there is none. */
static const char *
own_read(struct ctx *c, struct certificate *out)
{
	bool acme = str_eq(c->conf->certificates, "acme");
	const char *path = acme ? certificate_held(c) : c->conf->tls_cert_file, *why;
	struct buf pem = BUF(c->mem);

	*out = (struct certificate){ 0 };
	if (!certificate_load(path, &pem)) {
		why = mem_printf(c->mem, "%s: %s", path, strerror(errno));
		errno = 0;
		return why;
	}
	if (!acme)
		return certificate_read(c->mem, pem.s, pem.n, out);
	why = certificate_unfit(c, pem.s, pem.n, out);
	return why ? mem_printf(c->mem, "%s: %s", path, why) : NULL;
}

/* ---- attempts ---- */

struct state {
	int64_t failures; /* without a success since */
	int64_t next_at;  /* Unix seconds of the next attempt after a failure */
	int64_t mailed;   /* ends_at of the certificate that operators got mail about */
	const char *why;  /* the last failure, or "" */
};

static struct state
state_read(struct ctx *c)
{
	struct state s = { .why = "" };
	struct buf text = BUF(c->mem);
	int64_t *const numbers[] = { &s.failures, &s.next_at, &s.mailed };
	char *rest, *line;
	size_t i = 0;

	if (!certificate_load(held(c, "base/state"), &text)) {
		errno = 0;
		return s;
	}
	for (rest = text.s; i < 3 && (line = str_split(&rest, '\n')); i++)
		if (!str_int(line, numbers[i]))
			return (struct state){ .why = "" };
	if (rest)
		s.why = str_one_line(c->mem, rest);
	return s;
}

static enum err
state_write(struct ctx *c, const struct state *s)
{
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "%lld\n%lld\n%lld\n%s\n", (long long)s->failures, (long long)s->next_at,
	    (long long)s->mailed, s->why);
	return file_replace(c, held(c, "base/state"), 0600, b.s, b.n);
}

int64_t
certificate_wait_s(int64_t failures)
{
	static const int hours[] = { 1, 4, 12, 24 };

	return hours[failures > 4 ? 3 : failures - 1] * HOUR_S;
}

/* Up to an hour later, by its end's digits, so that many installations don't ask at once. */
int64_t
certificate_due_at(const struct certificate *c)
{
	return c->ends_at - (c->ends_at - c->begins_at) / 3 + c->ends_at * 7919 % HOUR_S;
}

/* The time that is left when a renewal has failed for long: operators get mail, doctor says it. */
static int64_t
late_s(const struct certificate *c)
{
	int64_t sixth = (c->ends_at - c->begins_at) / 6;

	return sixth < SOON_S ? sixth : SOON_S;
}

/* ---- one attempt ---- */

/* Removes what hooks of a run that was killed have left. */
static void
challenges_clear(struct ctx *c)
{
	DIR *all = opendir(held(c, "challenges"));
	struct dirent *one;

	while (all && (one = readdir(all)))
		if (*one->d_name != '.')
			unlinkat(dirfd(all), one->d_name, 0);
	if (all)
		closedir(all);
	errno = 0;
}

/* Runs uacme, and fails with what it said. A limit of the authority sets *limited. */
static enum err
uacme_run(struct ctx *c, const char *const *words, bool *limited)
{
	const struct conf *conf = c->conf;
	const char *argv[20] = { "uacme", "-y", "-f", "-o", "-t", "EC", "-a", conf->acme_directory,
		"-c", held(c, "acme"), "-h", NULL };
	struct buf said = BUF(c->mem);
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	size_t last = 12;
	int status;

	self[n > 0 ? n : 0] = '\0';
	argv[11] = self;
	while (*words)
		argv[last++] = *words++;
	setenv("VITRINE_ACME_HOOK", "1", 1);
	setenv("VITRINE_CONFIG", conf->path, 1);
	status = program_run(argv, conf->acme_s, &said);
	if (!status)
		return E_OK;
	*limited = said.n && strstr(said.s, "rateLimited");
	if (status == PROGRAM_NOT_RUN)
		return fail(c, E_UPSTREAM, "uacme can't be run; install it");
	if (status == PROGRAM_TOO_LONG)
		return fail(c, E_UPSTREAM, "%s didn't answer in %lld seconds (acme_s)",
		    conf->acme_directory, (long long)conf->acme_s);
	return fail(c, E_UPSTREAM, "uacme: %s",
	    str_cut(c->mem, str_one_line(c->mem, buf_done(&said)), WHY_CHARS));
}

/* The account is registered when the file `account` names the authority and the contact. uacme says
 * of one that is there already that it exists, and fails. */
static enum err
account_make(struct ctx *c, bool *limited)
{
	const char *contact = c->conf->acme_contact, *path = held(c, "acme/account");
	const char *want = mem_printf(c->mem, "%s %s\n", c->conf->acme_directory, contact);
	struct buf is = BUF(c->mem);
	const char *words[] = { "new", conf_has(contact) ? contact : NULL, NULL };

	if (certificate_load(path, &is) && str_eq(is.s, want))
		return E_OK;
	errno = 0;
	if (uacme_run(c, words, limited)) {
		if (!c->message || !strstr(c->message, "already exists"))
			return c->err;
		ctx_forgive(c);
	}
	return file_replace(c, path, 0600, want, strlen(want));
}

/* uacme would take a former key again. */
static void
uacme_forget(struct ctx *c, const char *key, const char *chain)
{
	unlink(key);
	unlink(chain);
	/* Removed with the last file; uacme makes them. */
	rmdir(mem_strndup(c->mem, key, (size_t)(strrchr(key, '/') - key)));
	rmdir(mem_strndup(c->mem, chain, (size_t)(strrchr(chain, '/') - chain)));
	errno = 0;
}

enum err
certificate_issue(struct ctx *c, const char *host, const char *pages, struct buf *out,
    struct certificate *got, bool *limited)
{
	const char *key = held(c, mem_printf(c->mem, "acme/private/%s/key.pem", host)),
		   *chain = held(c, mem_printf(c->mem, "acme/%s/cert.pem", host)), *why;
	const char *ca = c->conf->egress_ca_file;
	enum err e;
	bool whole;

	challenges_clear(c);
	TRY(account_make(c, limited));
	uacme_forget(c, key, chain);
	setenv("VITRINE_ACME_HOST", host, 1);
	e = uacme_run(c, (const char *const[]){ "issue", host, pages, NULL }, limited);
	whole = !e && certificate_load(key, out) && certificate_load(chain, out);
	uacme_forget(c, key, chain);
	TRY(e);
	if (!whole)
		return fail_here(c, "%s", chain);
	/* The certificate begins while uacme runs. */
	c->now = time(NULL);
	why = certificate_unfit_for(c, host, pages, out->s, out->n, got);
	if (!why)
		why = certificate_untrusted(c->mem, out->s, out->n, conf_has(ca) ? ca : NULL);
	return why ? fail(c, E_UPSTREAM, "the authority's certificate: %s", why) : E_OK;
}

static enum err
operator_mail(struct ctx *c, const struct certificate *now, const struct state *s)
{
	TRY(db_begin(c));
	TRY(mail_send(c,
	    &(struct mail){ .template = MAIL_CERTIFICATE_ENDS,
		.to = c->conf->acme_contact,
		.values = { .what = mem_printf(c->mem, "%s, *.%s", card_host(c->mem, c->conf),
				c->conf->content_domain),
		    .when = str_date(c->mem, now->ends_at),
		    .message = s->why } }));
	return db_commit(c);
}

/* Sends mail once for a certificate. Without a mail server the log has it. */
static void
operator_warn(struct ctx *c, const struct certificate *now, struct state *s)
{
	struct ctx *part;

	if (!now->ends_at || now->ends_at - c->now > late_s(now) || s->mailed == now->ends_at ||
	    !conf_has(c->conf->acme_contact) || !mail_enabled(c))
		return;
	part = ctx_begin(c->conf, c->db);
	if (operator_mail(part, now, s)) {
		fprintf(stderr, "vitrinectl: no mail was sent: %s\n", cmd_why(part));
		db_rollback(part);
	} else {
		s->mailed = now->ends_at;
	}
	ctx_end(part);
}

/* The attempt is counted before it is made: a run that is killed, or finds the disk full, doesn't
 * ask the authority again in a minute. */
static enum err
attempt(struct ctx *c, const struct certificate *now, struct state *s)
{
	struct buf pair = BUF(c->mem);
	struct certificate got;
	bool limited = false;
	enum err e;

	s->failures++;
	s->next_at = c->now + certificate_wait_s(s->failures);
	s->why = "it was interrupted";
	TRY(state_write(c, s));
	e = certificate_issue(c, card_host(c->mem, c->conf),
	    mem_printf(c->mem, "*.%s", c->conf->content_domain), &pair, &got, &limited);
	if (!e)
		e = file_replace(c, certificate_held(c), 0600, pair.s, pair.n);
	if (!e) {
		unlink(held(c, "base/state"));
		errno = 0;
		printf("got a certificate from %s\n", c->conf->acme_directory);
		return E_OK;
	}
	s->why = str_cut(c->mem, cmd_why(c), WHY_CHARS);
	if (limited)
		s->next_at = c->now + DAY_S;
	operator_warn(c, now, s);
	ctx_forgive(c);
	TRY(state_write(c, s));
	return fail(c, E_INVALID, "no certificate; the next attempt is at %s: %s",
	    str_rfc3339(c->mem, s->next_at), s->why);
}

static enum err
base_run(struct ctx *c, bool forced)
{
	struct certificate now;
	struct state s = state_read(c);
	const char *lack = own_read(c, &now);
	/* A clock that was ahead may have left a later attempt than any failure does. */
	bool waits = s.failures && s.next_at > c->now && s.next_at <= c->now + DAY_S;

	/* Of a certificate that begins later, this machine's clock is wrong. */
	if (!forced &&
	    (waits || now.begins_at > c->now || (!lack && c->now < certificate_due_at(&now))))
		return E_OK;
	return attempt(c, &now, &s);
}

/* Only one run at a time asks the authority; *mine is false for another. */
static enum err
run_alone(struct ctx *c, bool *mine)
{
	static const char *const names[] = { "base", "acme", "domains", "challenges" };
	int fd;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (mkdir(held(c, names[i]), i == 3 ? 0750 : 0700) && errno != EEXIST)
			return fail_here(c, "%s", held(c, names[i]));
	errno = 0;
	fd = mem_fd(c->mem, open(held(c, "lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
	if (fd < 0)
		return fail_here(c, "%s", held(c, "lock"));
	*mine = flock(fd, LOCK_EX | LOCK_NB) == 0;
	errno = 0;
	return E_OK;
}

/* ---- commands ---- */

/* Domains don't wait for the service's own names. */
static enum err
cmd_run(struct cmd_call *call)
{
	struct ctx *c = call->c;
	bool acme = str_eq(c->conf->certificates, "acme"), mine;

	if (str_eq(c->conf->certificates, "files"))
		return E_OK;
	TRY(run_alone(c, &mine));
	if (!mine)
		return E_OK;
	if (acme && base_run(c, false)) {
		fprintf(stderr, "vitrinectl: %s\n", cmd_why(c));
		call->exit = 1;
		ctx_forgive(c);
	}
	return certificates_for_domains(c);
}

static enum err
cmd_renew(struct cmd_call *call)
{
	struct ctx *c = call->c;
	bool mine;

	if (str_eq(c->conf->certificates, "local"))
		return certificate_renew_local(c);
	if (str_eq(c->conf->certificates, "files"))
		return fail(c, E_INVALID, "certificates is files: replace %s, then reload nginx",
		    c->conf->tls_cert_file);
	TRY(run_alone(c, &mine));
	return mine ? base_run(c, true) : fail(c, E_CONFLICT, "another run is under way");
}

static const char *
names_of(struct ctx *c, const struct certificate *one)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < one->name_n; i++)
		buf_fmt(&b, "%s%s", i ? " " : "", one->names[i]);
	return str_one_line(c->mem, buf_done(&b));
}

static enum err
cmd_list(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct certificate now;
	struct state s = state_read(c);
	const char *lack;

	if (str_eq(c->conf->certificates, "local")) {
		printf(
		    "base  local: tls/ beside vitrine.yaml; certificates install renews it\n");
		return E_OK;
	}
	lack = own_read(c, &now);
	if (now.ends_at)
		printf("base  %s  until %s (%lld days)\n", names_of(c, &now),
		    str_rfc3339(c->mem, now.ends_at), (long long)((now.ends_at - c->now) / DAY_S));
	if (lack)
		printf("base  %s\n", lack);
	if (s.failures)
		printf("      failed %lld times, next at %s: %s\n", (long long)s.failures,
		    str_rfc3339(c->mem, s.next_at), s.why);
	else if (!lack && str_eq(c->conf->certificates, "acme"))
		printf("      renewed at %s\n", str_rfc3339(c->mem, certificate_due_at(&now)));
	call->exit = lack != NULL;
	return E_OK;
}

const char *
certificate_finding(struct ctx *c, const char **what)
{
	struct certificate now;
	struct state s = state_read(c);
	bool acme = str_eq(c->conf->certificates, "acme");
	const char *lack;

	*what = NULL;
	if (!acme &&
	    (!str_eq(c->conf->certificates, "files") || access(c->conf->tls_cert_file, R_OK)))
		return NULL;
	lack = own_read(c, &now);
	*what = now.ends_at ? mem_printf(c->mem, "a certificate for %s, %lld days left",
				  names_of(c, &now), (long long)((now.ends_at - c->now) / DAY_S))
			    : "a certificate for both hosts";
	if (!lack && now.ends_at - c->now > late_s(&now))
		return NULL;
	if (!acme)
		return lack ? lack : "renew it, and reload nginx";
	return s.failures
	    ? mem_printf(c->mem,
		  "%s; the next attempt is at %s, or now: vitrinectl certificates "
		  "renew",
		  s.why, str_rfc3339(c->mem, s.next_at))
	    : "check that cron runs vitrinectl certificates run";
}

/* ---- the hook ---- */

static bool
is_token(const char *s, size_t most)
{
	size_t n = strspn(s, token_letters);

	return n && n <= most && !s[n];
}

/* Shows or removes <token>, which nginx serves on port 80. */
static enum err
challenge_http(struct cmd_call *call, bool begins, const char *token, const char *value)
{
	const char *path = held(call->c, mem_printf(call->c->mem, "challenges/%s", token));
	size_t n = strlen(token);

	call->exit = !is_token(token, 128) || strncmp(value, token, n) != 0 || value[n] != '.' ||
	    !is_token(value + n + 1, 128);
	if (call->exit)
		return E_OK;
	if (begins)
		return file_replace(call->c, path, 0640, value, strlen(value));
	unlink(path);
	errno = 0;
	return E_OK;
}

/* Lets the operator's program publish or remove the record. */
static enum err
challenge_dns(struct cmd_call *call, bool begins, const char *name, const char *value)
{
	struct ctx *c = call->c;
	struct buf said = BUF(c->mem);
	const char *argv[] = { c->conf->acme_dns_hook, begins ? "add" : "remove",
		mem_printf(c->mem, "_acme-challenge.%s", name), value, NULL };

	call->exit = !is_token(value, 128) || program_run(argv, HOOK_S, &said) != 0;
	if (call->exit)
		fprintf(stderr, "%s: %s\n", argv[0], str_one_line(c->mem, buf_done(&said)));
	return E_OK;
}

static enum err
cmd_hook(struct cmd_call *call)
{
	const char *const *args = call->with.args;
	const char *method = args[0], *type = args[1], *name = args[2];
	bool begins = str_eq(method, "begin");

	/* Others are declined. */
	call->exit = 1;
	if (!str_in(method, "begin|done|failed"))
		return fail(call->c, E_INVALID, "%s must be begin, done or failed", method);
	if (str_eq(type, "http-01") &&
	    (str_eq(name, card_host(call->c->mem, call->c->conf)) ||
		str_eq(name, getenv("VITRINE_ACME_HOST"))))
		return challenge_http(call, begins, args[3], args[4]);
	if (str_eq(type, "dns-01") && str_eq(name, call->c->conf->content_domain))
		return challenge_dns(call, begins, name, args[4]);
	return E_OK;
}

const struct cmd certificates_cmds[] = {
	{ "certificates run", "",
	    "each minute: get certificates from the authority that the settings name, for the "
	    "service and for domains of people's own, if one is due; one at a time, and after "
	    "failures only after 1, 4, 12 and 24 hours",
	    cmd_run },
	{ "certificates renew", "", "get or make one now for the service and its pages",
	    cmd_renew },
	{ "certificates list", "", "the certificate, its names, when it ends, and the last failure",
	    cmd_list },
	{ "certificates hook", "METHOD TYPE NAME TOKEN VALUE",
	    "for uacme: show what the authority wants to see (begin), or remove it (done, failed)",
	    cmd_hook },
	{ 0 },
};
