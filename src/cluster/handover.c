/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/handover.h"

#include "base/local.h"
#include "base/log.h"
#include "base/str.h"
#include "cluster/view.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

/* Ends the connections of the configuration's user, not our own, and empties the active row. */
static enum err
hand_over_seen(struct ctx *c, const struct view *v)
{
	TRY(view_close(c, v));
	if (!v->primary)
		return E_OK;
	return db_exec(c,
	    EXEC("UPDATE cluster_active SET wanted = NULLIF(wanted, node), node = NULL"
		 " WHERE one = 1 AND node = ?"),
	    ARGS(c->conf->cluster_node), NULL);
}

enum err
hand_over(struct ctx *c)
{
	struct view v;

	TRY(view_look(c, &v));
	return hand_over_seen(c, &v);
}

/* Records that this machine shows no pages, unless a lane that was started meanwhile has beaten. */
static enum err
hidden_record(struct ctx *c)
{
	struct node_list all;

	TRY(nodes_read(c, &all));
	for (size_t i = 0; i < all.n; i++)
		if (str_eq(all.v[i].name, c->conf->cluster_node))
			return db_exec(c,
			    EXEC("UPDATE node SET shows = FALSE WHERE name = ? AND beat = ?"),
			    ARGS(all.v[i].name, all.v[i].beat), NULL);
	return E_OK;
}

/* ---- in a process of its own ---- */

static volatile sig_atomic_t answered;

static void
time_over(int signal)
{
	(void)signal;
	_exit(answered ? HANDOVER_STUCK : HANDOVER_SILENT);
}

void
hand_over_alone(const struct conf *conf, bool ends)
{
	void *mem = mem_root("handover");
	const struct conf *own = node_conf(mem, conf);
	struct ctx *c;
	struct view v;
	int fd;

	signal(SIGALRM, time_over);
	alarm(HANDOVER_MS / 1000);
	if ((fd = local_connect(conf->db_socket, SOCK_NONBLOCK)) < 0)
		_exit(errno == EAGAIN ? HANDOVER_SILENT : HANDOVER_ABSENT);
	close(fd);
	c = ctx_begin(conf, db_new(mem, own ? own : conf, HANDOVER_MS / 1000));
	db_any_schema(c->db);
	db_any_role(c->db);
	if (!view_look(c, &v)) {
		answered = 1;
		if (!hand_over_seen(c, &v) && !(ends && v.primary && hidden_record(c)))
			_exit(HANDOVER_DONE);
	}
	log_line(LOG_LEVEL_WARN, "not handed over", "why", ctx_why(c), NULL);
	_exit(HANDOVER_STUCK);
}

/* The process that listens on the socket is the server. */
bool
mariadb_kill(const struct conf *conf)
{
	struct ucred who;
	socklen_t n = sizeof who;
	int fd = local_connect(conf->db_socket, SOCK_NONBLOCK);
	bool good;

	if (fd < 0)
		return errno == ECONNREFUSED || errno == ENOENT;
	good = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 && who.pid > 1 &&
	    kill(who.pid, SIGKILL) == 0;
	close(fd);
	return good;
}
