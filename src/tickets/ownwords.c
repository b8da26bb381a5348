/* SPDX-License-Identifier: Apache-2.0
 * There is no standard for quoting, so this uses the forms of common programs. Nearly all put >
 * before quoted lines of plain text. A line says who wrote when. Some quote without marks after a
 * line of dashes around "Original Message", or after a head of From:, Sent:, To:. */
#include "tickets/ownwords.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/unicode.h"

#include <stdbool.h>
#include <string.h>

enum {
	HEAD_LINES = 8,        /* of a quoted head, with at least two more names in it */
	ATTRIBUTION_LINES = 3, /* over which "On …, somebody <address> wrote:" may be wrapped */
	ATTRIBUTION_BYTES = 400,
	DATE_DIGITS = 3,
	SIGNATURE_LINES = 12   /* of a signature whose "-- " lost its space */
};

/* Words in the line of dashes above an answered mail. */
static const char *const originals[] = { "original message", "ursprüngliche nachricht",
	"original-nachricht", "originalnachricht", "message d'origine", "message d’origine",
	"message original", "mensaje original", "messaggio originale", "mensagem original",
	"oorspronkelijk bericht", "ursprungligt meddelande", "oprindelig meddelelse",
	"opprinnelig melding", "alkuperäinen viesti", "wiadomość oryginalna",
	"oryginalna wiadomość", "původní zpráva", "pôvodná správa", "eredeti üzenet",
	"orijinal i̇leti", "orijinal ileti", "mesaj original", "исходное сообщение",
	"оригинальное сообщение", "оригінальне повідомлення", "αρχικό μήνυμα", "原始邮件", "原始郵件",
	"元のメッセージ", "원본 메시지", NULL };

/* Words above a forwarded mail, which is the subject and must stay. */
static const char *const forwards[] = { "forwarded message", "weitergeleitete nachricht",
	"message transféré", "mensaje reenviado", "messaggio inoltrato", "mensagem encaminhada",
	"doorgestuurd bericht", "vidarebefordrat meddelande", "videresendt", "przekazana wiadomość",
	"пересылаемое сообщение", "转发邮件", "转发的邮件", "転送されたメッセージ",
	"begin forwarded message", NULL };

/* Names of fields of a quoted head; those that its first line may have come first. */
static const char *const firsts[] = { "from", "von", "de", "da", "van", "från", "fra", "lähettäjä",
	"od", "odesílatel", "feladó", "kimden", "gönderen", "de la", "от", "від", "από",
	"发件人", "寄件者", "差出人", "보낸 사람", "מאת", "من", NULL };
static const char *const others[] = { "sent", "date", "to", "cc", "subject", "gesendet", "datum",
	"an", "betreff", "envoyé", "à", "objet", "enviado", "enviado el", "fecha", "para", "asunto",
	"inviato", "data", "a", "oggetto", "enviada em", "assunto", "verzonden", "aan", "onderwerp",
	"skickat", "till", "ämne", "sendt", "til", "dato", "emne", "lähetetty",
	"vastaanottaja", "aihe", "wysłano", "do", "temat", "odesláno", "komu", "předmět",
	"elküldve", "címzett", "tárgy", "tarih", "kime", "konu", "trimis", "către", "subiect",
	"отправлено", "дата", "кому", "тема", "надіслано", "στάλθηκε", "προσ", "θέμα", "发送时间",
	"日期", "收件人", "主题", "寄件日期", "收件者", "主旨", "送信日時", "日時", "宛先", "件名",
	"날짜", "보낸 날짜", "받는 사람", "제목", "תאריך", "אל", "נושא", NULL };

/* Verbs of the line above a quotation ("Ann wrote:"). */
static const char *const verbs[] = { " wrote", " writes", " schrieb", " a écrit", " escribió",
	" escribio", " escreveu", " ha scritto", " scrisse", " schreef", " skrev", "kirjoitti",
	" napisał", " napsal", " napísal", " írta", " yazdı", " şunları yazdı", " a scris",
	" написа", " пишет", " пише", " έγραψε", " schrieben", "写道", "寫道", "のメール",
	"書きました", "のメッセージ", "작성", "님이", " כתב", " כתבה", "كتب", " đã viết", " menulis",
	NULL };

/* First words of the line that says who wrote. */
static const char *const ons[] = { "on ", "am ", "le ", "el ", "il ", "em ", "op ", "den ", "på ",
	"dnia ", "w dniu ", "dne ", "ti ", "ma ", "ke ", "to ", "pe ", "la ", "în ",
	"vào ", "pada ", NULL };

