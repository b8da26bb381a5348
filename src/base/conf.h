/* SPDX-License-Identifier: Apache-2.0
 * The configuration: one YAML file of plain "name: value" lines (VITRINE_CONFIG, else
 * /etc/vitrine/vitrine.yaml). Settings are declared once, in conf.def, those of a sign-in provider
 * in provider.def, of a service to connect in connector.def, of a plan in plan.def; an unknown
 * name, a wrong kind or a value out of range is an error that names it.
 * Only conf.c sees libyaml. */
#ifndef VITRINE_CONF_H
#define VITRINE_CONF_H
#include "base/ctx.h"

/* Both begin with the name of their file, without .yaml. */
struct provider {
	const char *name;
#define CONF_STR(name, def, doc) const char *name;
#include "base/provider.def"
#undef CONF_STR
};
enum { SUPPORT_KEY_CHARS = 26 }; /* what support_address gets behind a + */
#define CONNECTOR_CHATS "chat_a|chat_b"
struct connector {
	const char *name;
#define CONF_STR(name, def, doc) const char *name;
#include "base/connector.def"
#undef CONF_STR
};

/* The words of a plan's tier, the least first, and of its features. */
#define PLAN_TIERS "free|pro|team|enterprise"
#define PLAN_FEATURES "external_sharing|knowledge|subdomain|session_policy|custom_branding"
struct price_plan {
#define CONF_STR(name, def, doc) const char *name;
#define CONF_INT(name, def, lo, hi, doc) int64_t name;
#include "base/plan.def"
#undef CONF_STR
#undef CONF_INT
	const char *id;
};

struct conf {
#define CONF_STR(name, def, doc) const char *name;
#define CONF_INT(name, def, lo, hi, doc) int64_t name;
#include "base/conf.def"
#undef CONF_STR
#undef CONF_INT
	const char *path; /* where it was read */
	const struct provider *providers;
	size_t provider_n;
	const struct connector *connectors;
	size_t connector_n;
	const struct price_plan *plans; /* at least one */
	size_t plan_n;
};

/* NULL, with *why, when the file can't be used. path NULL = as above. Lives in owner. */
const struct conf *conf_load(void *owner, const char *path, const char **why);
/* For programs that stay: what conf_at() says, now and whenever it is asked for again. NULL, with
 * why in the log. */
void conf_at(void *owner, const char *path);
const struct conf *conf_again(void);
/* Every setting with its value, default and meaning, as YAML with comments (`vitrinectl config
 * show`). */
const char *conf_print(void *owner, const struct conf *);
/* What was deleted by then has been in the trash for trash_days. */
/* The value of a setting that is a number, by its name; NULL if there is none such. */
const int64_t *conf_number(const struct conf *, const char *name);
int64_t conf_trash_end(const struct conf *, int64_t now);
/* https://<label>.<content_domain>[:port] */
const char *conf_site_origin(void *owner, const struct conf *, const char *label);
/* The first line of a file that a setting names; NULL, with errno, if it can't be read. */
const char *conf_secret(void *owner, const char *path);
#endif
