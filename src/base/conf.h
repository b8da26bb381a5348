/* SPDX-License-Identifier: Apache-2.0
 * The configuration: one YAML file of "name: value" lines ($VITRINE_CONFIG, else
 * /etc/vitrine/vitrine.yaml). Each setting is declared once: in conf.def, provider.def (a sign-in
 * provider), connector.def (a service to connect) or plan.def (a price plan). An unknown name, a
 * wrong type or a value out of range is an error that names the setting. Only conf.c includes
 * libyaml's header for this. */
#ifndef VITRINE_CONF_H
#define VITRINE_CONF_H
#include "base/ctx.h"

/* The first member of a provider and of a connector is the name of its file, without .yaml. */
struct provider {
	const char *name;
#define CONF_STR(name, def, doc) const char *name;
#include "base/provider.def"
#undef CONF_STR
};
enum { CONF_NODE_CHARS = 32 };   /* of cluster_node */
enum { SUPPORT_KEY_CHARS = 26 }; /* characters of the key after the + in support_address */
#define CONNECTOR_CHATS "chat_a|chat_b"
struct connector {
	const char *name;
#define CONF_STR(name, def, doc) const char *name;
#include "base/connector.def"
#undef CONF_STR
};

/* The tiers of plans, the lowest first, and the names of their features. */
#define PLAN_TIERS "free|pro|team|enterprise"
#define PLAN_FEATURES \
	"external_sharing|knowledge|subdomain|session_policy|custom_branding|custom_domains"
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
	const char *path; /* of the file that was read */
	const char *db_password; /* NULL: db_password_file has it */
	const struct provider *providers;
	size_t provider_n;
	const struct connector *connectors;
	size_t connector_n;
	const struct price_plan *plans; /* at least one plan */
	size_t plan_n;
};

/* Reads and checks the file; path NULL means the default above. The result lives in owner. Returns
 * NULL and sets *why if the file can't be used. */
const struct conf *conf_load(void *owner, const char *path, const char **why);
/* For programs that run until they are stopped: conf_at() remembers owner and path, conf_again()
 * reads the file anew. Returns NULL, and logs why, if the file can't be used. */
void conf_at(void *owner, const char *path);
const struct conf *conf_again(void);
/* Prints each setting with its value, default and meaning, as YAML with comments (`vitrinectl
 * config show`). */
const char *conf_print(void *owner, const struct conf *);
/* False for "-": the operator hasn't set this text. */
bool conf_has(const char *value);
/* Returns the value of a setting that is a number, by its name; NULL if there is none such. */
const int64_t *conf_number(const struct conf *, const char *name);
/* Lists the files that the configuration names, for a copy of this machine, without those below
 * /usr. Returns how many; some may not exist. */
size_t conf_files(void *owner, const struct conf *, const char ***out);
/* Returns the Unix second before which a thing must have been deleted to be purged from the trash.
 */
int64_t conf_trash_end(const struct conf *, int64_t now);
/* Returns the folder of the templates that come with Vitrine. */
const char *conf_templates(void *owner);
/* Returns https://<label>.<content_domain>, with the port unless it is 443. */
const char *conf_site_origin(void *owner, const struct conf *, const char *label);
/* Returns the first line of the file, without its line end; NULL, with errno, if it can't be read.
 */
const char *conf_secret(void *owner, const char *path);
/* Returns the folder with sql/ and nginx/: the installed one, or that of VITRINE_SHARE. */
const char *conf_share_dir(void);
#endif
