/* SPDX-License-Identifier: Apache-2.0 */
#include "base/conf.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/suffix.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>
#include <yaml.h>

#ifndef VITRINE_SYSCONFDIR
#define VITRINE_SYSCONFDIR "/etc"
#endif

struct setting {
	const char *name, *def, *doc;
	bool is_int;
	int64_t int_def, lo, hi;
	size_t off;
};

static const struct setting settings[] = {
#define CONF_STR(name, def, doc) { #name, def, doc, false, 0, 0, 0, offsetof(struct conf, name) },
#define CONF_INT(name, def, lo, hi, doc) \
	{ #name, #def, doc, true, def, lo, hi, offsetof(struct conf, name) },
#include "base/conf.def"
#undef CONF_STR
#undef CONF_INT
};
static const struct setting provider_settings[] = {
#define CONF_STR(name, def, doc) \
	{ #name, def, doc, false, 0, 0, 0, offsetof(struct provider, name) },
#include "base/provider.def"
#undef CONF_STR
};
static const struct setting connector_settings[] = {
#define CONF_STR(name, def, doc) \
	{ #name, def, doc, false, 0, 0, 0, offsetof(struct connector, name) },
#include "base/connector.def"
#undef CONF_STR
};
static const struct setting plan_settings[] = {
#define CONF_STR(name, def, doc) \
	{ #name, def, doc, false, 0, 0, 0, offsetof(struct price_plan, name) },
#define CONF_INT(name, def, lo, hi, doc) \
	{ #name, #def, doc, true, def, lo, hi, offsetof(struct price_plan, name) },
#include "base/plan.def"
#undef CONF_STR
#undef CONF_INT
};

/* The struct that a file, or one mapping in it, sets. */
struct target {
	const struct setting *settings;
	size_t n;
	void *to;
	bool *given; /* per setting: the file has named it */
};
enum {
	SETTINGS = sizeof settings / sizeof *settings,
	PROVIDER_SETTINGS = sizeof provider_settings / sizeof *provider_settings,
	CONNECTOR_SETTINGS = sizeof connector_settings / sizeof *connector_settings,
	PLAN_SETTINGS = sizeof plan_settings / sizeof *plan_settings
};

static const char *
setting_set(void *owner, const struct target *t, const char *name, const char *value)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct setting *s = &t->settings[i];
		char *at = (char *)t->to + s->off;

		if (!str_eq(s->name, name))
			continue;
		if (!s->is_int) {
			*(const char **)at = mem_strdup(owner, value);
			return NULL;
		}
		if (!str_int(value, (int64_t *)at) || *(int64_t *)at < s->lo ||
		    *(int64_t *)at > s->hi)
			return mem_printf(owner, "%s: %s is not a whole number from %lld to %lld",
			    name, value, (long long)s->lo, (long long)s->hi);
		return NULL;
	}
	return mem_printf(owner, "%s: there is no such setting", name);
}

/* Refuses a name that is set twice, because the file doesn't say which value is meant. */
static const char *
setting_once(void *owner, const struct target *t, const char *name, size_t line)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!str_eq(t->settings[i].name, name))
			continue;
		if (t->given[i])
			return mem_printf(owner, "line %zu: %s is set twice", line, name);
		t->given[i] = true;
	}
	return NULL;
}

/* The state of reading a file: one mapping of scalars, or, if part isn't NULL, a mapping of such
 * mappings. */
struct reading {
	void *owner;
	struct target to;
	/* Sets `to` for the mapping that begins. Returns NULL, or why it is refused. */
	const char *(*part)(struct reading *, const char *name);
	void *arg;
	const char *key;
	int depth;
};

static const char *
scalar_read(struct reading *r, const char *text, size_t line)
{
	const char *key = r->key;

	if (r->part && r->depth == 1) {
		if (key)
			return mem_printf(r->owner,
			    "line %zu: expected a name, a colon, "
			    "and its settings on the following lines", line);
		r->key = mem_strdup(r->owner, text);
		return r->part(r, r->key);
	}
	r->key = key ? NULL : mem_strdup(r->owner, text);
	return key ? setting_set(r->owner, &r->to, key, text)
		   : setting_once(r->owner, &r->to, text, line);
}

