/* SPDX-License-Identifier: Apache-2.0
 * GMime parses the mail. We convert character sets and encoded words with unicode_from() instead of
 * GMime's iconv, because a confined process can't load iconv's modules. */
#include "ext/mailread.h"

#include "base/str.h"
#include "base/unicode.h"
#include "ext/apart.h"
#include "ext/html.h"
#include "ext/mailtext.h"

#include <gmime/gmime.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 20, PARTS = 500, CHARSET = 40, WORD = 1 << 16, UTF8_MOST = 4 };

/* ---- bytes as text ---- */

/* Returns bytes, which may contain NULs, as UTF-8 that ends with a NUL. */
static const char *
utf8_of(void *mem, const char *charset, const char *bytes, size_t n, size_t *out_n)
{
	/* Text in these character sets looks like valid UTF-8. */
	bool other = charset && (strncasecmp(charset, "utf-16", 6) == 0 ||
				    strncasecmp(charset, "iso-2022", 8) == 0);
	struct buf same = BUF(mem);
	char *text = NULL;

	*out_n = n;
	if (!other && str_utf8_valid(bytes, n)) {
		buf_add(&same, bytes, n);
		return buf_done(&same);
	}
	if (charset && *charset && strcasecmp(charset, "utf-8") != 0)
		text = unicode_from(mem, charset, bytes, n, out_n);
	if (!text)
		text = unicode_from(mem, "windows-1252", bytes, n, out_n);
	return text ? text : "";
}

/* Adds text without characters that str_plain_lines() refuses. */
static void
lines_add(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		char one[UTF8_MOST + 1] = "";
		uint32_t cp;

		len = str_utf8(s + i, n - i, &cp);
		if (!len) {
			len = 1;
			buf_str(b, "\xef\xbf\xbd");
			continue;
		}
		if (s[i] == '\r' && i + 1 < n && s[i + 1] == '\n')
			continue;
		memcpy(one, s[i] == '\r' ? "\n" : s + i, len);
		if (*one && str_plain_lines(one))
			buf_str(b, one);
	}
}

/* ---- RFC 2047 ---- */

struct word {
	const char *charset;
	const char *bytes; /* decoded, still in that character set */
	size_t n;
};

static void
word_decode(void *mem, char how, const char *text, size_t n, struct word *out)
{
	GMimeContentEncoding encoding =
	    how == 'b' ? GMIME_CONTENT_ENCODING_BASE64 : GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE;
	struct buf in = BUF(mem);
	GMimeEncoding state;
	char *bytes;

	for (size_t i = 0; i < n; i++)
		if (how == 'q' && text[i] == '_')
			buf_str(&in, "=20");
		else
			buf_chr(&in, text[i]);
	g_mime_encoding_init_decode(&state, encoding);
	bytes = mem_zalloc(mem, g_mime_encoding_outlen(&state, in.n) + 1);
	out->n = g_mime_encoding_flush(&state, buf_done(&in), in.n, bytes);
	out->bytes = bytes;
}

/* Reads =?charset*language?Q?text?=. Returns its bytes; 0 if it isn't an encoded word. */
static size_t
word_read(void *mem, const char *s, struct word *out)
{
	size_t set = strcspn(s + 2, "?* \t\r\n"), skip = 2 + set, n;
	const char *text;
	char how;

	if (s[skip] == '*')
		skip += strcspn(s + skip, "? \t\r\n");
	if (!set || set > CHARSET || s[skip] != '?' || !s[skip + 1] || s[skip + 2] != '?')
		return 0;
	how = (char)g_ascii_tolower(s[skip + 1]);
	text = s + skip + 3;
	n = strcspn(text, "?");
	if ((how != 'b' && how != 'q') || text[n] != '?' || text[n + 1] != '=' || n > WORD)
		return 0;
	out->charset = mem_strndup(mem, s + 2, set);
	word_decode(mem, how, text, n, out);
	return (size_t)(text + n + 2 - s);
}

/* Adjacent words of one character set are decoded together, because some programs split a character
 * between two. */
static void
word_flush(void *mem, struct buf *out, const char *charset, struct buf *bytes)
{
	size_t n;
	const char *text;

	if (!bytes->n)
		return;
	text = utf8_of(mem, charset, bytes->s, bytes->n, &n);
	lines_add(out, text, n);
	bytes->n = 0;
}

