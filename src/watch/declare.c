/* SPDX-License-Identifier: Apache-2.0
 * The section `alerts` of vitrine.yaml (core/declare.h). An alert has a name there. */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "watch/alert.h"

static enum err
alert_find(struct declaring *d, const struct fm *wanted, struct declared_thing **out)
{
	return db_find(d->c,
	    ROWS(declared_thing,
		"SELECT id, " DECLARED_MARK(
		    "table_name, kind, column_name, op, value, breaches,"
		    " (SELECT GROUP_CONCAT(COALESCE(t.email, j.config) ORDER BY t.place)"
		    " FROM metric_destination t LEFT JOIN job j ON j.id = t.job_id"
		    " WHERE t.alert_id = metric_alert.id)") " FROM metric_alert"
		" WHERE artifact_id = ? AND name = ? ORDER BY id LIMIT 1"),
	    ARGS(d->art->id, wanted->name), out);
}

static enum err
alert_store(struct declaring *d, const struct fm *wanted, const struct declared_thing *old)
{
	const struct shape *shape = old ? &metric_alert_edit_shape : &metric_alert_new_shape;
	const struct fm *table = fm_get(wanted, "table");
	struct alert_secrets made;
	struct metric_alert *al;
	const char *id;
	enum err e;
	void *in;

	if (old) {
		TRY(alert_get(d->c, d->art, d->who, old->id, &al));
		TRY(declare_fixed(d, wanted, "table", al->table));
		TRY(declare_fixed(d, wanted, "kind", al->kind));
		TRY(declare_fixed(d, wanted, "column", al->column));
	}
	TRY(declare_shape(d, wanted, NULL, shape, &in));
	if (d->dry)
		return E_OK;
	e = old ? alert_change(d->c, d->art, d->who, old->id, in, &made)
		: alert_add_held(d->c, d->art, d->who, in, &id, &made);
	if (e == E_NOT_FOUND && table)
		return fm_fail(d->c, table, "table: there's no table %s", table->text);
	return declare_blame(d, wanted, e);
}

DECLARES(alerts,
    .fields = "table|kind|column|op|value|breaches|destinations",
    .find = alert_find,
    .store = alert_store);
