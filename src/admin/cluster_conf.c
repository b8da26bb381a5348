/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl cluster init, haproxy, keepalived: the configuration of the programs around a cluster.
 */
#include "admin/cluster.h"

#include "admin/cmd.h"
#include "agents/card.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

SHAPE_DEFINE(machine, MACHINE);

/* ---- files ---- */

const char *
service_user(struct ctx *c)
{
	struct stat st;
	const struct passwd *who =
	    stat(c->conf->data_dir, &st) ? NULL : getpwuid(st.st_uid);

	return who ? mem_strdup(c->mem, who->pw_name) : NULL;
}

enum err
file_place(struct ctx *c, const struct placed *f)
{
	const char *fresh = mem_printf(c->mem, "%s.new", f->path);
	const struct passwd *who = f->owner && !geteuid() ? getpwnam(f->owner) : NULL;
	int fd = mem_fd(c->mem,
	    open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));

	if (fd < 0)
		return fail_here(c, "%s", fresh);
	if (write(fd, f->bytes, f->n) != (ssize_t)f->n ||
	    (who && fchown(fd, who->pw_uid, who->pw_gid)) || fchmod(fd, f->mode) ||
	    fsync(fd) || rename(fresh, f->path)) {
		fail_here(c, "%s", f->path);
		unlink(fresh);
		return c->err;
	}
	return E_OK;
}

enum err
file_read(struct ctx *c, const char *path, struct placed *out)
{
	int fd = mem_fd(c->mem, open(path, O_RDONLY | O_CLOEXEC));
	struct stat st;
	const struct passwd *who;
	char *bytes;

	if (fd < 0 || fstat(fd, &st))
		return fail_here(c, "%s", path);
	bytes = mem_zalloc(c->mem, (size_t)st.st_size + 1);
	if (read(fd, bytes, (size_t)st.st_size) != st.st_size)
		return fail_here(c, "%s", path);
	who = getpwuid(st.st_uid);
	*out = (struct placed){ .path = path, .mode = st.st_mode & 07777, .bytes = bytes,
		.owner = who ? mem_strdup(c->mem, who->pw_name) : NULL,
		.n = (size_t)st.st_size };
	return E_OK;
}

/* ---- the list of machines ---- */

static const char list_begins[] = "# machines: ";

/* Reads NAME=ADDRESS, separated by spaces. */
static enum err
machines_read(struct ctx *c, const char *text, struct machine_list *out)
{
	char *rest = mem_strdup(c->mem, text), *word, *name;

	*out = (struct machine_list){ .v = mem_array(c->mem, struct machine, strlen(text)) };
	while ((word = str_split(&rest, ' '))) {
		name = str_split(&word, '=');
		if (!word || !*name || strlen(name) > CONF_NODE_CHARS ||
		    name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] || !*word ||
		    word[strcspn(word, " ,;\"'{}/")] || machine_find(out, name))
			return fail(c, E_INVALID,
			    "\"%s\": each machine once, as NAME=ADDRESS; a name has 1 to %d "
			    "characters (a-z, 0-9, -)", name, CONF_NODE_CHARS);
		out->v[out->n++] = (struct machine){ .name = name, .address = word };
	}
	return E_OK;
}

const struct machine *
machine_find(const struct machine_list *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].name, name))
			return &all->v[i];
	return NULL;
}

enum err
machines_kept(struct ctx *c, const char *path, struct machine_list *out)
{
	struct placed file;
	char *line;

	TRY(file_read(c, path, &file));
	line = strstr(file.bytes, list_begins);
	if (!line)
		return fail(c, E_INVALID, "%s isn't a file of vitrinectl cluster init", path);
	line += strlen(list_begins);
	return machines_read(c, mem_strndup(c->mem, line, strcspn(line, "\n")), out);
}

enum err
machine_enter(struct ctx *c, const struct machine *m, bool fresh)
{
	return db_exec(c,
	    EXEC("INSERT INTO node (name, address, joined_at) VALUES (?, ?, ?)"
		 " ON DUPLICATE KEY UPDATE address = VALUES(address),"
		 " joined_at = IF(? OR left_at IS NOT NULL, VALUES(joined_at), joined_at),"
		 " priority = IF(? OR left_at IS NOT NULL, DEFAULT(priority), priority),"
		 " left_at = NULL"),
	    ARGS(m->name, m->address, c->now, fresh, fresh), NULL);
}

