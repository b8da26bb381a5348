/* SPDX-License-Identifier: Apache-2.0
 * Password hashes: yescrypt in the form of crypt(5). Each hash names its own cost, so we can raise
 * the cost of new ones later. Only passhash.c includes libcrypt. */
#ifndef VITRINE_PASSHASH_H
#define VITRINE_PASSHASH_H
#include <stdbool.h>

enum { PASSHASH_MAX = 256 }; /* bytes of a password; libcrypt refuses 512 */

const char *passhash_new(void *owner, const char *password);
/* True if the password matches. hash is NULL if the account has no password; the result is then
 * false after the time that a real hash takes, so that the time doesn't reveal it. */
bool passhash_check(const char *password, const char *hash);
#endif