/* Returns a header's decoded text on one line. */
static const char *
header_text(void *mem, const char *raw)
{
	struct buf out = BUF(mem), bytes = BUF(mem);
	const char *charset = NULL, *s;
	struct word w;
	size_t n;

	s = utf8_of(mem, NULL, raw, strlen(raw), &n);
	while (*s) {
		size_t gap = bytes.n ? strspn(s, " \t\r\n") : 0;

		n = str_starts(s + gap, "=?") ? word_read(mem, s + gap, &w) : 0;
		if (!n) {
			word_flush(mem, &out, charset, &bytes);
			buf_chr(&out, *s++);
			continue;
		}
		if (charset && strcasecmp(charset, w.charset) != 0)
			word_flush(mem, &out, charset, &bytes);
		charset = w.charset;
		buf_add(&bytes, w.bytes, w.n);
		s += gap + n;
	}
	word_flush(mem, &out, charset, &bytes);
	return str_cut(mem, str_one_line(mem, buf_done(&out)), MAIL_READ_LINE);
}

/* ---- the head ---- */

struct reading {
	struct ctx *c;
	struct mail_content *out;
	struct buf text;
	size_t parts;
	bool files_alone; /* only list attachments: the text was read in another form */
};

static void
strs_put(void *mem, struct strs *all, size_t most, const char *s)
{
	if (all->n < most)
		strs_add(mem, all, s);
}

/* Groups can't be nested, but the parser accepts nested ones. */
static void
addresses_add(void *mem, InternetAddressList *list, struct strs *to, int depth)
{
	int n = list ? internet_address_list_length(list) : 0;

	for (int i = 0; i < n && to->n < MAIL_READ_ADDRESSES && depth < DEPTH; i++) {
		InternetAddress *one = internet_address_list_get_address(list, i);

		if (INTERNET_ADDRESS_IS_GROUP(one)) {
			addresses_add(mem,
			    internet_address_group_get_members(INTERNET_ADDRESS_GROUP(one)), to,
			    depth + 1);
		} else {
			const char *s =
			    internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(one));

			if (s && str_plain(s))
				strs_put(mem, to, MAIL_READ_ADDRESSES, mem_strdup(mem, s));
		}
	}
}

static void
addresses_read(void *mem, const char *raw, struct strs *to)
{
	InternetAddressList *list = internet_address_list_parse(NULL, raw);

	addresses_add(mem, list, to, 0);
	if (list)
		g_object_unref(list);
}

/* Returns the text before <address>, without its quotes. */
static const char *
name_of(void *mem, const char *raw)
{
	struct buf b = BUF(mem);
	bool quoted = false;

	for (; *raw && (quoted || *raw != '<'); raw++)
		if (*raw == '"')
			quoted = !quoted;
		else if (*raw != '\\' || !raw[1])
			buf_chr(&b, *raw);
		else
			buf_chr(&b, *++raw);
	return *raw == '<' ? header_text(mem, buf_done(&b)) : "";
}

static void
from_read(struct reading *r, const char *raw)
{
	struct strs all = { 0 };

	if (*r->out->from)
		return;
	addresses_read(r->c->mem, raw, &all);
	if (all.n)
		r->out->from = all.v[0];
	if (all.n == 1)
		r->out->name = name_of(r->c->mem, raw);
}

static void
id_read(struct reading *r, const char *raw)
{
	size_t n;

	raw += strspn(raw, " \t\r\n");
	if (*raw != '<' || *r->out->id)
		return;
	n = strcspn(++raw, "> \t\r\n<\"(),;\\");
	if (raw[n] == '>' && mail_id_valid(mem_strndup(r->c->mem, raw, n)))
		r->out->id = mem_strndup(r->c->mem, raw, n);
}

