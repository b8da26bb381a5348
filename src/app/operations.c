/* SPDX-License-Identifier: Apache-2.0 */
#include "app/operations.h"

#include "archive/health.h"
#include "base/conf.h"
#include "base/json.h"
#include "base/lease.h"
#include "base/str.h"
#include "cluster/health.h"

#include <stdio.h>
#include <sys/stat.h>

enum { LATE_S = 300 };

SHAPE_DEFINE(backup_part, BACKUP_PART);
SHAPE_DEFINE(operations, OPERATIONS);

static int64_t
time_in(const struct json *part, const char *name)
{
	const char *text = json_word(part, name);
	int64_t at = 0;

	return text && str_from_rfc3339(text, &at) ? at : 0;
}

static struct backup_part
backup_part_of(const struct json *all, enum health_part which)
{
	static const char *const names[HEALTH_PARTS] = { "Last base", "Log", "Files", "Last proof",
		"Window" };
	const struct json *part = json_get(all, health_names[which]);
	int64_t to = time_in(part, "to");

	return (struct backup_part){ .part = names[which],
		.good = str_eq(json_word(part, "state"), "ok"),
		.at = to ? to : time_in(part, "at"), .from = time_in(part, "from"),
		.detail = json_word(part, "detail") };
}

/* Returns the file's text, and when it was written; NULL if it isn't there. */
static const char *
file_text(struct ctx *c, const char *path, int64_t *at)
{
	enum { MOST = 16 << 10 };
	FILE *f = fopen(path, "re");
	char *text = f ? mem_zalloc(c->mem, MOST + 1) : NULL;
	struct stat st;

	if (!f)
		return NULL;
	*at = fstat(fileno(f), &st) ? 0 : st.st_mtim.tv_sec;
	(void)!fread(text, 1, MOST, f);
	fclose(f);
	return text;
}

/* Reads what the runner has written, because a worker may not read the backup. Leaves the list
 * empty if the runner hasn't looked yet. */
static enum err
backup_read(struct ctx *c, struct operations *out)
{
	static const enum health_part order[] = { HEALTH_WINDOW, HEALTH_LOG, HEALTH_OBJECTS,
		HEALTH_BASE, HEALTH_PROOF };
	const char *text;
	struct backup_part *parts = mem_array(c->mem, struct backup_part, HEALTH_PARTS);
	struct json *all;
	int64_t at;

	out->backup_on = archive_on(c->conf);
	if (!out->backup_on || !(text = file_text(c, archive_path(c, HEALTH_FILE), &at)))
		return E_OK;
	/* Another release may have written it. */
	if (json_parse(c, text, strlen(text), &all)) {
		ctx_forgive(c);
		return E_OK;
	}
	for (size_t i = 0; i < HEALTH_PARTS; i++)
		parts[i] = backup_part_of(all, order[i]);
	out->backups = (struct list){ parts, HEALTH_PARTS };
	out->looked_at = at;
	out->looked_late = at + LATE_S < c->now;
	return E_OK;
}

enum err
operations_read(struct ctx *c, struct operations *out)
{
	struct node_health_list nodes;
	bool active;

	*out = (struct operations){ 0 };
	TRY(backup_read(c, out));
	if (lease_role() == LEASE_ALONE)
		return E_OK;
	TRY(nodes_health(c, NULL, &nodes, &active));
	out->machines = (struct list){ nodes.v, nodes.n };
	return E_OK;
}
