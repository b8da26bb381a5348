/* SPDX-License-Identifier: Apache-2.0
 * Password hashes: yescrypt in the form of crypt(5). Each hash names its own cost, so the cost of
 * new ones can be raised later. Only passhash.c sees libcrypt. */
#ifndef VITRINE_PASSHASH_H
#define VITRINE_PASSHASH_H
#include <stdbool.h>

enum { PASSHASH_MAX = 256 }; /* bytes of a password; libcrypt refuses 512 */

const char *passhash_new(void *owner, const char *password);
/* hash is NULL when the account has no password: the result is false, after as much time as for a
 * real hash, so the time tells nothing. */
bool passhash_check(const char *password, const char *hash);
#endif
