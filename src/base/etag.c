/* SPDX-License-Identifier: Apache-2.0 */
#include "base/etag.h"

#include "base/crypto.h"
#include "base/mem.h"

enum { ETAG_BYTES = 12 };

const char *
etag_of_sha256(void *owner, const char *hex)
{
	return hex ? mem_printf(owner, "\"%.*s\"", 2 * ETAG_BYTES, hex) : NULL;
}

const char *
etag_of_bytes(void *owner, const void *bytes, size_t n)
{
	uint8_t digest[SHA256_BYTES];

	crypto_sha256(bytes, n, digest);
	return etag_of_sha256(owner, crypto_hex(owner, digest, sizeof digest));
}