/* Signatures of phones, which name a device. */
static const char *const devices[] = { "sent from my ", "sent from mail for ", "sent from outlook",
	"get outlook for ", "von meinem ", "gesendet von ", "envoyé de mon ",
	"envoyé depuis mon ", "enviado desde mi ", "enviado do meu ", "inviato da ",
	"verzonden vanaf mijn ", "skickat från min ", "sendt fra min ", "sendt fra ",
	"wysłane z ", "отправлено с ", "发自我的 ", "iphoneから送信", "나의 ", NULL };

static const char *const named[] = { "phone", "ipad", "android", "samsung", "galaxy", "handy",
	"mobil", "outlook", "mail", "telef", "huawei", "xiaomi", "windows", "móvil",
	"телефон", NULL };
enum { DEVICE_BYTES = 120, DEVICE_WORDS = 7, WORDS_AFTER = 2 };

struct lines {
	void *mem;
	char **v; /* case folded, without the space around them */
	const char **whole;
	size_t n;
};

static char *
line_trim(char *line)
{
	size_t n;

	line += strspn(line, " \t*");
	n = strlen(line);
	while (n && strchr(" \t*", line[n - 1]))
		line[--n] = '\0';
	return line;
}

static struct lines
lines_of(void *mem, const char *text)
{
	char *small = unicode_casefold_nfkc(mem, text), *rest = mem_strdup(mem, text), *line;
	struct lines l = { .mem = mem };
	size_t most = 1;

	for (const char *s = text; *s; s++)
		most += *s == '\n';
	l.v = mem_array(mem, char *, most);
	l.whole = mem_array(mem, const char *, most);
	while ((line = str_split(&rest, '\n'))) {
		char *other = small ? str_split(&small, '\n') : NULL;

		l.whole[l.n] = line;
		l.v[l.n++] = line_trim(other ? other : mem_strdup(mem, ""));
	}
	return l;
}

static bool
is_quoted(const char *line)
{
	return *line == '>';
}

static bool
has_one_of(const char *line, const char *const *words)
{
	for (; *words; words++)
		if (strstr(line, *words))
			return true;
	return false;
}

static bool
begins_as_one_of(const char *line, const char *const *words)
{
	for (; *words; words++)
		if (str_starts(line, *words))
			return true;
	return false;
}

/* "Name:" at its beginning, also "Name :". */
static bool
is_named(const char *line, const char *const *names)
{
	for (; *names; names++) {
		const char *at = line + strlen(*names);

		if (!str_starts(line, *names))
			continue;
		if (at[strspn(at, " *")] == ':')
			return true;
	}
	return false;
}

static bool
is_ruled(const char *line)
{
	size_t n = strlen(line);

	return n > 4 && (str_starts(line, "--") || str_starts(line, "__")) &&
	    (str_ends(line, "--") || str_ends(line, "__"));
}

/* True for a head as Outlook quotes it. */
static bool
is_head(const struct lines *l, size_t i)
{
	size_t names = 0;

	if (!is_named(l->v[i], firsts))
		return false;
	for (size_t k = i + 1; k < l->n && k < i + HEAD_LINES; k++)
		names += is_named(l->v[k], others);
	return names >= 2;
}

static bool
is_text(const struct lines *l, size_t i)
{
	return *l->v[i] && !is_quoted(l->v[i]);
}

static bool
has_date(const char *line)
{
	size_t digits = 0;

	for (; *line; line++)
		digits += *line >= '0' && *line <= '9';
	return digits >= DATE_DIGITS;
}

/* Returns where the line "… wrote:" begins, if it ends in this line; n: there is none. It may be
 * wrapped, and the sender's own text may be right above it. */
static size_t
attribution_from(const struct lines *l, size_t end)
{
	const char *line = l->v[end], *both = "";
	size_t from = end;

	if (!is_text(l, end) || !str_ends(line, ":") || strlen(line) > ATTRIBUTION_BYTES)
		return l->n;
	if (end && is_text(l, end - 1))
		both = mem_printf(l->mem, " %s %s", l->v[end - 1], line);
	if (!has_one_of(mem_printf(l->mem, " %s", line), verbs)) {
		if (strlen(both) > ATTRIBUTION_BYTES || !has_one_of(both, verbs))
			return l->n;
		from--;
	}
	for (size_t k = from; k + ATTRIBUTION_LINES > end && is_text(l, k); k--)
		if (begins_as_one_of(l->v[k], ons) && has_date(l->v[k]))
			return k;
		else if (!k)
			break;
	if (from && !strchr(l->v[from], '@') && !has_date(l->v[from]) && is_text(l, from - 1) &&
	    has_date(l->v[from - 1]))
		from--;
	return from;
}

