/* SPDX-License-Identifier: Apache-2.0
 * Finds passwords that attackers guess first: dictionary words, also disguised, patterns, and the
 * person's own name. Only strength.c includes libpwquality, which uses cracklib's dictionary. */
#ifndef VITRINE_STRENGTH_H
#define VITRINE_STRENGTH_H
#include <stdbool.h>

/* The folder of cracklib's dictionary, which Debian's cracklib-runtime fills. Workers must be
 * allowed to read it. */
#define STRENGTH_FOLDER "/var/cache/cracklib"

/* Returns NULL if the password is good, else the reason in words that follow "it". name must not
 * occur in it, such as the part of the person's address before the @; a name of less than 4
 * characters is ignored. Takes about a millisecond. Without a dictionary it checks only patterns
 * and the name. Callers check the length. */
const char *strength_wrong(const char *password, const char *name);
bool strength_has_dictionary(void);
#endif
