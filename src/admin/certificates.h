/* SPDX-License-Identifier: Apache-2.0
 * The certificate for base_url's host and *.content_domain: setting certificates. A pair is one
 * file of a key, its certificate and the chain, so that it is replaced whole.
 *
 *   tls_dir/base/combined.pem        what the authority issued; www-data's (certificates.c)
 *   tls_dir/base/state               its attempts
 *   tls_dir/acme/, challenges/       the account's key, and what the authority asks for
 *   tls_dir/domains/HOST/combined.pem  of a domain of one's own; www-data's, also nginx's workers
 *   tls_dir/domains.pem, ca.pem      with local, the authority of these (certificates_domains.c)
 *   /etc/vitrine/tls/combined.pem    what nginx serves; root's (certificates_install.c)
 *
 * /etc/vitrine is the folder of vitrine.yaml. */
#ifndef VITRINE_CERTIFICATES_H
#define VITRINE_CERTIFICATES_H
#include "base/buf.h"
#include "base/certificate.h"
#include "base/conf.h"

enum { PAIR_BYTES = 64 << 10, CERTIFICATE_LOCAL_DAYS = 397 };

/* The pair that the authority issued, of which the rest is below tls_dir. */
const char *certificate_held(struct ctx *c);
/* Sets both to what nginx.conf names. Makes one of our own authority, with local or until another
 * authority has issued the first: nginx can start with it. This needs root. E_INVALID if the
 * settings name no files. */
enum err certificate_files(struct ctx *c, const char **certificate, const char **key);
/* Returns NULL if the pair can be served now, or why it can't. Its words come from us alone. */
const char *certificate_unfit(struct ctx *c, const char *pem, size_t n, struct certificate *out);
/* certificate_unfit() for a certificate of a host, and of pages unless that is NULL. */
const char *certificate_unfit_for(struct ctx *c, const char *host, const char *pages,
    const char *pem, size_t n, struct certificate *out);
/* When it is renewed: a third of its life before it ends. */
int64_t certificate_due_at(const struct certificate *);
/* Seconds to wait after an attempt failed, by the number of failures: at least 1. */
int64_t certificate_wait_s(int64_t failures);
/* Gets a key and a chain by ACME: for a host by http-01, and for pages, a wildcard or NULL, by
 * dns-01. E_UPSTREAM says what failed; *limited: the authority was asked too often. */
enum err certificate_issue(struct ctx *c, const char *host, const char *pages, struct buf *out,
    struct certificate *got, bool *limited);
/* Appends the key and the certificate of an authority of our own; makes them if they aren't there.
 */
enum err certificate_authority(
    struct ctx *c, const char *key_path, const char *path, struct buf *out);
/* Gets certificates for the domains whose attempt is due, and removes those of domains that ended.
 * Failures are the domains', whose owners see them; they are printed, too. */
enum err certificates_for_domains(struct ctx *c);
/* Appends a file of at most PAIR_BYTES. Returns false, with errno, if it can't be read. */
bool certificate_load(const char *path, struct buf *out);
/* For local: makes a pair and installs it, also if none is due. As root. */
enum err certificate_renew_local(struct ctx *c);

/* For doctor: returns NULL, or why the certificate needs somebody. *what is the finding's title;
 * NULL if this user can't read the certificate. */
const char *certificate_finding(struct ctx *c, const char **what);
#endif
