/* SPDX-License-Identifier: Apache-2.0 */
#include "base/passhash.h"

#include "base/crypto.h"
#include "base/mem.h"

#include <crypt.h>

/* A hash of this cost takes 18 ms and 17 MiB, so that the workers can bear a burst of sign-ins. */
enum { COST = 5 };
static const char method[] = "$y$";

static const char *
hash_with(void *owner, const char *password, const char *setting)
{
	struct crypt_data *data = mem_new(owner, struct crypt_data);
	const char *out = crypt_rn(password, setting, data, sizeof *data);

	return out ? mem_strdup(owner, out) : NULL;
}

const char *
passhash_new(void *owner, const char *password)
{
	char setting[CRYPT_GENSALT_OUTPUT_SIZE], salt[32];
	const char *out;

	crypto_random(salt, sizeof salt);
	out = crypt_gensalt_rn(method, COST, salt, sizeof salt, setting, sizeof setting)
	    ? hash_with(owner, password, setting)
	    : NULL;
	if (!out)
		abort();
	return out;
}

bool
passhash_check(const char *password, const char *hash)
{
	static const char nobody[] =
	    "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7";
	const char *against = hash ? hash : nobody, *got;
	void *mem = mem_root("password");
	bool same;

	got = strlen(password) <= PASSHASH_MAX ? hash_with(mem, password, against) : NULL;
	same = got && strlen(got) == strlen(against) && crypto_equal(got, against, strlen(got));
	mem_free(mem);
	return same && hash;
}
