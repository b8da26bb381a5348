/* SPDX-License-Identifier: Apache-2.0
 * The section `alerts` of vitrine.yaml (core/declare.h). An alert has a name there. */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "watch/alert.h"

#define DECLARED_ALERT "table|kind|column|op|value|breaches|destinations"

#define ALERT_NAMED(F, T) F(T, STR, id)
SHAPE(alert_named, ALERT_NAMED);

static enum err
alert_find(struct declaring *d, const char *name, const char **id)
{
	struct alert_named *row = NULL;

	if (d->art->id)
		TRY(db_find(d->c,
		    ROWS(alert_named,
			"SELECT id FROM metric_alert WHERE artifact_id = ? AND name = ?"
			" ORDER BY id LIMIT 1"),
		    ARGS(d->art->id, name), &row));
	*id = row ? row->id : NULL;
	return E_OK;
}

static enum err
alert_store(struct declaring *d, const struct fm *wanted, const char *id)
{
	const struct shape *shape = id ? &metric_alert_edit_shape : &metric_alert_new_shape;
	struct alert_secrets made = { 0 };
	const char *new_id;
	void *in;

	TRY(declare_shape(d, wanted, NULL, shape, &in));
	if (d->dry)
		return E_OK;
	return declare_blame(d, wanted,
	    id ? alert_change(d->c, d->art, d->who, id, in, &made)
	       : alert_add(d->c, d->who, in, &new_id, &made));
}

static enum err
alert_declare(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	enum declared action;
	const char *id;

	TRY(declare_map(d, wanted, DECLARED_ALERT));
	TRY(alert_find(d, wanted->name, &id));
	action = declare_named(d, "alerts", wanted, last, id != NULL);
	return action == DECLARED_ADD || action == DECLARED_CHANGE ? alert_store(d, wanted, id)
								   : E_OK;
}

static enum err
alerts_apply(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	TRY(declare_map(d, wanted, NULL));
	for (size_t i = 0; i < wanted->n; i++)
		TRY(alert_declare(d, &wanted->v[i], fm_get(last, wanted->v[i].name)));
	return E_OK;
}

DECLARES(alerts, alerts_apply);
