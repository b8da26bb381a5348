/* SPDX-License-Identifier: Apache-2.0
 * Certificates: what is made is read, verified and for its names; what is cut, mixed or no text is refused. */
#include "base/certificate.h"

#include "base/mem.h"

#include "tap.h"

#include <time.h>
#include <unistd.h>

static void *mem;

static struct buf
pair_of(const struct buf *authority, const char *host, int64_t days)
{
	const char *const names[] = { host, "*.pages.example.net" };
	struct buf b = BUF(mem);

	ok(certificate_make(&b, authority, names, 2, days), "a certificate is made");
	return b;
}

static const char *
read_of(const char *pem, size_t n, struct certificate *out)
{
	return certificate_read(mem, pem, n, out);
}

int
main(void)
{
	const char *path;
	struct buf key = BUF(0), ca = BUF(0), other_ca = BUF(0), unused = BUF(0), all = BUF(0), mixed = BUF(0), one, two;
	struct certificate got;
	const char *begins;
	FILE *f;

	mem = mem_root("test");
	key.owner = ca.owner = other_ca.owner = unused.owner = all.owner = mixed.owner = mem;
	path = mem_printf(mem, "/tmp/vitrine-certificate-%d.pem", (int)getpid());
	ok(certificate_make_authority(&key, &ca, "Ours") && certificate_make_authority(&unused, &other_ca, "Others"), "two authorities");
	buf_add(&all, key.s, key.n);
	buf_add(&all, ca.s, ca.n);
	one = pair_of(&all, "app.example.org", 90);
	two = pair_of(&all, "app.example.org", 90);

	is_str(read_of(one.s, one.n, &got), NULL, "it is read");
	ok(got.has_key && got.name_n == 2, "with its key and its names");
	ok(certificate_covers(&got, "app.example.org") && certificate_covers(&got, "APP.example.org") && certificate_covers(&got, "*.pages.example.net"),
	    "it is for these");
	ok(!certificate_covers(&got, "example.org") && !certificate_covers(&got, "a.pages.example.net"), "and for no others");
	ok(got.begins_at < time(NULL) && got.ends_at > time(NULL) + 89 * 86400 && got.ends_at < time(NULL) + 91 * 86400, "for its days");

	begins = strstr(one.s, "-----BEGIN CERTIFICATE");
	is_str(read_of(begins, strlen(begins), &got), NULL, "a certificate alone");
	ok(!got.has_key, "has no key");
	buf_add(&mixed, two.s, (size_t)(strstr(two.s, "-----BEGIN CERTIFICATE") - two.s));
	buf_str(&mixed, begins);
	is_str(read_of(mixed.s, mixed.n, &got), "its key is another certificate's", "with another's key it is refused");
	for (size_t n = 0; n < one.n - 1; n += 7)
		if (!read_of(one.s, n, &got))
			ok(false, "a part of it is refused");
	is_str(read_of("", 0, &got), "it isn't a whole certificate in PEM", "nothing");

	f = fopen(path, "we");
	fputs(ca.s, f);
	fclose(f);
	is_str(certificate_untrusted(mem, one.s, one.n, path), NULL, "its authority is trusted");
	f = fopen(path, "we");
	fputs(other_ca.s, f);
	fclose(f);
	ok(strstr(certificate_untrusted(mem, one.s, one.n, path), "leads to no authority in /tmp/"), "another isn't");
	unlink(path);
	ok(strstr(certificate_untrusted(mem, one.s, one.n, path), "can't be read"), "nor one that isn't there");
	one = pair_of(&all, "ended.example.org", 0);
	is_str(read_of(one.s, one.n, &got), NULL, "one that has ended is read");
	ok(got.ends_at <= time(NULL), "and is seen to have");
	mem_free(mem);
	return done();
}
