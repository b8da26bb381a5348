/* SPDX-License-Identifier: Apache-2.0
 * Recognizes files that probably weren't meant to be published: by keys and tokens in them, and by
 * their names. */
#ifndef VITRINE_CLI_SECRET_H
#define VITRINE_CLI_SECRET_H
#include <stddef.h>

enum { SECRET_BYTES = 128 }; /* no key is longer, so pieces of a file overlap by this much */

/* Return the kind of secret ("a private key"), or NULL. */
const char *secret_in(const char *bytes, size_t n);
const char *secret_by_name(const char *path);
#endif