/* Returns a word if the header shows that a program wrote the mail, else NULL. */
static const char *
machine_of(void *mem, const char *name, const char *value)
{
	char *word = mem_strdup(mem, value + strspn(value, " \t\r\n"));

	word[strcspn(word, " \t\r\n;(")] = '\0';
	str_lower(word);
	if (strcasecmp(name, "Auto-Submitted") == 0)
		return str_eq(word, "no") ? NULL : "auto-submitted";
	if (strcasecmp(name, "Precedence") == 0)
		return str_in(word, "bulk|junk|list|auto_reply") ? "precedence" : NULL;
	if (strncasecmp(name, "List-", 5) == 0 || strcasecmp(name, "Mailing-List") == 0)
		return "list";
	if (strcasecmp(name, "X-Vitrine-Event") == 0)
		return "ours";
	if (strcasecmp(name, "Return-Path") == 0)
		return str_eq(word, "<>") ? "null sender" : NULL;
	for (const char *const *one = (const char *const[]){ "X-Autoreply", "X-Auto-Reply",
		 "X-Autorespond", "X-Autoresponder", "X-AutoReply-From", "X-Mail-Autoreply",
		 "X-Failed-Recipients", NULL };
	    *one; one++)
		if (strcasecmp(name, *one) == 0)
			return "autoreply";
	return NULL;
}

static void
headers_read(struct reading *r, GMimeHeaderList *all)
{
	static const char to[] = "to|cc|delivered-to|x-original-to|envelope-to|x-envelope-to";
	int n = g_mime_header_list_get_count(all), hops = 0;

	for (int i = 0; i < n; i++) {
		GMimeHeader *h = g_mime_header_list_get_header_at(all, i);
		const char *name = g_mime_header_get_name(h), *raw = g_mime_header_get_raw_value(h);
		const char *machine, *lower;

		if (!name || !raw)
			continue;
		lower = str_lower(mem_strdup(r->c->mem, name));
		hops += str_eq(lower, "received");
		machine = machine_of(r->c->mem, name, raw);
		if (machine && !*r->out->machine)
			r->out->machine = machine;
		if (str_eq(lower, "from"))
			from_read(r, raw);
		else if (str_eq(lower, "subject") && !*r->out->subject)
			r->out->subject = header_text(r->c->mem, raw);
		else if (str_eq(lower, "message-id"))
			id_read(r, raw);
		else if (str_in(lower, to))
			addresses_read(r->c->mem, raw, &r->out->to);
	}
	if (hops > MAIL_READ_HOPS)
		r->out->machine = "circle";
}

/* ---- the parts ---- */

/* RFC 3676: a line that ends in a space continues on the next. */
static const char *
unflowed(void *mem, const char *text, bool delsp)
{
	char *rest = mem_strdup(mem, text), *line;
	struct buf b = BUF(mem);
	size_t depth = 0;
	bool soft = false;

	while ((line = str_split(&rest, '\n'))) {
		size_t quotes = strspn(line, ">"), n;
		const char *words = line + quotes;

		words += *words == ' ';
		n = strlen(words);
		if (soft && (quotes != depth || str_eq(words, "-- ")))
			buf_chr(&b, '\n');
		if (!soft || quotes != depth || str_eq(words, "-- ")) {
			buf_add(&b, line, quotes);
			buf_str(&b, quotes ? " " : "");
		}
		soft = n && words[n - 1] == ' ' && !str_eq(words, "-- ") && rest;
		depth = quotes;
		buf_add(&b, words, n - (soft && delsp));
		if (!soft && rest)
			buf_chr(&b, '\n');
	}
	return buf_done(&b);
}

static void
text_add(struct reading *r, const char *text)
{
	if (!text[strspn(text, " \t\n")] || r->text.n > MAIL_READ_CHARS * UTF8_MOST)
		return;
	if (r->text.n)
		buf_str(&r->text, "\n\n");
	buf_str(&r->text, text);
}

static void
drop(struct reading *r, const char *name)
{
	name = name ? header_text(r->c->mem, name) : "";
	if (*name)
		strs_put(r->c->mem, &r->out->dropped, MAIL_READ_DROPPED, name);
}

/* Returns a parameter that consists of encoded words, which no standard allows there but many
 * programs write; NULL if it doesn't. */
static const char *
words_in(struct reading *r, GMimeObject *part, const char *header, const char *parameter)
{
	GMimeHeader *h = g_mime_header_list_get_header(g_mime_object_get_header_list(part), header);
	const char *raw = h ? g_mime_header_get_raw_value(h) : NULL, *at, *end;

	at = raw ? strcasestr(raw, parameter) : NULL;
	if (!at)
		return NULL;
	at += strlen(parameter);
	at += strspn(at, " \t\r\n");
	if (*at++ != '=')
		return NULL;
	at += strspn(at, " \t\r\n");
	end = *at == '"' ? strchr(++at, '"') : at + strcspn(at, "; \t\r\n");
	if (!end || !str_starts(at, "=?"))
		return NULL;
	return mem_strndup(r->c->mem, at, (size_t)(end - at));
}