/* People also write "the job wrote:", but programs give the address. */
static bool
is_of_program(const struct lines *l, size_t from, size_t end)
{
	for (; from <= end; from++)
		if (strchr(l->v[from], '@'))
			return true;
	return false;
}

static bool
is_blank_from(const struct lines *l, size_t i, size_t end)
{
	for (; i < end; i++)
		if (*l->v[i])
			return false;
	return true;
}

/* Returns where text quoted without marks begins; n: nowhere. */
static size_t
unmarked_from(const struct lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *line = l->v[i];
		size_t from, next = i + 1;

		if (is_quoted(line))
			continue;
		if (str_starts(line, "begin forwarded message") ||
		    (is_ruled(line) && has_one_of(line, forwards)))
			return l->n;
		if ((is_ruled(line) && has_one_of(line, originals)) || is_head(l, i))
			return i;
		from = attribution_from(l, i);
		if (from == l->n || !is_of_program(l, from, i))
			continue;
		while (next < l->n && !*l->v[next])
			next++;
		if (next == l->n || !is_quoted(l->v[next]))
			return from;
	}
	return l->n;
}

/* Returns where the quoted lines at the end begin, including the line "… wrote:"; n: there are
 * none. */
static size_t
marked_from(const struct lines *l, size_t end)
{
	size_t from = end, at;

	for (at = end; at && (!*l->v[at - 1] || is_quoted(l->v[at - 1])); at--)
		if (is_quoted(l->v[at - 1]))
			from = at - 1;
	if (from == end)
		return end;
	if (at && attribution_from(l, at - 1) < l->n)
		return attribution_from(l, at - 1);
	return from;
}

static size_t
words_in(const char *s)
{
	size_t n = 0;

	for (; *(s += strspn(s, " ")); s += strcspn(s, " "))
		n++;
	return n;
}

/* Returns how many words follow the name of a device; DEVICE_WORDS: there is no such name. */
static size_t
words_after_device(const char *line)
{
	size_t fewest = DEVICE_WORDS, n;

	for (const char *const *word = named; *word; word++)
		for (const char *at = line; (at = strstr(at, *word)); at += strlen(*word)) {
			n = words_in(at + strcspn(at, " "));
			fewest = n < fewest ? n : fewest;
		}
	return fewest;
}

/* True for the signature of a phone. A sentence that begins so but is longer, or continues after
 * the device, is the sender's. */
static bool
is_of_device(const char *line)
{
	return strlen(line) <= DEVICE_BYTES && begins_as_one_of(line, devices) &&
	    words_in(line) <= DEVICE_WORDS && words_after_device(line) <= WORDS_AFTER;
}

static size_t
signature_from(const struct lines *l, size_t end)
{
	for (size_t i = 0; i < end; i++)
		if (str_eq(l->whole[i], "-- ") ||
		    (str_eq(l->whole[i], "--") && end - i <= SIGNATURE_LINES))
			return i;
	for (size_t i = end; i && i + 3 > end; i--)
		if (is_of_device(l->v[i - 1]) && is_blank_from(l, i, end))
			return i - 1;
	return end;
}

static size_t
text_end(const struct lines *l, size_t end)
{
	/* The line that Outlook draws above a quotation. */
	while (end && (!*l->v[end - 1] || !l->v[end - 1][strspn(l->v[end - 1], "_-")]))
		end--;
	return end;
}

const char *
own_words(void *owner, const char *text)
{
	struct lines l = lines_of(owner, text);
	size_t end = text_end(&l, l.n), next;
	struct buf b = BUF(owner);

	/* A signature may be above or below the quoted text. */
	next = unmarked_from(&l);
	end = next < end ? next : end;
	for (int i = 0; i < 3; i++) {
		next = signature_from(&l, text_end(&l, end));
		next = marked_from(&l, text_end(&l, next));
		end = next < end ? next : end;
	}
	end = text_end(&l, end);
	if (is_blank_from(&l, 0, end))
		end = l.n;
	for (size_t i = 0; i < end; i++)
		buf_fmt(&b, "%s%s", i ? "\n" : "", l.whole[i]);
	return buf_done(&b);
}
