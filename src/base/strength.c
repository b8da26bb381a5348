/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strength.h"

#include <fcntl.h>
#include <pwquality.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The library's minimum length. */
enum { SHORTEST = 6 };

/* Opens the file, because access() ignores Landlock. */
bool
strength_has_dictionary(void)
{
	int fd = open(STRENGTH_FOLDER "/cracklib_dict.pwi", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Cracklib's messages address administrators, so we recognise each by a word and say it
 * differently. */
static const char *
cracklib_words(const char *said)
{
	static const char *const words[][2] = {
		{ "dictionary word", "it's a common word or password, or close to one" },
		{ "simplistic", "it follows a simple pattern, like 12345 or abcde" },
		{ "DIFFERENT", "it has too few different characters" },
		{ "whitespace", "it consists only of spaces" },
	};

	for (size_t i = 0; said && i < sizeof words / sizeof *words; i++)
		if (strstr(said, words[i][0]))
			return words[i][1];
	return "it's too easy to guess";
}

static const char *
verdict_words(int verdict, const char *said)
{
	switch (verdict) {
	case PWQ_ERROR_PALINDROME:
		return "it reads the same backwards";
	case PWQ_ERROR_USER_CHECK:
		return "it contains the name from your e-mail address";
	case PWQ_ERROR_MEM_ALLOC:
		abort();
	default:
		return cracklib_words(said);
	}
}

/* Doesn't read the library's settings file, which is meant for the system's users. */
const char *
strength_wrong(const char *password, const char *name)
{
	pwquality_settings_t *settings = pwquality_default_settings();
	void *said = NULL;
	int verdict;

	if (!settings)
		abort();
	pwquality_set_int_value(settings, PWQ_SETTING_MIN_LENGTH, SHORTEST);
	pwquality_set_str_value(settings, PWQ_SETTING_DICT_PATH, STRENGTH_FOLDER "/cracklib_dict");
	/* Without the dictionary the library would refuse every password. */
	if (!strength_has_dictionary())
		pwquality_set_int_value(settings, PWQ_SETTING_DICT_CHECK, 0);
	verdict = pwquality_check(settings, password, NULL, name, &said);
	pwquality_free_settings(settings);
	return verdict < 0 ? verdict_words(verdict, said) : NULL;
}