/* ---- MariaDB ---- */

/* A lost machine is suspected after 2 s and excluded after 4, so the lease's times (src/cluster)
 * have room. Its database begins read-only: the lane of the active machine opens it. */
static const char galera[] =
    "binlog_format=ROW\n"
    "innodb_autoinc_lock_mode=2\n"
    "innodb_flush_log_at_trx_commit=1\n"
    "read_only=ON\n"
    "wsrep_on=ON\n"
    "wsrep_provider=/usr/lib/galera/libgalera_smm.so\n"
    "wsrep_cluster_name=vitrine\n"
    "wsrep_retry_autocommit=0\n"
    "wsrep_provider_options=\"gcache.size=512M;evs.keepalive_period=PT0.5S;"
    "evs.suspect_timeout=PT2S;evs.inactive_timeout=PT4S;evs.inactive_check_period=PT0.5S;"
    /* A view must be installed within half of the inactive timeout. A join message that was lost
     * and sent again after a second was often too late. */
    "evs.join_retrans_period=PT0.3S;"
    "pc.recovery=yes;gcs.fc_single_primary=yes\"\n"
    /* With rsync the donor would answer nothing meanwhile. */
    "wsrep_sst_method=mariabackup\n"
    "wsrep_sst_auth=mysql:\n";
static const char logged[] =
    "log_bin\nlog_slave_updates=ON\nsync_binlog=1\ngtid_strict_mode=ON\nwsrep_gtid_mode=ON\n";

const char *
cluster_mariadb(struct ctx *c, const struct machine_list *all, const struct machine *own)
{
	struct buf b = BUF(c->mem), members = BUF(c->mem);

	buf_str(&b, "# Written by vitrinectl cluster init.\n");
	buf_str(&b, list_begins);
	for (size_t i = 0; i < all->n; i++) {
		buf_fmt(&b, "%s%s=%s", i ? " " : "", all->v[i].name, all->v[i].address);
		buf_fmt(&members, "%s%s", i ? "," : "", all->v[i].address);
	}
	buf_fmt(&b,
	    "\n[mariadbd]\n%s%swsrep_cluster_address=gcomm://%s\nwsrep_node_name=%s\n"
	    "wsrep_node_address=%s\n",
	    galera, conf_has(c->conf->backup_url) ? logged : "", buf_done(&members), own->name,
	    own->address);
	return buf_done(&b);
}

/* A password, in a file for the service alone, which is left as it is if it exists. */
static enum err
password_keep(struct ctx *c, const char *path, const char **out)
{
	uint8_t raw[24];
	struct placed f = { .path = path, .owner = service_user(c), .mode = 0600 };

	*out = conf_secret(c->mem, path);
	if (*out)
		return E_OK;
	crypto_random(raw, sizeof raw);
	*out = crypto_hex(c->mem, raw, sizeof raw);
	f.bytes = mem_printf(c->mem, "%s\n", *out);
	f.n = strlen(f.bytes);
	return file_place(c, &f);
}

static void
ctx_drop(void *c)
{
	ctx_end(c);
}

enum err
root_connect(struct ctx *c, const char *user, struct ctx **out)
{
	struct conf *conf = mem_dup(c->mem, c->conf, sizeof *conf);
	struct ctx *one;

	conf->db_user = user ? user : "root";
	conf->db_host = conf->db_password_file = "-";
	*out = one = ctx_begin(conf, NULL);
	mem_defer(c->mem, ctx_drop, one);
	one->db = db_new(one->mem, conf, DB_ENDLESS);
	db_any_schema(one->db);
	db_any_role(one->db);
	return root_told(c, one, db_connect(one));
}

enum err
root_told(struct ctx *c, struct ctx *one, enum err e)
{
	errno = 0;
	return e ? fail_here(c, "as MariaDB's user %s: %s", one->conf->db_user, cmd_why(one))
		 : E_OK;
}

/* The table of members exists only while wsrep is on; a right on a table that doesn't needs CREATE
 * beside it. */