static void
part_drop(struct reading *r, GMimeObject *part)
{
	const char *name = words_in(r, part, "Content-Disposition", "filename");
	GMimeContentType *type;

	if (!name)
		name = g_mime_object_get_content_disposition_parameter(part, "filename");
	if (!name || !*name)
		name = words_in(r, part, "Content-Type", "name");
	if (!name)
		name = g_mime_object_get_content_type_parameter(part, "name");
	if (!name || !*name) {
		type = g_mime_object_get_content_type(part);
		name = header_text(r->c->mem,
		    mem_printf(r->c->mem, "%.100s/%.100s", g_mime_content_type_get_media_type(type),
			g_mime_content_type_get_media_subtype(type)));
	}
	drop(r, name);
}

/* True if the part is text to read, not an attachment. */
static bool
is_text(GMimeObject *part, const char *subtype)
{
	const char *how = g_mime_object_get_disposition(part);

	if (!GMIME_IS_PART(part) ||
	    !g_mime_content_type_is_type(g_mime_object_get_content_type(part), "text", subtype))
		return false;
	return (!how || strcasecmp(how, "attachment") != 0) &&
	    !g_mime_object_get_content_disposition_parameter(part, "filename") &&
	    !g_mime_object_get_content_type_parameter(part, "name");
}

static bool
holds_text(GMimeObject *part, const char *subtype, int depth)
{
	int n;

	if (!GMIME_IS_MULTIPART(part))
		return is_text(part, subtype);
	n = depth < DEPTH ? g_mime_multipart_get_count(GMIME_MULTIPART(part)) : 0;
	for (int i = 0; i < n && i < PARTS; i++)
		if (holds_text(
			g_mime_multipart_get_part(GMIME_MULTIPART(part), i), subtype, depth + 1))
			return true;
	return false;
}

static void
plain_add(struct reading *r, GMimeObject *part, const char *text, size_t n)
{
	const char *format = g_mime_object_get_content_type_parameter(part, "format");
	const char *delsp = g_mime_object_get_content_type_parameter(part, "delsp");
	struct buf b = BUF(r->c->mem);

	lines_add(&b, text, n);
	if (format && strcasecmp(format, "flowed") == 0)
		text = unflowed(r->c->mem, buf_done(&b), delsp && strcasecmp(delsp, "yes") == 0);
	else
		text = buf_done(&b);
	text_add(r, text);
}

static void
html_add(struct reading *r, GMimeObject *part, const char *bytes, size_t n)
{
	const char *charset = g_mime_object_get_content_type_parameter(part, "charset");
	struct html_page page = { .address = "https://mail.invalid/",
		.charset = charset && *charset && strlen(charset) <= CHARSET ? charset : NULL,
		.bytes = bytes,
		.n = n,
		.most = MAIL_READ_CHARS };
	struct html_content content;
	struct buf b = BUF(r->c->mem);
	const char *text;

	if (html_parse(r->c, &page, &content)) {
		ctx_forgive(r->c);
		part_drop(r, part);
		return;
	}
	text = html_plain(r->c->mem, content.text);
	lines_add(&b, text, strlen(text));
	text_add(r, buf_done(&b));
}

static void
text_read(struct reading *r, GMimeObject *part, bool html)
{
	const char *charset = g_mime_object_get_content_type_parameter(part, "charset");
	GMimeDataWrapper *content = g_mime_part_get_content(GMIME_PART(part));
	GMimeStream *stream = g_mime_stream_mem_new();
	GByteArray *all = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
	const char *bytes, *text;
	size_t n;

	if (content)
		g_mime_data_wrapper_write_to_stream(content, stream);
	bytes = (const char *)all->data;
	n = all->len;
	if (n && html)
		html_add(r, part, bytes, n);
	else if (n) {
		text = utf8_of(r->c->mem,
		    charset && strlen(charset) <= CHARSET ? charset : NULL, bytes, n, &n);
		plain_add(r, part, text, n);
	}
	g_object_unref(stream);
}

