/* SPDX-License-Identifier: Apache-2.0
 * X.509 certificates, as PEM: reads them with their key, verifies them, and makes those of an
 * authority of our own. Only certificate.c includes OpenSSL's headers for them. */
#ifndef VITRINE_CERTIFICATE_H
#define VITRINE_CERTIFICATE_H
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct certificate {
	int64_t begins_at, ends_at; /* Unix seconds */
	const char **names;         /* of hosts */
	size_t name_n;
	bool has_key; /* the text contains the certificate's key */
};

/* Reads the first certificate of a text, and its key if there is one. Returns NULL; or why the text
 * can't be used, such as a key of another certificate. Never asks for a password. */
const char *certificate_read(void *owner, const char *pem, size_t n, struct certificate *out);
/* True if the certificate names the host, or the wildcard: "app.example.org", "*.example.net". */
bool certificate_covers(const struct certificate *, const char *name);
/* Returns NULL if the text's chain leads to an authority in ca_file (NULL: the system's) now; or
 * why it doesn't. */
const char *certificate_untrusted(void *owner, const char *pem, size_t n, const char *ca_file);

/* Append a key and a certificate: an authority's with this name, which lasts ten years; and one for
 * hosts, which the authority (key and certificate) signs. Return false if OpenSSL fails. */
bool certificate_make_authority(struct buf *key, struct buf *certificate, const char *name);
bool certificate_make(
    struct buf *out, const struct buf *authority, const char *const *names, size_t n, int64_t days);
#endif
