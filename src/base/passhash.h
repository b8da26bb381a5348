/* SPDX-License-Identifier: Apache-2.0
 * Hashes of passwords: yescrypt in the form of crypt(5), with its cost inside, so that it can be
 * raised later. Only passhash.c sees libcrypt. */
#ifndef VITRINE_PASSHASH_H
#define VITRINE_PASSHASH_H
#include <stdbool.h>

enum { PASSHASH_MAX = 256 }; /* bytes of a password: libcrypt refuses 512 */

const char *passhash_new(void *owner, const char *password);
/* hash NULL: there is none, which takes as long and is false. */
bool passhash_check(const char *password, const char *hash);
#endif