static void part_walk(struct reading *r, GMimeObject *part, int depth);

/* Reads the plain text, or the HTML if that is blank. Attachments of the other forms are listed. */
static void
alternative_walk(struct reading *r, GMimeMultipart *all, int depth)
{
	static const char *const forms[] = { "plain", "html" };
	int n = g_mime_multipart_get_count(all);
	size_t before = r->text.n;
	int taken = -1;

	for (size_t f = 0; f < 2 && r->text.n == before && !r->files_alone; f++)
		for (int i = 0; i < n && i < PARTS && r->text.n == before; i++)
			if (i != taken &&
			    holds_text(g_mime_multipart_get_part(all, i), forms[f], depth))
				part_walk(r, g_mime_multipart_get_part(all, taken = i), depth);
	for (int i = 0; i < n && i < PARTS; i++) {
		bool was = r->files_alone;

		r->files_alone = true;
		if (i != taken)
			part_walk(r, g_mime_multipart_get_part(all, i), depth);
		r->files_alone = was;
	}
}

static void
multipart_walk(struct reading *r, GMimeMultipart *all, int depth)
{
	GMimeContentType *type = g_mime_object_get_content_type(GMIME_OBJECT(all));
	bool is_signed = g_mime_content_type_is_type(type, "multipart", "signed");
	int n = g_mime_multipart_get_count(all);
	const char *prologue = g_mime_multipart_get_prologue(all);

	if (g_mime_content_type_is_type(type, "multipart", "encrypted")) {
		drop(r, "an encrypted message");
		return;
	}
	if (g_mime_content_type_is_type(type, "multipart", "alternative")) {
		alternative_walk(r, all, depth);
		return;
	}
	/* Without a boundary there are no parts, and the text is the prologue. */
	if (!n && !r->files_alone && prologue) {
		struct buf b = BUF(r->c->mem);
		size_t text_n;
		const char *text =
		    utf8_of(r->c->mem, NULL, prologue, strlen(prologue), &text_n);

		lines_add(&b, text, text_n);
		text_add(r, buf_done(&b));
	}
	for (int i = 0; i < n && i < (is_signed ? 1 : PARTS); i++)
		part_walk(r, g_mime_multipart_get_part(all, i), depth);
}

static void
message_drop(struct reading *r, GMimeMessagePart *part)
{
	GMimeMessage *message = g_mime_message_part_get_message(part);
	GMimeHeader *subject = message
	    ? g_mime_header_list_get_header(
		  g_mime_object_get_header_list(GMIME_OBJECT(message)), "Subject")
	    : NULL;
	const char *raw = subject ? g_mime_header_get_raw_value(subject) : NULL;
	const char *words = raw ? header_text(r->c->mem, raw) : "";

	if (*words)
		drop(r, mem_printf(r->c->mem, "%s.eml", words));
	else
		part_drop(r, GMIME_OBJECT(part));
}

static void
part_walk(struct reading *r, GMimeObject *part, int depth)
{
	bool plain, html;

	if (!part || depth > DEPTH || ++r->parts > PARTS)
		return;
	if (GMIME_IS_MULTIPART(part)) {
		multipart_walk(r, GMIME_MULTIPART(part), depth + 1);
		return;
	}
	if (GMIME_IS_MESSAGE_PART(part)) {
		message_drop(r, GMIME_MESSAGE_PART(part));
		return;
	}
	plain = is_text(part, "plain");
	html = is_text(part, "html");
	if (!plain && !html)
		part_drop(r, part);
	else if (!r->files_alone && GMIME_IS_PART(part))
		text_read(r, part, html);
}

/* ---- the whole ---- */

static GMimeMessage *
message_parse(const char *bytes, size_t n)
{
	GMimeStream *stream = g_mime_stream_mem_new_with_buffer(bytes, n);
	GMimeParser *parser = g_mime_parser_new_with_stream(stream);
	GMimeMessage *message;

	message = g_mime_parser_construct_message(parser, NULL);
	g_object_unref(parser);
	g_object_unref(stream);
	return message;
}

