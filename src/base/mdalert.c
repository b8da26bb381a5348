/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mdalert.h"

#include <cmark-gfm.h>
#include <string.h>

static const struct alert {
	const char *mark, *open;
} alerts[] = {
#define ALERT(mark_, class_, label_) \
	{ "[!" mark_ "]", "<div class=\"alert " class_ "\"><p><strong>" label_ "</strong></p>" }
	ALERT("NOTE", "note", "Note"),
	ALERT("TIP", "tip", "Tip"),
	ALERT("IMPORTANT", "important", "Important"),
	ALERT("WARNING", "warning", "Warning"),
	ALERT("CAUTION", "caution", "Caution"),
#undef ALERT
};

/* Returns the alert whose mark is the whole of s; NULL if there is none. */
static const struct alert *
alert_of(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof alerts / sizeof *alerts; i++)
		if (strlen(alerts[i].mark) == n && strncasecmp(s, alerts[i].mark, n) == 0)
			return &alerts[i];
	return NULL;
}

/* Lines are found in their order, so that a text is read once. */
struct lines {
	const char *at, *end;
	int no; /* of the line at `at`, from 1 */
};

static size_t
line_length(const struct lines *l)
{
	const char *s = l->at;

	while (s < l->end && *s != '\n' && *s != '\r')
		s++;
	return (size_t)(s - l->at);
}

/* Returns the alert whose mark is the whole line of the source; NULL if there is none. The tree has
 * the same text for [!NOTE] and \[!NOTE]. */
static const struct alert *
line_alert(struct lines *l, int no)
{
	const char *s, *end;

	for (; l->no < no && l->at < l->end; l->no++) {
		l->at += line_length(l);
		l->at += l->end - l->at > 1 && l->at[0] == '\r' && l->at[1] == '\n';
		l->at += l->at < l->end;
	}
	for (s = l->at, end = s + line_length(l); s < end && strchr(" \t>", *s) && *s;)
		s++;
	while (end > s && strchr(" \t", end[-1]))
		end--;
	return l->no == no ? alert_of(s, (size_t)(end - s)) : NULL;
}

static cmark_node *
first_paragraph(cmark_node *block)
{
	cmark_node *first = cmark_node_get_type(block) == CMARK_NODE_BLOCK_QUOTE
	    ? cmark_node_first_child(block)
	    : NULL;

	return first && cmark_node_get_type(first) == CMARK_NODE_PARAGRAPH ? first : NULL;
}

/* Returns how many text nodes make up the mark, with empty ones behind it that stand for blanks; 0
 * if they don't, as where [!NOTE] is a link. */
static size_t
mark_nodes(cmark_node *paragraph, const char *mark)
{
	cmark_node *at = cmark_node_first_child(paragraph);
	size_t left = strlen(mark), nodes = 0;

	for (; at && cmark_node_get_type(at) == CMARK_NODE_TEXT; nodes++) {
		size_t n = strlen(cmark_node_get_literal(at));

		if (n > left)
			return 0;
		left -= n;
		at = cmark_node_next(at);
	}
	return left ? 0 : nodes;
}

void
alerts_mark(cmark_node *document, const char *text, size_t n)
{
	struct lines lines = { text, text + n, 1 };
	cmark_node *paragraph, *node;

	for (cmark_node *at = cmark_node_first_child(document); at; at = cmark_node_next(at)) {
		const struct alert *alert = NULL;
		size_t nodes;

		paragraph = first_paragraph(at);
		if (paragraph)
			alert = line_alert(&lines, cmark_node_get_start_line(paragraph));
		nodes = alert ? mark_nodes(paragraph, alert->mark) : 0;
		if (!nodes)
			continue;
		for (; nodes; nodes--)
			cmark_node_free(cmark_node_first_child(paragraph));
		node = cmark_node_new(CMARK_NODE_CUSTOM_INLINE);
		cmark_node_set_on_enter(node, alert->mark);
		cmark_node_prepend_child(paragraph, node);
	}
}

/* Returns the alert of a block quote that is marked; NULL if it isn't, or has nothing else. */
static const struct alert *
alert_marked(cmark_node *quote, cmark_node **mark)
{
	cmark_node *paragraph = first_paragraph(quote);
	const char *text;

	*mark = paragraph ? cmark_node_first_child(paragraph) : NULL;
	if (!*mark || cmark_node_get_type(*mark) != CMARK_NODE_CUSTOM_INLINE ||
	    (!cmark_node_next(*mark) && !cmark_node_next(paragraph)))
		return NULL;
	text = cmark_node_get_on_enter(*mark);
	return alert_of(text, strlen(text));
}

void
alerts_draw(cmark_node *document)
{
	for (cmark_node *at = cmark_node_first_child(document), *next; at; at = next) {
		cmark_node *mark, *paragraph, *box;
		const struct alert *alert = alert_marked(at, &mark);

		next = cmark_node_next(at);
		if (!alert)
			continue;
		paragraph = cmark_node_parent(mark);
		if (cmark_node_next(mark))
			cmark_node_free(cmark_node_next(mark)); /* the line's end */
		cmark_node_free(mark);
		/* The paragraph goes with the mark if it has no other line. */
		if (!cmark_node_first_child(paragraph))
			cmark_node_free(paragraph);
		box = cmark_node_new(CMARK_NODE_CUSTOM_BLOCK);
		cmark_node_set_on_enter(box, alert->open);
		cmark_node_set_on_exit(box, "</div>");
		cmark_node_insert_before(at, box);
		for (cmark_node *in; (in = cmark_node_first_child(at));)
			cmark_node_append_child(box, in);
		cmark_node_free(at);
	}
}