static const char *
event_read(struct reading *r, const yaml_event_t *ev)
{
	size_t line = ev->start_mark.line + 1;

	if (ev->type == YAML_SCALAR_EVENT && r->depth)
		return scalar_read(r, (const char *)ev->data.scalar.value, line);
	if (ev->type == YAML_MAPPING_START_EVENT &&
	    (!r->depth || (r->part && r->depth == 1 && r->key))) {
		r->depth++;
		r->key = NULL;
		return NULL;
	}
	if (ev->type == YAML_MAPPING_END_EVENT)
		r->depth--;
	return ev->type == YAML_MAPPING_START_EVENT || ev->type == YAML_SEQUENCE_START_EVENT ||
		ev->type == YAML_ALIAS_EVENT
	    ? mem_printf(r->owner, "line %zu: expected name: value", line)
	    : NULL;
}

/* Refuses any other YAML, naming the line. */
static const char *
read_mapping(struct reading *r, FILE *f)
{
	yaml_parser_t parser;
	yaml_event_t ev;
	const char *why = NULL;
	bool done = false;

	if (!yaml_parser_initialize(&parser))
		return "out of memory";
	yaml_parser_set_input_file(&parser, f);
	while (!done && !why) {
		if (!yaml_parser_parse(&parser, &ev)) {
			why = mem_printf(r->owner, "line %zu: %s", parser.problem_mark.line + 1,
			    parser.problem);
			break;
		}
		done = ev.type == YAML_STREAM_END_EVENT;
		why = event_read(r, &ev);
		yaml_event_delete(&ev);
	}
	yaml_parser_delete(&parser);
	return why;
}

static void
defaults_set(void *owner, struct target *t)
{
	for (size_t i = 0; i < t->n; i++) {
		char *at = (char *)t->to + t->settings[i].off;

		if (t->settings[i].is_int)
			*(int64_t *)at = t->settings[i].int_def;
		else
			*(const char **)at = t->settings[i].def;
	}
	t->given = mem_array(owner, bool, t->n);
}

static const char *
missing_find(void *owner, const struct target *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!t->settings[i].is_int &&
		    !**(const char *const *)((const char *)t->to + t->settings[i].off))
			return mem_printf(owner, "%s: must be set (%s)", t->settings[i].name,
			    t->settings[i].doc);
	return NULL;
}

/* Sets the defaults, then what the file sets, and refuses the file if a setting is missing. */
static const char *
read_file(void *owner, struct target *t, const char *path)
{
	struct reading r = { .owner = owner };
	const char *why;
	FILE *f;

	defaults_set(owner, t);
	f = fopen(path, "re");
	if (!f)
		return mem_printf(owner, "%s", strerror(errno));
	r.to = *t;
	why = read_mapping(&r, f);
	fclose(f);
	return why ? why : missing_find(owner, t);
}

/* ---- folders of files ---- */

/* A setting that names a folder in which each <name>.yaml describes one provider or connector. */
struct folder {
	const char *setting, *dir;
	const char *letters; /* allowed in names */
	size_t name_most;
	const struct setting *settings;
	size_t n;
	size_t size; /* of one struct; its first member must be its name */
	/* returns NULL if the struct is valid */
	const char *(*check)(void *owner, const void *one);
};

static const char *
https_check(void *owner, const char *name, const char *url, const char *without)
{
	return str_http_url(url) && str_starts(url, "https://") && !strpbrk(url, without)
	    ? NULL
	    : mem_printf(owner, "%s: %s must be an https:// address without a %sfragment", name,
		  url, strchr(without, '?') ? "query or " : "");
}

static const char *
provider_check(void *owner, const void *one)
{
	return https_check(owner, "issuer", ((const struct provider *)one)->issuer, "?#");
}

static const char *
connector_check(void *owner, const void *one)
{
	const struct connector *p = one;
	const char *why = https_check(owner, "authorize_url", p->authorize_url, "#");

	why = why ? why : https_check(owner, "token_url", p->token_url, "#");
	why = why ? why : https_check(owner, "api_base", p->api_base, "?#");
	if (!why && str_in(p->name, "http|postgres"))
		why = mem_printf(owner, "%s is a kind of connection; name the file otherwise",
		    p->name);
	if (!why && !str_in(p->client_auth, "basic|form"))
		why = mem_printf(
		    owner, "client_auth: %s must be basic or form", p->client_auth);
	if (!why && str_eq(p->name, "chat_b") && !conf_has(p->bot_token_file))
		why = "bot_token_file: must be set";
	return why;
}

