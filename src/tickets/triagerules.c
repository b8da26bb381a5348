/* SPDX-License-Identifier: Apache-2.0
 * Triage without a language model: words that a ticket has. */
#include "base/str.h"
#include "base/unicode.h"
#include "tickets/triage.h"

#include <string.h>

enum { SUMMARY_CHARS = 200 };

/* The first rule that fits wins. Words are in lower case, between spaces; a word that ends in *
 * matches longer ones. */
static const struct {
	const char *is, *words;
} categories[] = {
	{ "abuse", "phishing|malware|abuse|spam|copyright|dmca|impersonat*" },
	{ "billing", "invoice*|billing|payment*|charged|refund*|card|receipt*|price|"
		     "subscription*" },
	{ "account", "password*|login|log in|sign in|signin|signing in|authenticator|2fa|mfa|"
		     "recovery code*|my account|delete account" },
	{ "domains", "domain*|subdomain*|dns|certificate*|ssl|tls|hostname*" },
	{ "jobs", "job|jobs|schedule*|cron|automation*|webhook*|run failed" },
	{ "data", "table|tables|csv|rows|database|postgres*|json store|import*" },
	{ "library", "upload*|download*|delivery link*|asset*|library" },
	{ "visibility", "private|public|unlisted|share*|sharing|collaborator*|permission*" },
	{ "workspace", "workspace*|member*|invit*|team|seat*|owner" },
	{ "publishing", "publish*|deploy*|version*|site|page|pages|artifact*|html" },
	{ "api", "api|token*|sdk|curl|rate limit*|endpoint*" },
}, priorities[] = {
	{ "urgent", "outage|data loss|lost data|breach|leak|leaked|hacked|stolen|compromised|"
		    "everything is down|is down|phishing|malware" },
	{ "high", "urgent|urgently|asap|deadline|blocked|can t sign in|cannot sign in|can t log in|"
		  "production|locked out|charged twice" },
	{ "low", "question|feature request|suggestion|how do i|how can i|would be nice|typo|"
		 "thanks|thank you" },
};

/* Letters and digits in lower case, all else of ASCII, and the apostrophe, one space. */
static const char *
words_of(struct ctx *c, const char *subject, const char *body)
{
	const char *text =
	    unicode_casefold_nfkc(c->mem, mem_printf(c->mem, "%s %s", subject, body));
	struct buf b = BUF(c->mem);

	buf_chr(&b, ' ');
	for (; text && *text; text++)
		if (str_starts(text, "’") || str_starts(text, "‘")) {
			buf_chr(&b, ' ');
			text += strlen("’") - 1;
		} else if (isalnum((unsigned char)*text) || (unsigned char)*text >= 0x80) {
			buf_chr(&b, *text);
		} else if (b.s[b.n - 1] != ' ') {
			buf_chr(&b, ' ');
		}
	buf_chr(&b, ' ');
	return buf_done(&b);
}

static bool
has_one_of(struct ctx *c, const char *text, const char *words)
{
	for (char *rest = mem_strdup(c->mem, words), *word; (word = str_split(&rest, '|'));) {
		size_t n = strlen(word);
		bool begins = word[n - 1] == '*';

		word = mem_printf(c->mem, " %.*s%s", (int)(n - begins), word, begins ? "" : " ");
		if (strstr(text, word))
			return true;
	}
	return false;
}

void
triage_by_rules(struct ctx *c, const char *subject, const char *body, struct ticket_triage *out)
{
	const char *text = words_of(c, subject, body);

	*out = (struct ticket_triage){ .category = "other", .priority = "normal",
		.summary = str_cut(c->mem,
		    str_one_line(c->mem, mem_printf(c->mem, "%s: %s", subject, body)),
		    SUMMARY_CHARS),
		.source = "rules" };
	for (size_t i = sizeof categories / sizeof *categories; i-- > 0;)
		if (has_one_of(c, text, categories[i].words))
			out->category = categories[i].is;
	for (size_t i = sizeof priorities / sizeof *priorities; i-- > 0;)
		if (has_one_of(c, text, priorities[i].words))
			out->priority = priorities[i].is;
}
