/* SPDX-License-Identifier: Apache-2.0 */
#include "base/conf.h"

#include "base/buf.h"
#include "base/str.h"
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

/* The struct that a file fills in. */
struct target {
	const struct setting *settings;
	size_t n;
	void *to;
	bool *given; /* which of them the file has named */
};
enum {
	SETTINGS = sizeof settings / sizeof *settings,
	PROVIDER_SETTINGS = sizeof provider_settings / sizeof *provider_settings
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

/* Which of two values of one name holds, nobody could tell from the file. */
static const char *
setting_once(void *owner, const struct target *t, const char *name, size_t line)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!str_eq(t->settings[i].name, name))
			continue;
		if (t->given[i])
			return mem_printf(owner, "line %zu: %s is set a second time", line, name);
		t->given[i] = true;
	}
	return NULL;
}

/* The file is one mapping of scalars; anything else is refused by name and line. */
static const char *
read_mapping(void *owner, const struct target *t, FILE *f)
{
	yaml_parser_t parser;
	yaml_event_t ev;
	const char *why = NULL, *key = NULL;
	bool done = false, in_map = false;

	if (!yaml_parser_initialize(&parser))
		return "out of memory";
	yaml_parser_set_input_file(&parser, f);
	while (!done && !why) {
		if (!yaml_parser_parse(&parser, &ev)) {
			why = mem_printf(
			    owner, "line %zu: %s", parser.problem_mark.line + 1, parser.problem);
			break;
		}
		done = ev.type == YAML_STREAM_END_EVENT;
		if (ev.type == YAML_SCALAR_EVENT && in_map) {
			const char *text = (const char *)ev.data.scalar.value;

			why = key ? setting_set(owner, t, key, text)
				  : setting_once(owner, t, text, ev.start_mark.line + 1);
			key = key ? NULL : mem_strdup(owner, text);
		} else if (ev.type == YAML_MAPPING_START_EVENT && !in_map) {
			in_map = true;
		} else if (ev.type == YAML_MAPPING_START_EVENT ||
		    ev.type == YAML_SEQUENCE_START_EVENT || ev.type == YAML_ALIAS_EVENT) {
			why = mem_printf(
			    owner, "line %zu: expected name: value", ev.start_mark.line + 1);
		}
		yaml_event_delete(&ev);
	}
	yaml_parser_delete(&parser);
	return why;
}

/* Defaults, what the file says, and that nothing is missing. */
static const char *
read_file(void *owner, struct target *t, const char *path)
{
	const char *why;
	FILE *f;

	for (size_t i = 0; i < t->n; i++) {
		char *at = (char *)t->to + t->settings[i].off;

		if (t->settings[i].is_int)
			*(int64_t *)at = t->settings[i].int_def;
		else
			*(const char **)at = t->settings[i].def;
	}
	t->given = mem_array(owner, bool, t->n);
	f = fopen(path, "re");
	if (!f)
		return mem_printf(owner, "%s", strerror(errno));
	why = read_mapping(owner, t, f);
	fclose(f);
	for (size_t i = 0; i < t->n && !why; i++)
		if (!t->settings[i].is_int &&
		    !**(const char *const *)((const char *)t->to + t->settings[i].off))
			why = mem_printf(
			    owner, "%s: must be set (%s)", t->settings[i].name, t->settings[i].doc);
	return why;
}

static int
provider_by_name(const void *a, const void *b)
{
	return strcmp(((const struct provider *)a)->name, ((const struct provider *)b)->name);
}

