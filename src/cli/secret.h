/* SPDX-License-Identifier: Apache-2.0
 * What looks as if it was not meant to be published: keys and tokens by the forms that their makers
 * gave them, and files by their names. */
#ifndef VITRINE_CLI_SECRET_H
#define VITRINE_CLI_SECRET_H
#include <stddef.h>

enum { SECRET_BYTES = 128 }; /* no form is longer, so pieces of a file overlap by as much */

/* What it is ("a private key"), or NULL. */
const char *secret_in(const char *bytes, size_t n);
const char *secret_by_name(const char *path);
#endif
