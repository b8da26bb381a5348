/* SPDX-License-Identifier: Apache-2.0
 * The certificate for base_url's host and *.content_domain: setting certificates. A pair is one
 * file of a key, its certificate and the chain, so that it is replaced whole.
 *
 *   tls_dir/base/combined.pem        what the authority issued; www-data's (certificates.c)
 *   tls_dir/base/state               its attempts
 *   tls_dir/acme/, challenges/       the account's key, and what the authority asks for
 *   /etc/vitrine/tls/combined.pem    what nginx serves; root's (certificates_install.c)
 *
 * /etc/vitrine is the folder of vitrine.yaml. */
#ifndef VITRINE_CERTIFICATES_H
#define VITRINE_CERTIFICATES_H
#include "base/buf.h"
#include "base/certificate.h"
#include "base/conf.h"

enum { PAIR_BYTES = 64 << 10 };

/* The pair that the authority issued, of which the rest is below tls_dir. */
const char *certificate_held(struct ctx *c);
/* Sets both to what nginx.conf names. Makes one of our own authority, with local or until another
 * authority has issued the first: nginx can start with it. This needs root. E_INVALID if the
 * settings name no files. */
enum err certificate_files(struct ctx *c, const char **certificate, const char **key);
/* Returns NULL if the pair can be served now, or why it can't. Its words come from us alone. */
const char *certificate_unfit(struct ctx *c, const char *pem, size_t n, struct certificate *out);
/* Appends a file of at most PAIR_BYTES. Returns false, with errno, if it can't be read. */
bool certificate_load(const char *path, struct buf *out);
/* For local: makes a pair and installs it, also if none is due. As root. */
enum err certificate_renew_local(struct ctx *c);

/* For doctor: returns NULL, or why the certificate needs somebody. *what is the finding's title;
 * NULL if this user can't read the certificate. */
const char *certificate_finding(struct ctx *c, const char **what);
#endif
