/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/chain.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_BYTES = 100, COUNT_CHARS = 15 };
#define MARK "mark"

static int64_t
file_number(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot ? strtoll(dot + 1, NULL, 10) : 0;
}

int
log_at_order(const struct log_at *a, const struct log_at *b)
{
	int64_t x = file_number(a->file), y = file_number(b->file);

	x = x == y ? a->at : x;
	y = file_number(a->file) == file_number(b->file) ? b->at : y;
	return (x > y) - (x < y);
}

const char *
log_file_next(void *owner, const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && dot[1] ? mem_printf(owner, "%.*s.%0*lld", (int)(dot - file), file,
				   (int)strlen(dot + 1), (long long)file_number(file) + 1)
			     : NULL;
}

/* ---- names ---- */

void
log_piece_name(void *owner, struct log_piece *p)
{
	p->name = mem_printf(owner, "log/%010lld_%s_%lld_%lld_%lld_%s_%s", (long long)p->sequence,
	    p->chain, (long long)p->through, (long long)p->from, (long long)p->to, p->gtid,
	    p->file);
}

void
base_name(void *owner, struct base *b)
{
	b->name = mem_printf(owner, "base/%010lld_%s_%lld_%lld_%s", (long long)b->second, b->chain,
	    (long long)b->sequence, (long long)b->at.at, b->at.file);
}

/* Reads decimal digits, which may begin with zeros, up to the next underscore. No count that we
 * make is so long that adding to it could overflow; names in a list could be anybody's. */
static bool
count_read(char **rest, int64_t *out)
{
	const char *part = *rest ? str_split(rest, '_') : NULL;

	if (!part || !*part || part[strspn(part, "0123456789")] || strlen(part) > COUNT_CHARS)
		return false;
	*out = strtoll(part, NULL, 10);
	return true;
}

static bool
word_read(char **rest, const char **out)
{
	*out = *rest ? str_split(rest, '_') : NULL;
	return *out && **out;
}

static bool
log_piece_read(void *owner, const char *name, struct log_piece *p)
{
	char *rest = mem_strdup(owner, name);
	bool good = count_read(&rest, &p->sequence) && word_read(&rest, &p->chain) &&
	    count_read(&rest, &p->through) && count_read(&rest, &p->from) &&
	    count_read(&rest, &p->to) && word_read(&rest, &p->gtid) && rest && *rest;

	p->file = rest;
	p->name = mem_printf(owner, "log/%s", name);
	return good;
}

static bool
base_read(void *owner, const char *name, struct base *b)
{
	char *rest = mem_strdup(owner, name);
	bool good = count_read(&rest, &b->second) && word_read(&rest, &b->chain) &&
	    count_read(&rest, &b->sequence) && count_read(&rest, &b->at.at) && rest && *rest;

	b->at.file = rest;
	b->name = mem_printf(owner, "base/%s", name);
	return good;
}

/* ---- the mark ---- */

enum err
mark_put(struct ctx *c, const struct archive *archive, const struct mark *m)
{
	const char *text = mem_printf(c->mem, "%s_%lld_%lld", m->chain, (long long)m->sequence,
	    (long long)m->through);
	struct frames *f;
	struct put *p;

	TRY(piece_begin(c, c->mem, archive, MARK, &p, &f));
	TRY(frames_add(c, f, text, strlen(text)));
	return piece_end(c, p, f);
}

static enum err
mark_read(struct ctx *c, const struct archive *archive, struct mark *m)
{
	const uint8_t *bytes;
	struct frames *f;
	char *rest;
	size_t n;
	int fd;

	TRY(place_find(c, c->mem, &archive->place, MARK, &fd));
	if (fd < 0)
		return E_OK;
	TRY(frames_open(c, c->mem, &archive->key, MARK, fd, &f));
	TRY(frames_next(c, f, &bytes, &n));
	rest = mem_strndup(c->mem, (const char *)bytes, n < MARK_BYTES ? n : MARK_BYTES);
	if (!word_read(&rest, &m->chain) || !count_read(&rest, &m->sequence) ||
	    !count_read(&rest, &m->through))
		*m = (struct mark){ 0 };
	return E_OK;
}

