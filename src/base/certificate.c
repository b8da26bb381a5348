/* SPDX-License-Identifier: Apache-2.0 */
#include "base/certificate.h"

#include "base/mem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <strings.h>

#define SYSTEM_CA "/etc/ssl/certs/ca-certificates.crt"

enum { DAY_S = 86400, AUTHORITY_DAYS = 3650, SERIAL_BITS = 127, NAME_CHARS = 64 };

MEM_DEFERRED(bio_free, BIO_free);
MEM_DEFERRED(key_free, EVP_PKEY_free);
MEM_DEFERRED(x509_free, X509_free);
MEM_DEFERRED(store_free, X509_STORE_free);
MEM_DEFERRED(verify_free, X509_STORE_CTX_free);

static void
chain_free(void *chain)
{
	sk_X509_pop_free((STACK_OF(X509) *)chain, X509_free);
}

/* ---- reading ---- */

/* Without this, OpenSSL would ask at the terminal. */
static int
no_password(char *to, int size, int writes, void *arg)
{
	(void)to, (void)size, (void)writes, (void)arg;
	return -1;
}

static BIO *
bio_of(void *owner, const char *pem, size_t n)
{
	BIO *bio = BIO_new_mem_buf(pem, (int)n);

	if (!bio)
		abort();
	mem_defer(owner, bio_free, bio);
	return bio;
}

static X509 *
x509_read(void *owner, BIO *bio)
{
	X509 *x = PEM_read_bio_X509(bio, NULL, no_password, NULL);

	if (x)
		mem_defer(owner, x509_free, x);
	ERR_clear_error();
	return x;
}

static EVP_PKEY *
key_read(void *owner, const char *pem, size_t n)
{
	EVP_PKEY *key = PEM_read_bio_PrivateKey(bio_of(owner, pem, n), NULL, no_password, NULL);

	if (key)
		mem_defer(owner, key_free, key);
	ERR_clear_error();
	return key;
}

static bool
time_read(const ASN1_TIME *from, int64_t *out)
{
	struct tm tm;

	if (!ASN1_TIME_to_tm(from, &tm))
		return false;
	*out = timegm(&tm);
	return true;
}

const char *
certificate_read(void *owner, const char *pem, size_t n, struct certificate *out)
{
	X509 *x = x509_read(owner, bio_of(owner, pem, n));
	EVP_PKEY *key = key_read(owner, pem, n);
	GENERAL_NAMES *all;
	int name_n;

	*out = (struct certificate){ .has_key = key != NULL };
	if (!x)
		return "it isn't a whole certificate in PEM";
	if (key && !X509_check_private_key(x, key))
		return "its key is another certificate's";
	if (!time_read(X509_get0_notBefore(x), &out->begins_at) ||
	    !time_read(X509_get0_notAfter(x), &out->ends_at))
		return "its times can't be read";
	all = X509_get_ext_d2i(x, NID_subject_alt_name, NULL, NULL);
	name_n = all ? sk_GENERAL_NAME_num(all) : 0;
	out->names = mem_array(owner, const char *, (size_t)name_n + 1);
	for (int i = 0; i < name_n; i++) {
		const GENERAL_NAME *one = sk_GENERAL_NAME_value(all, i);
		const char *text, *name;
		size_t bytes;

		if (one->type != GEN_DNS)
			continue;
		text = (const char *)ASN1_STRING_get0_data(one->d.dNSName);
		bytes = (size_t)ASN1_STRING_length(one->d.dNSName);
		name = mem_strndup(owner, text, bytes);
		/* A name with a NUL is skipped: what follows the NUL would be hidden. */
		if (strlen(name) == bytes)
			out->names[out->name_n++] = name;
	}
	GENERAL_NAMES_free(all);
	return NULL;
}

bool
certificate_covers(const struct certificate *c, const char *name)
{
	for (size_t i = 0; i < c->name_n; i++)
		if (strcasecmp(c->names[i], name) == 0)
			return true;
	return false;
}

const char *
certificate_untrusted(void *owner, const char *pem, size_t n, const char *ca_file)
{
	BIO *bio = bio_of(owner, pem, n);
	X509 *leaf = x509_read(owner, bio), *next;
	STACK_OF(X509) *chain = sk_X509_new_null();
	X509_STORE *store = X509_STORE_new();
	X509_STORE_CTX *verify = X509_STORE_CTX_new();
	const char *path = ca_file ? ca_file : SYSTEM_CA;

	if (!chain || !store || !verify)
		abort();
	mem_defer(owner, chain_free, chain);
	mem_defer(owner, store_free, store);
	mem_defer(owner, verify_free, verify);
	while ((next = PEM_read_bio_X509(bio, NULL, no_password, NULL)))
		sk_X509_push(chain, next);
	ERR_clear_error();
	if (!leaf)
		return "it isn't a whole certificate in PEM";
	if (!X509_STORE_load_file(store, path))
		return mem_printf(owner, "%s can't be read", path);
	if (!X509_STORE_CTX_init(verify, store, leaf, chain) ||
	    !X509_STORE_CTX_set_default(verify, "ssl_server"))
		abort();
	if (X509_verify_cert(verify) == 1)
		return NULL;
	ERR_clear_error();
	return mem_printf(owner, "its chain leads to no authority in %s (%s)", path,
	    X509_verify_cert_error_string(X509_STORE_CTX_get_error(verify)));
}