static const char *
provider_read(void *owner, const char *path, const char *name, struct provider *p)
{
	const char *why = read_file(
	    owner, &(struct target){ provider_settings, PROVIDER_SETTINGS, p, NULL }, path);

	p->name = name;
	if (!why &&
	    (!*name || strlen(name) > 63 ||
		name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")]))
		why = "its name must be 1 to 63 of a-z, 0-9 and -";
	if (!why &&
	    (!str_http_url(p->issuer) || !str_starts(p->issuer, "https://") ||
		strpbrk(p->issuer, "?#")))
		why = mem_printf(owner,
		    "issuer: %s must be an https:// address without query and fragment", p->issuer);
	return why ? mem_printf(owner, "%s: %s", path, why) : NULL;
}

static const char *
providers_read(void *owner, struct conf *conf)
{
	enum { MOST = 32 };
	struct provider *all = mem_array(owner, struct provider, MOST);
	const char *why = NULL;
	struct dirent *e;
	DIR *dir;

	conf->providers = all;
	if (str_eq(conf->providers_dir, "-"))
		return NULL;
	if (!(dir = opendir(conf->providers_dir)))
		return mem_printf(
		    owner, "providers_dir: %s: %s", conf->providers_dir, strerror(errno));
	while (!why && (e = readdir(dir))) {
		if (!str_ends(e->d_name, ".yaml"))
			continue;
		if (conf->provider_n == MOST)
			why = "providers_dir: has more files than can be used";
		else
			why = provider_read(owner,
			    mem_printf(owner, "%s/%s", conf->providers_dir, e->d_name),
			    mem_strndup(owner, e->d_name, strlen(e->d_name) - strlen(".yaml")),
			    &all[conf->provider_n++]);
	}
	closedir(dir);
	qsort(all, conf->provider_n, sizeof *all, provider_by_name);
	return why;
}

static const char *
check_mail(void *owner, const struct conf *conf)
{
	const char *name, *address;

	if (str_eq(conf->smtp_url, "-"))
		return NULL;
	if (!str_smtp_url(conf->smtp_url))
		return mem_printf(owner,
		    "smtp_url: %s must be smtp://host:port or smtps://host:port", conf->smtp_url);
	if (!str_mailbox(owner, conf->mail_from, &name, &address))
		return mem_printf(owner,
		    "mail_from: %s must be an address, or Name <address>, when smtp_url is set",
		    conf->mail_from);
	if (str_eq(conf->smtp_user, "-") != str_eq(conf->smtp_password_file, "-"))
		return "smtp_user and smtp_password_file: set both or neither";
	return NULL;
}

static const char *
check_agent(void *owner, const struct conf *conf)
{
	if (str_eq(conf->agent_url, "-"))
		return NULL;
	if (!str_starts(conf->agent_url, "https://") || !str_http_url(conf->agent_url) ||
	    str_ends(conf->agent_url, "/") || strpbrk(conf->agent_url, "?#"))
		return mem_printf(owner,
		    "agent_url: %s must be an https:// address without a trailing slash",
		    conf->agent_url);
	return str_eq(conf->agent_models, "-")
	    ? "agent_models: must name a model when agent_url is set"
	    : NULL;
}

static const char *
conf_check(void *owner, const struct conf *conf)
{
	const char *host = conf->base_url + strlen("https://");
	if (!str_starts(conf->base_url, "https://") || !str_http_url(conf->base_url) ||
	    str_ends(conf->base_url, "/"))
		return mem_printf(owner,
		    "base_url: %s must be an https:// address without a trailing slash",
		    conf->base_url);
	if (!conf->same_site &&
	    suffix_same_site(mem_strndup(owner, host, strcspn(host, ":/")), conf->content_domain))
		return mem_printf(owner,
		    "content_domain: %s must be of another registrable domain than base_url, or published pages could plant cookies there",
		    conf->content_domain);
	if (!str_eq(conf->terms_url, "-") && !str_http_url(conf->terms_url))
		return mem_printf(owner, "terms_url: %s must be an address", conf->terms_url);
	return check_agent(owner, conf) ? check_agent(owner, conf) : check_mail(owner, conf);
}

/* A unix socket in the folder of another. */
static const char *
socket_beside(void *owner, const char *socket, const char *name)
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
		*why = mem_printf(owner, "%s: %s; set VITRINE_CONFIG to the configuration file",
		    conf->path, strerror(errno));
		return NULL;
	}
	problem = read_file(owner, &(struct target){ settings, SETTINGS, conf, NULL }, conf->path);
	if (!problem && str_eq(conf->slow_socket, "-"))
		conf->slow_socket = socket_beside(owner, conf->socket, "slow.sock");
	if (!problem)
		problem = conf_check(owner, conf);
	if (!problem)
		problem = providers_read(owner, conf);
	if (problem) {
		*why = mem_printf(owner, "%s: %s", conf->path, problem);
		return NULL;
	}
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
		/* Quoted, since a bare "-" is a list in YAML; a JSON string is a YAML one too. */
		if (s->is_int)
			buf_fmt(&b, "%lld", (long long)*(const int64_t *)at);
		else
			buf_json(&b, *(const char *const *)at);
		buf_chr(&b, '\n');
	}
	return buf_done(&b);
}

const char *
conf_site_origin(void *owner, const struct conf *conf, const char *label)
{
	if (conf->content_port == 443)
		return mem_printf(owner, "https://%s.%s", label, conf->content_domain);
	return mem_printf(owner, "https://%s.%s:%lld", label, conf->content_domain,
	    (long long)conf->content_port);
}

const char *
conf_secret(void *owner, const char *path)
{
	char line[256] = "";
	FILE *f = fopen(path, "re");

	if (!f)
		return NULL;
	if (fgets(line, sizeof line, f))
		line[strcspn(line, "\r\n")] = '\0';
	fclose(f);
	return mem_strdup(owner, line);
}