static enum err
users_make(struct ctx *c, const char *password)
{
	static const char on[] = "vitrine_cluster@localhost";
	const char *log = conf_secret(c->mem, c->conf->backup_db_password_file);
	const char *all[] = {
		mem_printf(c->mem, "CREATE OR REPLACE USER %s IDENTIFIED BY '%s'", on, password),
		mem_printf(c->mem, "GRANT READ ONLY ADMIN, CONNECTION ADMIN ON *.* TO %s", on),
		mem_printf(c->mem, "GRANT SELECT, INSERT, UPDATE, DELETE ON `%s`.* TO %s",
		    c->conf->db_name, on),
		mem_printf(c->mem, "GRANT CREATE, SELECT ON mysql.wsrep_cluster_members TO %s", on),
		mem_printf(c->mem, "REVOKE CREATE ON mysql.wsrep_cluster_members FROM %s", on),
		NULL, NULL, NULL,
	};

	if (log && !strpbrk(log, "'\\")) {
		all[5] = mem_printf(c->mem,
		    "CREATE USER IF NOT EXISTS '%s'@localhost IDENTIFIED BY '%s'",
		    c->conf->backup_db_user, log);
		all[6] = mem_printf(c->mem,
		    "GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO '%s'@localhost",
		    c->conf->backup_db_user);
	}
	for (const char **sql = all; *sql; sql++)
		TRY(db_run(c, *sql, strlen(*sql)));
	return E_OK;
}

static enum err
cmd_init(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *path = usage_option(&call->with, "--mariadb"), *admin, *password;
	struct strs words = { call->with.args, call->with.n };
	struct machine_list all;
	struct placed f = { .mode = 0644 };
	struct ctx *root;

	TRY(machines_read(c, strs_join(c->mem, &words, " "), &all));
	admin = conf_has(c->conf->cluster_admin_file)
	    ? c->conf->cluster_admin_file
	    : mem_printf(c->mem, "%s/cluster-admin", c->conf->data_dir);
	TRY(root_connect(c, usage_option(&call->with, "--db-user"), &root));
	TRY(root_told(c, root, machine_enter(root, &all.v[0], false)));
	TRY(password_keep(c, admin, &password));
	TRY(root_told(c, root, users_make(root, password)));
	f.path = path ? path : CLUSTER_MARIADB_FILE;
	f.bytes = cluster_mariadb(c, &all, &all.v[0]);
	f.n = strlen(f.bytes);
	TRY(file_place(c, &f));
	printf("wrote %s, %s, and the user vitrine_cluster\n"
	       "next: add these lines to %s, stop the service, stop MariaDB and start it by "
	       "galera_new_cluster, start the service, and run vitrinectl cluster invite for "
	       "each other machine\ncluster_node: %s\ncluster_admin_file: %s\n",
	    f.path, admin, c->conf->path, all.v[0].name, admin);
	return E_OK;
}

/* ---- HAProxy and keepalived ---- */

static enum err
machines_of_cluster(struct ctx *c, struct machine_list *out)
{
	TRY(cluster_connect(c));
	TRY(db_all(c,
	    ROWS(machine,
		"SELECT name, address FROM node WHERE left_at IS NULL ORDER BY priority, name"),
	    NOARGS, out));
	return out->n ? E_OK
		      : fail(c, E_CONFLICT, "this isn't a cluster: vitrinectl cluster init makes "
					    "one");
}

/* Prints a backend without its servers. check: the query of /readyz that a machine must answer;
 * NULL: it must listen. A check that was under way when its machine died ends after 2 s, so that is
 * noticed within 4; a stall of all commits, as a death in the group makes, may last 7. */
static void
backend_print(struct ctx *c, const char *name, const char *check)
{
	const char *host = card_host(c->mem, c->conf);

	printf("backend vitrine_%s\n\tdefault-server inter 500ms fall 3 rise 1 send-proxy-v2\n"
	       "\tdefault-server check check-send-proxy on-marked-down shutdown-sessions\n",
	    name);
	if (check)
		printf("\tdefault-server check-ssl verify none check-sni %s check-alpn http/1.1\n"
		       "\toption httpchk\n"
		       "\thttp-check send meth GET uri /readyz?%s=1 ver HTTP/1.1 hdr Host %s\n"
		       "\thttp-check expect status 200\n",
		    host, check, host);
}

/* Prints a server for each machine, with more words. */
static void
servers_print(const struct machine_list *all, const char *port, const char *more)
{
	for (size_t i = 0; i < all->n; i++)
		printf("\tserver %s %s:%s%s\n", all->v[i].name, all->v[i].address, port, more);
}

