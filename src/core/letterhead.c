/* SPDX-License-Identifier: Apache-2.0 */
#include "core/letterhead.h"

#include "base/conf.h"
#include "base/str.h"

const char *
mail_inert(struct ctx *c, const char *s)
{
	struct buf b = BUF(c->mem);

	if (str_email(s))
		return s;
	for (const char *p = s; *p; p++) {
		bool dot = *p == '.' && p > s && (unsigned char)p[-1] > ' ' &&
		    (isalpha((unsigned char)p[1]) || (unsigned char)p[1] >= 0x80);

		if (dot || (*p == ':' && p[1] == '/') || (p[0] == '/' && p[1] == '/'))
			buf_str(&b, "\xe2\x81\xa0");
		buf_chr(&b, *p);
	}
	return buf_done(&b);
}

const char *
mail_host(struct ctx *c)
{
	return c->conf->base_url + strlen("https://");
}

static const char html_logo[] = "<td style=\"padding:0 12px 0 0\"><img src=\"";
/* An image that isn’t loaded has no replacement text, because the name is beside it. */
static const char html_sender[] =
    "\" alt=\"\" height=\"40\" style=\"display:block;height:40px;width:auto;max-width:160px;"
    "object-fit:contain;border:0\"></td>";
static const char html_name[] =
    "<td class=\"ink\" style=\"font-size:16px;font-weight:600;" INK "\">";
static const char html_at[] =
    " <span class=\"soft\" style=\"font-weight:400;" SOFT "\">";
/* A strip without text, so that no color makes anything hard to read. */
static const char html_band[] = "<tr><td height=\"6\" bgcolor=\"";
static const char html_banded[] =
    "\" style=\"height:6px;line-height:6px;font-size:0;"
    "border-radius:10px 10px 0 0\">&nbsp;</td></tr>\n";

bool
letterhead_has_band(const struct mail_brand *b)
{
	return b && b->color && str_color(b->color);
}

void
letterhead_html(struct ctx *c, struct buf *html, const struct mail_brand *b)
{
	if (b && b->logo_url) {
		buf_str(html, html_logo);
		buf_html(html, b->logo_url);
		buf_str(html, html_sender);
	}
	buf_str(html, html_name);
	buf_html(html, b ? mail_inert(c, b->name) : "Vitrine");
	if (!b || !b->hide_vitrine) {
		buf_str(html, html_at);
		buf_str(html, b ? "on Vitrine at " : "at ");
		buf_html(html, mail_host(c));
		buf_str(html, "</span>");
	}
	buf_str(html, "</td></tr></table></td></tr>\n");
	if (letterhead_has_band(b)) {
		buf_str(html, html_band);
		buf_str(html, b->color);
		buf_str(html, html_banded);
	}
}

const char *
mail_link(void *owner, const char *address)
{
	const char *at = strchr(address, '@');
	struct buf b = BUF(owner);

	buf_str(&b, "mailto:");
	buf_form(&b, mem_strndup(owner, address, (size_t)(at - address)));
	buf_chr(&b, '@');
	buf_form(&b, at + 1);
	return buf_done(&b);
}

void
signature_text(struct ctx *c, struct buf *text, const struct mail_brand *b)
{
	buf_str(text, "\n\n-- \n");
	if (!b) {
		buf_fmt(text, "Vitrine, %s\n", c->conf->base_url);
		return;
	}
	buf_fmt(text, "%s\n", mail_inert(c, b->name));
	if (b->footer)
		buf_fmt(text, "%s\n", mail_inert(c, b->footer));
	if (b->support_email)
		buf_fmt(text, "Questions? %s\n", b->support_email);
	buf_fmt(text, "%s%s\n", b->hide_vitrine ? "" : "Sent by Vitrine, ", c->conf->base_url);
}

void
signature_html(struct ctx *c, struct buf *html, const struct mail_brand *b)
{
	buf_str(html, b && b->hide_vitrine ? "<br>Sent from " : "<br>Sent by Vitrine at ");
	buf_html(html, c->conf->base_url);
	buf_chr(html, '.');
	if (b && b->footer) {
		buf_str(html, "<br>");
		buf_html(html, mail_inert(c, b->footer));
	}
	if (!b || !b->support_email)
		return;
	buf_str(html, "<br>Questions? <a class=\"soft\" href=\"");
	buf_html(html, mail_link(c->mem, b->support_email));
	buf_str(html, "\" style=\"" SOFT "\">");
	buf_html(html, b->support_email);
	buf_str(html, "</a>");
}