/* Counts log[log_n], or the one before it if it has the same number and came later. */
static void
log_piece_add(void *owner, struct chains *all)
{
	struct log_piece *p = &all->log[all->log_n], other;
	bool later;

	if (!all->log_n || p[-1].sequence != p->sequence) {
		all->log_n++;
		return;
	}
	later = p->through > p[-1].through || (p->through == p[-1].through && p->to > p[-1].to);
	other = later ? p[-1] : *p;
	if (later)
		p[-1] = *p;
	strs_add(owner, &all->spare, other.name);
}

enum err
chains_read(struct ctx *c, const struct archive *archive, struct chains *out)
{
	struct names logs, bases;

	*out = (struct chains){ 0 };
	/* Reads the mark before the pieces: a piece that comes in between makes the mark void. */
	TRY(mark_read(c, archive, &out->mark));
	TRY(place_list(c, c->mem, &archive->place, "log", &logs));
	TRY(place_list(c, c->mem, &archive->place, "base", &bases));
	out->log = mem_array(c->mem, struct log_piece, logs.n + 1);
	out->bases = mem_array(c->mem, struct base, bases.n + 1);
	for (size_t i = 0; i < logs.n; i++)
		if (log_piece_read(c->mem, logs.v[i], &out->log[out->log_n]))
			log_piece_add(c->mem, out);
	for (size_t i = 0; i < bases.n; i++)
		out->base_n += base_read(c->mem, bases.v[i], &out->bases[out->base_n]);
	return E_OK;
}

bool
chains_have(const struct chains *all, const char *chain)
{
	bool any = all->mark.chain && str_eq(all->mark.chain, chain);

	for (size_t i = 0; i < all->log_n; i++)
		any |= str_eq(all->log[i].chain, chain);
	for (size_t i = 0; i < all->base_n; i++)
		any |= str_eq(all->bases[i].chain, chain);
	return any;
}

/* ---- the order of pieces ---- */

bool
log_follows(const struct log_piece *a, const struct log_piece *b)
{
	return b->sequence == a->sequence + 1 && str_eq(a->chain, b->chain) &&
	    (str_eq(a->file, b->file) ? b->from == a->to
				      : b->from == BINLOG_BEGIN &&
			file_number(b->file) == file_number(a->file) + 1);
}

bool
base_leads(const struct base *b, const struct log_piece *first)
{
	/* The piece begins before the base does, or at the beginning of the next file. */
	return first->sequence == b->sequence + 1 && str_eq(b->chain, first->chain) &&
	    (file_number(first->file) <= file_number(b->at.file)
		    ? log_at_order(&(struct log_at){ first->file, first->from }, &b->at) <= 0
		    : first->from == BINLOG_BEGIN &&
			file_number(first->file) == file_number(b->at.file) + 1);
}

int64_t
base_reach(const struct chains *all, const struct base *b, size_t *first, size_t *n)
{
	const struct log_piece *log = all->log;
	int64_t reach = b->second, sequence = b->sequence;
	const struct mark *m = &all->mark;
	size_t i = 0;

	while (i < all->log_n && log[i].sequence <= b->sequence)
		i++;
	*first = i;
	for (; i < all->log_n; i++) {
		if (i == *first ? !base_leads(b, &log[i]) : !log_follows(&log[i - 1], &log[i]))
			break;
		sequence = log[i].sequence;
		reach = log[i].through > reach ? log[i].through : reach;
	}
	*n = i - *first;
	if (m->chain && str_eq(m->chain, b->chain) && m->sequence == sequence &&
	    m->through > reach)
		reach = m->through;
	return reach;
}