static const char haproxy[] =
    "# Printed by vitrinectl cluster haproxy. TLS isn't ended here: visitors check the\n"
    "# certificate, checks needn't.\n"
    "global\n\tmaxconn 20000\n"
    "defaults\n\tmode tcp\n\ttimeout connect 1s\n\ttimeout client 10m\n\ttimeout server 10m\n"
    "\ttimeout check 2s\n\tretries 6\n\toption redispatch 1\n"
    "frontend vitrine\n\tbind :::%lld v4v6\n"
    "\t# While no machine is active, others still show public pages, or at least say so.\n"
    "\tuse_backend vitrine_active if { nbsrv(vitrine_active) gt 0 }\n"
    "\tdefault_backend vitrine_any\n";
static const char haproxy_plain[] =
    "frontend vitrine_plain\n\tmode http\n\tbind :::80 v4v6\n\ttimeout http-request 10s\n"
    "\thttp-request deny unless METH_GET\n\thttp-request redirect scheme https code 301\n";

static enum err
cmd_haproxy(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *given = usage_option(&call->with, "--proxied"), *port = given ? given : "8443";
	struct machine_list all;

	TRY(machines_of_cluster(c, &all));
	printf(haproxy, (long long)c->conf->content_port);
	backend_print(c, "active", "active");
	servers_print(&all, port, " on-marked-up shutdown-backup-sessions");
	/* A second server for each machine stands in while no machine is active. */
	puts("\toption allbackups");
	for (size_t i = 0; i < all.n; i++)
		printf("\tserver %s-pages %s:%s no-check track vitrine_serve/%s backup\n",
		    all.v[i].name, all.v[i].address, port, all.v[i].name);
	backend_print(c, "serve", "serve");
	servers_print(&all, port, "");
	backend_print(c, "any", NULL);
	servers_print(&all, port, "");
	if (usage_option(&call->with, "--http"))
		fputs(haproxy_plain, stdout);
	return E_OK;
}

static enum err
cmd_keepalived(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct machine_list all;
	const struct machine *own;

	TRY(machines_of_cluster(c, &all));
	own = machine_find(&all, c->conf->cluster_node);
	if (!own)
		return fail(c, E_CONFLICT, "no machine of the cluster is named %s (cluster_node)",
		    c->conf->cluster_node);
	printf("# Printed by vitrinectl cluster keepalived: the address moves to a machine whose\n"
	       "# HAProxy runs.\n"
	       "global_defs {\n\tscript_user root\n\tenable_script_security\n}\n"
	       "vrrp_script haproxy {\n\tscript \"/usr/bin/pgrep -x haproxy\"\n\tinterval 1\n"
	       "\tfall 2\n\trise 2\n}\n"
	       "vrrp_instance vitrine {\n\tstate BACKUP\n\tnopreempt\n\tinterface %s\n"
	       "\tvirtual_router_id 51\n\tpriority %zu\n\tadvert_int 1\n"
	       "\tunicast_src_ip %s\n\tunicast_peer {\n",
	    usage_option(&call->with, "--interface"), 100 - (size_t)(own - all.v),
	    own->address);
	for (size_t i = 0; i < all.n; i++)
		if (&all.v[i] != own)
			printf("\t\t%s\n", all.v[i].address);
	printf("\t}\n\tvirtual_ipaddress {\n\t\t%s\n\t}\n\ttrack_script {\n\t\thaproxy\n\t}\n}\n",
	    call->with.args[0]);
	return E_OK;
}

const struct cmd cluster_conf_cmds[] = {
	{ "cluster init", "NAME=ADDRESS… [--mariadb FILE] [--db-user USER]",
	    "make this machine, named first, the first of a cluster: as root, write MariaDB's "
	    "settings into FILE, and make the database users, as MariaDB's USER (root)",
	    cmd_init },
	{ "cluster haproxy", "[--proxied PORT] [--http]",
	    "print HAProxy's configuration; PORT as for vitrinectl nginx (8443); --http also "
	    "redirects port 80",
	    cmd_haproxy },
	{ "cluster keepalived", "ADDRESS --interface NAME",
	    "print keepalived's configuration on this machine, for an ADDRESS such as "
	    "192.0.2.10/24 that the machines share",
	    cmd_keepalived },
	{ 0 },
};
