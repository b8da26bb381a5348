/* SPDX-License-Identifier: Apache-2.0 */
#include "core/notice.h"

#include "base/str.h"
#include "core/mail.h"

static const struct {
	const char *word, *text;
} notices[] = {
#define NOTICE(word, text) { word, text },
#include "core/nouns.def"
#define VISIBILITY(word, means) { #word, "It is " #word " now." },
#include "base/visibility.def"
#undef VISIBILITY
};

static const char *
notice_named(const char *word)
{
	for (size_t i = 0; i < sizeof notices / sizeof *notices; i++)
		if (str_eq(notices[i].word, word))
			return notices[i].text;
	return NULL;
}

const char *
notice_text(struct ctx *c, const char *word)
{
	const char *unmailed =
	    word && !mail_enabled(c) ? notice_named(mem_printf(c->mem, "%s_untold", word)) : NULL;

	return unmailed ? unmailed : notice_named(word);
}