static const char *
folder_file_read(void *owner, const struct folder *f, const char *file, void *one)
{
	const char *path = mem_printf(owner, "%s/%s", f->dir, file),
		   *name = mem_strndup(owner, file, strlen(file) - strlen(".yaml")), *why;

	why = read_file(owner, &(struct target){ f->settings, f->n, one, NULL }, path);
	*(const char **)one = name;
	if (!why && (!*name || strlen(name) > f->name_most || name[strspn(name, f->letters)]))
		why = mem_printf(owner,
		    "the file name must be 1 to %zu characters (%s), then .yaml", f->name_most,
		    strchr(f->letters, '_') ? "a-z, 0-9, - and _" : "a-z, 0-9, -");
	why = why ? why : f->check(owner, one);
	return why ? mem_printf(owner, "%s: %s", path, why) : NULL;
}

/* Sets *all to an array of structs, sorted by name. */
static const char *
folder_read(void *owner, const struct folder *f, void *all, size_t *n)
{
	enum { MOST = 32 };
	char *v = mem_zalloc(owner, MOST * f->size);
	const char *why = NULL;
	struct dirent *e;
	DIR *dir;

	*(void **)all = v;
	if (!conf_has(f->dir))
		return NULL;
	if (!(dir = opendir(f->dir)))
		return mem_printf(owner, "%s: %s: %s", f->setting, f->dir, strerror(errno));
	while (!why && (e = readdir(dir))) {
		if (!str_ends(e->d_name, ".yaml"))
			continue;
		if (*n == MOST)
			why = mem_printf(owner, "%s: %s has more than %d files", f->setting,
			    f->dir, MOST);
		else
			why = folder_file_read(owner, f, e->d_name, v + (*n)++ * f->size);
	}
	closedir(dir);
	qsort(v, *n, f->size, str_order);
	return why;
}

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789-"

static const char *
folders_read(void *owner, struct conf *conf)
{
	const struct folder providers = { "providers_dir", conf->providers_dir, NAME_LETTERS, 63,
		provider_settings, PROVIDER_SETTINGS, sizeof(struct provider), provider_check };
	const struct folder connectors = { "connections_dir", conf->connections_dir,
		NAME_LETTERS "_", 40, connector_settings, CONNECTOR_SETTINGS,
		sizeof(struct connector), connector_check };
	const char *why = folder_read(owner, &providers, &conf->providers, &conf->provider_n);

	return why ? why
		   : folder_read(owner, &connectors, &conf->connectors, &conf->connector_n);
}

/* ---- plans ---- */

enum { PLANS_MOST = 32 };