enum err
mailread_parse(struct ctx *c, const char *bytes, size_t n, struct mail_content *out)
{
	struct reading r = { .c = c, .out = out, .text = BUF(c->mem) };
	const char *end;
	GMimeMessage *message;
	GMimeObject *part;

	*out = (struct mail_content){ "", "", "", "", "", "", { 0 }, { 0 } };
	/* An mbox "From " line, which mail servers add for programs. */
	if (n > 5 && memcmp(bytes, "From ", 5) == 0 && (end = memchr(bytes, '\n', n))) {
		n -= (size_t)(end + 1 - bytes);
		bytes = end + 1;
	}
	g_mime_init();
	message = n ? message_parse(bytes, n) : NULL;
	if (!message)
		return fail(c, E_INVALID, "it is no e-mail");
	part = g_mime_message_get_mime_part(message);
	headers_read(&r, g_mime_object_get_header_list(GMIME_OBJECT(message)));
	if (part && !*r.out->machine &&
	    g_mime_content_type_is_type(
		g_mime_object_get_content_type(part), "multipart", "report"))
		r.out->machine = "report";
	if (!*r.out->machine)
		part_walk(&r, part, 0);
	g_object_unref(message);
	out->text = str_cut(c->mem, buf_done(&r.text), MAIL_READ_CHARS);
	return E_OK;
}

/* ---- in a separate process ---- */

enum { FIELDS = 6 };

/* The output is texts, each ended by a NUL: the members of mail_content, the number of addresses,
 * the addresses, the names of attachments. */
static enum err
mailread_work(struct ctx *c, const char *in, size_t n, struct buf *out)
{
	struct mail_content content;

	TRY(mailread_parse(c, in, n, &content));
	for (const char *const *s = (const char *const[]){ content.from, content.name,
		 content.subject, content.id, content.text, content.machine, NULL };
	     *s; s++)
		buf_add(out, *s, strlen(*s) + 1);
	buf_fmt(out, "%zu", content.to.n);
	buf_chr(out, '\0');
	for (size_t i = 0; i < content.to.n; i++)
		buf_add(out, content.to.v[i], strlen(content.to.v[i]) + 1);
	for (size_t i = 0; i < content.dropped.n; i++)
		buf_add(out, content.dropped.v[i], strlen(content.dropped.v[i]) + 1);
	return E_OK;
}

/* Returns the next text, or NULL at the end. */
static const char *
text_next(const char **at, const char *end)
{
	const char *text = *at, *stop = NULL;

	if (text < end)
		stop = memchr(text, '\0', (size_t)(end - text));
	*at = stop ? stop + 1 : end;
	return stop ? text : NULL;
}

/* Checks the output, because a process that parsed strangers' bytes may send anything. */
static bool
content_read(void *mem, const char *bytes, size_t n, struct mail_content *out)
{
	const char *at = bytes, *end = bytes + n, *text;
	const char **fields[FIELDS] = { &out->from, &out->name, &out->subject, &out->id, &out->text,
		&out->machine };
	int64_t to;

	*out = (struct mail_content){ 0 };
	if (!str_utf8_valid(bytes, n))
		return false;
	for (size_t i = 0; i < FIELDS; i++)
		if (!(*fields[i] = text_next(&at, end)) ||
		    !(i == 4 ? str_plain_lines : str_plain)(*fields[i]))
			return false;
	if (!(text = text_next(&at, end)) || !str_int(text, &to))
		return false;
	while ((text = text_next(&at, end)))
		if (!str_plain(text))
			return false;
		else if (to-- > 0)
			strs_put(mem, &out->to, MAIL_READ_ADDRESSES, text);
		else
			strs_put(mem, &out->dropped, MAIL_READ_DROPPED, text);
	return true;
}

void
mailread_prepare(void)
{
	g_mime_init();
	apart_prepare((struct apart_kind[]){ { .work = mailread_work } }, 1);
}

enum err
mailread(struct ctx *c, const char *bytes, size_t n, struct mail_content *out)
{
	const size_t most = (size_t)(MAIL_READ_CHARS * UTF8_MOST) + (1 << 20);
	const char *text;
	size_t text_n;

	TRY(apart_run(c, mailread_work, bytes, n, most, &text, &text_n));
	return content_read(c->mem, text, text_n, out) ? E_OK
						       : fail(c, E_INVALID, "it can't be read");
}
