/* SPDX-License-Identifier: Apache-2.0
 * Passwords that are guessed first: words of a dictionary in their usual disguises, patterns, the
 * person's own name. Only strength.c sees libpwquality, which asks cracklib's dictionary. */
#ifndef VITRINE_STRENGTH_H
#define VITRINE_STRENGTH_H
#include <stdbool.h>

/* The folder of cracklib's dictionary, which Debian's cracklib-runtime makes. A worker must be let
 * read it. */
#define STRENGTH_FOLDER "/var/cache/cracklib"

/* NULL when the password is fit, else what is wrong with it, as the end of a sentence that begins
 * with "it". name is what the password must not hold, such as the part of the person's address
 * before the @; one of less than 4 characters is not looked for. Takes about a millisecond, and
 * reads the dictionary's files. Without a dictionary (strength_has_dictionary()) only patterns and
 * the name are judged. Length is the caller's business. */
const char *strength_wrong(const char *password, const char *name);
bool strength_has_dictionary(void);
#endif