static const char *
plan_begin(struct reading *r, const char *id)
{
	struct conf *conf = r->arg;
	struct price_plan *all = (struct price_plan *)(uintptr_t)conf->plans;

	for (size_t i = 0; i < conf->plan_n; i++)
		if (str_eq(all[i].id, id))
			return mem_printf(r->owner, "%s appears twice", id);
	if (conf->plan_n == PLANS_MOST)
		return "has too many plans; at most 32 are allowed";
	if (!*id || strlen(id) > 40 || id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return mem_printf(r->owner,
		    "%s: a plan's name must be 1 to 40 characters (a-z, 0-9, -)", id);
	r->to = (struct target){ plan_settings, PLAN_SETTINGS, &all[conf->plan_n++], NULL };
	defaults_set(r->owner, &r->to);
	all[conf->plan_n - 1].id = id;
	return NULL;
}

/* Returns the first word of a plan's features that isn't a feature, or NULL. */
static const char *
feature_unknown(void *owner, const struct price_plan *p)
{
	char *rest = mem_strdup(owner, p->features), *word;

	while (conf_has(p->features) && (word = str_split(&rest, ' ')))
		if (*word && !str_in(word, PLAN_FEATURES))
			return word;
	return NULL;
}

static const char *
plan_check(void *owner, const struct conf *conf)
{
	bool known = false;

	for (size_t i = 0; i < conf->plan_n; i++) {
		const struct price_plan *p = &conf->plans[i];
		struct target t = { plan_settings, PLAN_SETTINGS, (void *)(uintptr_t)p, NULL };

		if (missing_find(owner, &t))
			return mem_printf(owner, "%s: %s", p->id, missing_find(owner, &t));
		if (!str_in(p->tier, PLAN_TIERS))
			return mem_printf(owner,
			    "%s: tier: %s must be free, pro, team or enterprise", p->id, p->tier);
		if (feature_unknown(owner, p))
			return mem_printf(owner, "%s: features: there is no feature %s", p->id,
			    feature_unknown(owner, p));
		known |= str_eq(p->id, conf->default_plan);
	}
	return known ? NULL
		     : mem_printf(owner, "default_plan: there is no plan %s", conf->default_plan);
}

static const char *
plans_read(void *owner, struct conf *conf)
{
	struct reading r = { .owner = owner, .part = plan_begin, .arg = conf };
	const char *why;
	FILE *f;

	conf->plans = mem_array(owner, struct price_plan, PLANS_MOST);
	if (!conf_has(conf->plans_file)) {
		char *all = mem_strdup(owner, PLAN_FEATURES);

		for (char *p = all; *p; p++)
			*p = *p == '|' ? ' ' : *p;
		why = plan_begin(&r, mem_strdup(owner, conf->default_plan));
		*(struct price_plan *)r.to.to = (struct price_plan){ .id = conf->default_plan,
			.name = "Everything",
			.tier = "enterprise",
			.currency = "USD",
			.seats_min = 1,
			.features = all };
		return why;
	}
	if (!(f = fopen(conf->plans_file, "re")))
		return mem_printf(owner, "plans_file: %s: %s", conf->plans_file, strerror(errno));
	why = read_mapping(&r, f);
	fclose(f);
	why = why ? why : plan_check(owner, conf);
	return why ? mem_printf(owner, "plans_file: %s: %s", conf->plans_file, why) : NULL;
}

static const char *
check_mail(void *owner, const struct conf *conf)
{
	const char *name, *address;

	if (!conf_has(conf->smtp_url))
		return NULL;
	if (!str_smtp_url(conf->smtp_url))
		return mem_printf(owner,
		    "smtp_url: %s must be smtp://host:port or smtps://host:port", conf->smtp_url);
	if (!str_mailbox(owner, conf->mail_from, &name, &address))
		return mem_printf(owner,
		    "mail_from: %s must be an e-mail address, or Name <address>, "
		    "if smtp_url is set",
		    conf->mail_from);
	if (conf_has(conf->smtp_user) != conf_has(conf->smtp_password_file))
		return "smtp_user and smtp_password_file: set both or neither";
	return NULL;
}

/* SUPPORT_KEY_CHARS follow the + in an address, and RFC 5321 allows 64 characters before the @. */
static const char *
check_support(void *owner, const struct conf *conf)
{
	const char *address = conf->support_address, *at = strchr(address, '@');
	const size_t most = 64 - 1 - SUPPORT_KEY_CHARS;

	if (!conf_has(address))
		return NULL;
	if (!str_email(address) || memchr(address, '+', (size_t)(at - address)) ||
	    (size_t)(at - address) > most)
		return mem_printf(owner,
		    "support_address: %s must be an e-mail address with at most %zu characters "
		    "before the @, and no + among them",
		    address, most);
	return NULL;
}

static const char *
check_security(void *owner, const struct conf *conf)
{
	const char *contact = conf->security_contact;

	return !conf_has(contact) || str_email(contact) ||
		(str_starts(contact, "https://") && str_http_url(contact))
	    ? NULL
	    : mem_printf(owner,
		  "security_contact: %s must be an e-mail address or an https:// address", contact);
}

static const char *
check_agent(void *owner, const struct conf *conf)
{
	if (!conf_has(conf->agent_url))
		return NULL;
	if (!str_starts(conf->agent_url, "https://") || !str_http_url(conf->agent_url) ||
	    str_ends(conf->agent_url, "/") || strpbrk(conf->agent_url, "?#"))
		return mem_printf(owner,
		    "agent_url: %s must be an https:// address without a trailing slash",
		    conf->agent_url);
	return conf_has(conf->agent_models)
	    ? NULL
	    : "agent_models: must name at least one model if agent_url is set";
}

static const char *
check_payment(void *owner, const struct conf *conf)
{
	const char *url = conf->payment_url, *secret = conf->payment_webhook_secret;

	if (conf_has(secret) &&
	    (strlen(secret) < 20 || strlen(secret) > 100 ||
		secret[strspn(secret,
		    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		    "0123456789")]))
		return "payment_webhook_secret: must be 20 to 100 letters and digits";
	if (!conf_has(url))
		return NULL;
	if (!str_starts(url, "https://") || !str_http_url(url) || str_ends(url, "/") ||
	    strpbrk(url, "?#"))
		return mem_printf(owner,
		    "payment_url: %s must be an https:// address without a trailing slash", url);
	return conf_has(conf->payment_key_file)
	    ? NULL
	    : "payment_key_file: must be set if payment_url is set";
}

/* True for the address of a bucket, or of a prefix in one. */
static bool
is_store(const char *url)
{
	const char *host = strstr(url, "//");
	bool local = host &&
	    (str_starts(host, "//127.0.0.1:") || str_starts(host, "//[::1]:") ||
		str_starts(host, "//localhost:"));

	return (str_starts(url, "https://") || (str_starts(url, "http://") && local)) &&
	    str_http_url(url) && strchr(host + 2, '/') && !str_ends(url, "/") &&
	    !strpbrk(url, "?#@%");
}

static const char *
check_store(void *owner, const struct conf *conf)
{
	const char *url = conf->store_url;
	int64_t keep;

	if (!str_eq(conf->objects_keep, "all") &&
	    (!str_int(conf->objects_keep, &keep) || keep < 0 || !conf_has(url)))
		return "objects_keep: must be all, or with store_url a number of bytes";
	if (!str_in(conf->store_mode, "before|after"))
		return mem_printf(
		    owner, "store_mode: %s must be before or after", conf->store_mode);
	if (!conf_has(url))
		return NULL;
	if (!is_store(url))
		return mem_printf(owner,
		    "store_url: %s must be an https:// address with a bucket and without a "
		    "trailing slash", url);
	return conf_has(conf->store_key_file) ? NULL
					      : "store_key_file: must be set if store_url is set";
}

static const char *
check_backup(void *owner, const struct conf *conf)
{
	const char *url = conf->backup_url;
	bool folder = str_starts(url, "file:///") && !str_ends(url, "/");

	if (!conf_has(url))
		return NULL;
	if (!folder && !is_store(url))
		return mem_printf(owner,
		    "backup_url: %s must be file:/// and the path of a folder, or an https:// "
		    "address with a bucket, without a trailing slash",
		    url);
	if (str_eq(url, conf->store_url))
		return "backup_url: must not be store_url, where the same names have other bytes";
	if (!folder && !conf_has(conf->backup_store_key_file) && !conf_has(conf->store_key_file))
		return "backup_store_key_file: must be set if backup_url is in an object store";
	return conf_has(conf->backup_key_file)
	    ? NULL
	    : "backup_key_file: must be set if backup_url is set";
}

/* Each machine needs the bytes of all, so the store must have them before the reply. */
static const char *
check_cluster(void *owner, const struct conf *conf)
{
	const char *name = conf->cluster_node;

	if (!conf_has(name))
		return NULL;
	if (!*name || strlen(name) > CONF_NODE_CHARS ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return mem_printf(owner,
		    "cluster_node: %s must be 1 to %d characters (a-z, 0-9, -)", name,
		    CONF_NODE_CHARS);
	if (!conf_has(conf->cluster_admin_file))
		return "cluster_admin_file: must be set if cluster_node is set";
	return !conf_has(conf->store_url) || !str_eq(conf->store_mode, "before")
	    ? "cluster_node: store_url must be set, and store_mode must be before"
	    : NULL;
}

/* A browser sends scheme, host and port. The server compares them with these byte by byte. */
static const char *
check_origins(void *owner, const struct conf *conf)
{
	char *rest = mem_strdup(owner, conf->mcp_origins), *origin;

	while (conf_has(conf->mcp_origins) && (origin = str_split(&rest, ' ')))
		if (*origin && (!str_http_url(origin) || strpbrk(strstr(origin, "//") + 2, "/?#")))
			return mem_printf(owner,
			    "mcp_origins: %s must be an http:// or https:// address "
			    "without a path or a trailing slash",
			    origin);
	return NULL;
}

static const char *
check_certificates(void *owner, const struct conf *conf)
{
	const char *url = conf->acme_directory;

	if (!str_in(conf->certificates, "files|local|acme"))
		return mem_printf(owner, "certificates: %s must be files, local or acme",
		    conf->certificates);
	if (*conf->tls_dir != '/')
		return mem_printf(owner, "tls_dir: %s must be an absolute path", conf->tls_dir);
	if (!str_eq(conf->certificates, "acme"))
		return NULL;
	if (!str_starts(url, "https://") || !str_http_url(url))
		return mem_printf(owner, "acme_directory: %s must be an https:// address", url);
	if (conf_has(conf->acme_contact) && !str_email(conf->acme_contact))
		return mem_printf(owner, "acme_contact: %s must be an e-mail address or -",
		    conf->acme_contact);
	if (*conf->acme_dns_hook != '/')
		return "acme_dns_hook: must be the path of a program if certificates is acme, "
		       "because an authority proves *.content_domain by DNS alone; "
		       "or set certificates to files";
	return !conf_has(conf->cluster_node)
	    ? NULL
	    : "certificates: must be files in a cluster, so that all machines have the same";
}

static const char *
conf_check(void *owner, const struct conf *conf)
{
	const char *host = conf->base_url + strlen("https://"), *why;
	if (!str_starts(conf->base_url, "https://") || !str_http_url(conf->base_url) ||
	    str_ends(conf->base_url, "/"))
		return mem_printf(owner,
		    "base_url: %s must be an https:// address without a trailing slash",
		    conf->base_url);
	if (!conf->same_site &&
	    suffix_same_site(mem_strndup(owner, host, strcspn(host, ":/")), conf->content_domain))
		return mem_printf(owner,
		    "content_domain: %s must be on a different registrable domain than base_url; "
		    "otherwise published pages could plant cookies there",
		    conf->content_domain);
	if (conf_has(conf->terms_url) && !str_http_url(conf->terms_url))
		return mem_printf(owner, "terms_url: %s must be an http:// or https:// address",
		    conf->terms_url);
	if (check_origins(owner, conf))
		return check_origins(owner, conf);
	why = check_payment(owner, conf);
	why = why ? why : check_store(owner, conf);
	why = why ? why : check_backup(owner, conf);
	why = why ? why : check_cluster(owner, conf);
	why = why ? why : check_agent(owner, conf);
	why = why ? why : check_mail(owner, conf);
	why = why ? why : check_certificates(owner, conf);
	why = why ? why : check_support(owner, conf);
	return why ? why : check_security(owner, conf);
}

/* Returns the path of a unix socket in the same folder as another. */
static const char *
socket_sibling(void *owner, const char *socket, const char *name)
{
	const char *slash = strrchr(socket, '/');

	return mem_printf(owner, "%.*s%s", slash ? (int)(slash - socket + 1) : 0, socket, name);
}

const struct conf *
conf_load(void *owner, const char *path, const char **why)
{
	struct conf *conf = mem_new(owner, struct conf);
	const char *problem;

	if (!path)
		path = getenv("VITRINE_CONFIG");
	conf->path = mem_strdup(owner, path ? path : VITRINE_SYSCONFDIR "/vitrine/vitrine.yaml");
	if (access(conf->path, R_OK)) {
		*why = mem_printf(owner,
		    "%s: %s; set VITRINE_CONFIG to the path of the configuration file",
		    conf->path, strerror(errno));
		return NULL;
	}
	problem = read_file(owner, &(struct target){ settings, SETTINGS, conf, NULL }, conf->path);
	if (!problem && !conf_has(conf->slow_socket))
		conf->slow_socket = socket_sibling(owner, conf->socket, "slow.sock");
	if (!problem && !conf_has(conf->line_socket))
		conf->line_socket = socket_sibling(owner, conf->socket, "line.sock");
	if (!problem)
		problem = conf_check(owner, conf);
	if (!problem)
		problem = folders_read(owner, conf);
	if (!problem)
		problem = plans_read(owner, conf);
	if (problem) {
		*why = mem_printf(owner, "%s: %s", conf->path, problem);
		return NULL;
	}
	return conf;
}

static struct {
	void *owner;
	const char *path;
} source;

void
conf_at(void *owner, const char *path)
{
	source.owner = owner;
	source.path = path;
}

const struct conf *
conf_again(void)
{
	const char *why;
	const struct conf *conf = conf_load(source.owner, source.path, &why);

	if (!conf)
		log_line(LOG_LEVEL_ERROR, "configuration", "why", why, NULL);
	return conf;
}

const char *
conf_print(void *owner, const struct conf *conf)
{
	struct buf b = BUF(owner);

	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		const char *at = (const char *)conf + s->off;

		buf_fmt(
		    &b, "# %s.%s%s\n", s->doc, *s->def ? " Default: " : " Must be set.", s->def);
		buf_fmt(&b, "%s: ", s->name);
		/* Quoted, because a bare "-" starts a list in YAML. A JSON string is valid YAML. */
		if (s->is_int)
			buf_fmt(&b, "%lld", (long long)*(const int64_t *)at);
		else
			buf_json(&b, *(const char *const *)at);
		buf_chr(&b, '\n');
	}
	return buf_done(&b);
}

struct files {
	const char **v;
	size_t n;
};

static void
file_add(struct files *to, const char *path)
{
	if (conf_has(path) && !str_starts(path, "/usr/"))
		to->v[to->n++] = path;
}

size_t
conf_files(void *owner, const struct conf *conf, const char ***out)
{
	struct files all = { mem_array(owner, const char *,
		SETTINGS + 2 * conf->provider_n + 3 * conf->connector_n), 0 };

	for (size_t i = 0; i < SETTINGS; i++)
		if (!settings[i].is_int && str_ends(settings[i].name, "_file") &&
		    !str_eq(settings[i].name, "limits_file"))
			file_add(&all,
			    *(const char *const *)((const char *)conf + settings[i].off));
	for (size_t i = 0; i < conf->provider_n; i++) {
		file_add(&all, mem_printf(owner, "%s/%s.yaml", conf->providers_dir,
		    conf->providers[i].name));
		file_add(&all, conf->providers[i].client_secret_file);
	}
	for (size_t i = 0; i < conf->connector_n; i++) {
		file_add(&all, mem_printf(owner, "%s/%s.yaml", conf->connections_dir,
		    conf->connectors[i].name));
		file_add(&all, conf->connectors[i].client_secret_file);
		file_add(&all, conf->connectors[i].bot_token_file);
	}
	*out = all.v;
	return all.n;
}

bool
conf_has(const char *value)
{
	return !str_eq(value, "-");
}

const int64_t *
conf_number(const struct conf *conf, const char *name)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (settings[i].is_int && str_eq(settings[i].name, name))
			return (const int64_t *)((const char *)conf + settings[i].off);
	return NULL;
}

int64_t
conf_trash_end(const struct conf *conf, int64_t now)
{
	return now - conf->trash_days * 86400;
}

const char *
conf_templates(void *owner)
{
	return mem_printf(owner, "%s/etc/templates", conf_share_dir());
}

const char *
conf_site_origin(void *owner, const struct conf *conf, const char *label)
{
	bool whole = strchr(label, '.') != NULL;
	const char *dot = whole ? "" : ".", *rest = whole ? "" : conf->content_domain;

	if (conf->content_port == 443)
		return mem_printf(owner, "https://%s%s%s", label, dot, rest);
	return mem_printf(
	    owner, "https://%s%s%s:%lld", label, dot, rest, (long long)conf->content_port);
}

const char *
conf_secret(void *owner, const char *path)
{
	char line[256] = "";
	FILE *f = fopen(path, "re");

	if (!f)
		return NULL;
	(void)!fgets(line, sizeof line, f);
	fclose(f);
	return unicode_line(owner, line, sizeof line);
}

#ifndef VITRINE_DATADIR
#define VITRINE_DATADIR "."
#endif

const char *
conf_share_dir(void)
{
	const char *dir = getenv("VITRINE_SHARE");

	return dir ? dir : VITRINE_DATADIR;
}