/* ---- making ---- */

static bool
extension_add(X509 *x, X509 *issuer, int kind, const char *value)
{
	X509V3_CTX context;
	X509_EXTENSION *one;
	bool added;

	X509V3_set_ctx(&context, issuer, x, NULL, NULL, 0);
	one = X509V3_EXT_conf_nid(NULL, &context, kind, value);
	added = one && X509_add_ext(x, one, -1);
	X509_EXTENSION_free(one);
	return added;
}

static bool
serial_set(X509 *x)
{
	BIGNUM *number = BN_new();
	bool set = number && BN_rand(number, SERIAL_BITS, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) &&
	    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(x));

	BN_free(number);
	return set;
}

/* Sets all but the extensions and the signature. The certificate begins an hour ago, because other
 * machines' clocks may be behind. */
static bool
x509_fill(X509 *x, EVP_PKEY *key, const char *name, int64_t days)
{
	return X509_set_version(x, X509_VERSION_3) && serial_set(x) && X509_set_pubkey(x, key) &&
	    X509_gmtime_adj(X509_getm_notBefore(x), -3600) &&
	    X509_gmtime_adj(X509_getm_notAfter(x), (long)(days * DAY_S)) &&
	    X509_NAME_add_entry_by_NID(X509_get_subject_name(x), NID_commonName, MBSTRING_UTF8,
		(const unsigned char *)name, (int)strnlen(name, NAME_CHARS), -1, 0);
}

static void
bio_add(struct buf *to, BIO *bio)
{
	char *bytes;
	long n = BIO_get_mem_data(bio, &bytes);

	buf_add(to, bytes, (size_t)n);
}

static bool
x509_write(void *owner, struct buf *out, X509 *x)
{
	BIO *bio = BIO_new(BIO_s_mem());

	mem_defer(owner, bio_free, bio);
	if (!PEM_write_bio_X509(bio, x))
		return false;
	bio_add(out, bio);
	return true;
}

static EVP_PKEY *
key_make(void *owner, struct buf *out)
{
	BIO *bio = BIO_new(BIO_s_mem());
	EVP_PKEY *key = EVP_EC_gen("P-256");

	mem_defer(owner, bio_free, bio);
	mem_defer(owner, key_free, key);
	if (!key || !PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL))
		return NULL;
	bio_add(out, bio);
	return key;
}

static X509 *
x509_make(void *owner)
{
	X509 *x = X509_new();

	if (!x)
		abort();
	mem_defer(owner, x509_free, x);
	return x;
}

bool
certificate_make_authority(struct buf *key_out, struct buf *certificate, const char *name)
{
	void *owner = certificate->owner;
	X509 *x = x509_make(owner);
	EVP_PKEY *key = key_make(owner, key_out);

	return key && x509_fill(x, key, name, AUTHORITY_DAYS) &&
	    X509_set_issuer_name(x, X509_get_subject_name(x)) &&
	    extension_add(x, x, NID_basic_constraints, "critical,CA:TRUE") &&
	    extension_add(x, x, NID_key_usage, "critical,keyCertSign,cRLSign") &&
	    extension_add(x, x, NID_subject_key_identifier, "hash") &&
	    X509_sign(x, key, EVP_sha256()) && x509_write(owner, certificate, x);
}

bool
certificate_make(
    struct buf *out, const struct buf *authority, const char *const *names, size_t n, int64_t days)
{
	void *owner = out->owner;
	X509 *x = x509_make(owner),
	     *issuer = x509_read(owner, bio_of(owner, authority->s, authority->n));
	EVP_PKEY *signs = key_read(owner, authority->s, authority->n), *key = key_make(owner, out);
	struct buf all = BUF(owner);

	for (size_t i = 0; i < n; i++)
		buf_fmt(&all, "%sDNS:%s", i ? "," : "", names[i]);
	return key && issuer && signs && X509_check_private_key(issuer, signs) &&
	    x509_fill(x, key, names[0], days) &&
	    X509_set_issuer_name(x, X509_get_subject_name(issuer)) &&
	    extension_add(x, issuer, NID_subject_alt_name, buf_done(&all)) &&
	    extension_add(x, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
	    extension_add(x, issuer, NID_ext_key_usage, "serverAuth") &&
	    X509_sign(x, signs, EVP_sha256()) && x509_write(owner, out, x);
}
