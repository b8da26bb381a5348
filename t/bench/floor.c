/* SPDX-License-Identifier: Apache-2.0
 * The ceilings that ./dev bench measures against, written as plainly as can be:
 *   floor api SOCKET DB-SOCKET PASSWORD TOKEN-ID ARTIFACT-ID REPLY   a bare libfcgi program doing two prepared primary-key SELECTs; it answers
 *                                                                  what the file REPLY holds
 *   floor page SOCKET DB-SOCKET PASSWORD ARTIFACT-ID FILE      the same with one SELECT; it sends the browser's page through nginx's internal location
 *                                                              a cookie, vie_…, in place of ARTIFACT-ID: the SELECT reads who looks, too
 *   floor publish DIR DB-SOCKET PASSWORD USER FILES COUNT      keeps a publish's promise as cheaply as can be, COUNT times, with so many files of 4 KiB
 *                                                              to an artifact of USER's: their bytes and names are synced, their rows sent at once with
 *                                                              one COMMIT, and the tree, which can be made anew from both, isn't synced; prints
 *                                                              seconds, and ms of processor of its own */
#include <fcgiapp.h>
#include <fcntl.h>
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static MYSQL *
db_open(const char *socket, const char *password)
{
	MYSQL *my = mysql_init(NULL);

	if (!mysql_real_connect(my, NULL, "vitrine", password, "vitrine", 0, socket, CLIENT_MULTI_STATEMENTS)) {
		fprintf(stderr, "%s\n", mysql_error(my));
		exit(1);
	}
	return my;
}

static MYSQL_STMT *
stmt(MYSQL *my, const char *sql)
{
	MYSQL_STMT *s = mysql_stmt_init(my);

	if (mysql_stmt_prepare(s, sql, strlen(sql))) {
		fprintf(stderr, "%s\n", mysql_stmt_error(s));
		exit(1);
	}
	return s;
}

static void
select_one(MYSQL_STMT *s, const char *id)
{
	MYSQL_BIND in = { .buffer_type = MYSQL_TYPE_STRING, .buffer = (void *)(size_t)id, .buffer_length = strlen(id) };
	MYSQL_BIND out[2] = { 0 };
	char text[2][256];
	unsigned long n[2];

	for (int i = 0; i < 2; i++)
		out[i] = (MYSQL_BIND){ .buffer_type = MYSQL_TYPE_STRING, .buffer = text[i], .buffer_length = sizeof text[i], .length = &n[i] };
	mysql_stmt_bind_param(s, &in);
	if (mysql_stmt_execute(s))
		exit(1);
	mysql_stmt_bind_result(s, out);
	mysql_stmt_store_result(s);
	mysql_stmt_fetch(s);
	mysql_stmt_free_result(s);
}

/* Waits for the next request of a connection that is kept, or a new one. */
static int
next_request(FCGX_Request *r, int fd)
{
	static int watched = -1;
	struct epoll_event ready = { .events = EPOLLIN | EPOLLEXCLUSIVE, .data.fd = fd };

	if (r->in) {
		r->keepConnection = 1;
		FCGX_Finish_r(r);
	}
	if (watched < 0) {
		watched = epoll_create1(0);
		epoll_ctl(watched, EPOLL_CTL_ADD, fd, &ready);
	}
	for (;;) {
		epoll_wait(watched, &ready, 1, -1);
		r->ipcFd = ready.data.fd;
		if (r->ipcFd == fd) {
			r->ipcFd = accept4(fd, NULL, NULL, 0);
			if (r->ipcFd < 0)
				continue;
			ready = (struct epoll_event){ .events = EPOLLIN, .data.fd = r->ipcFd };
			epoll_ctl(watched, EPOLL_CTL_ADD, r->ipcFd, &ready);
		}
		r->keepConnection = 1;
		/* Without a request nginx has closed it. */
		if (FCGX_Accept_r(r) >= 0)
			return 1;
	}
}

static int
api(char **argv)
{
	int fd = FCGX_OpenSocket(argv[2], 1024), reply = open(argv[7], O_RDONLY);
	static char text[65536];

	if (read(reply, text, sizeof text - 1) <= 0)
		return 1;

	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			MYSQL *my = db_open(argv[3], argv[4]);
			MYSQL_STMT *a = stmt(my, "SELECT user_id, name FROM token WHERE id = ?"), *b = stmt(my, "SELECT slug, name FROM artifact WHERE id = ?");
			FCGX_Request r;

			FCGX_Init();
			FCGX_InitRequest(&r, -1, 0);
			while (next_request(&r, fd)) {
				select_one(a, argv[5]);
				select_one(b, argv[6]);
				FCGX_PutS(text, r.out);
			}
		}
	}
	pause();
	return 0;
}

/* Statements, with semicolons between them. */
static void
run(MYSQL *my, const char *sql)
{
	int more = mysql_real_query(my, sql, strlen(sql));

	while (more == 0)
		more = mysql_next_result(my);
	if (more > 0) {
		fprintf(stderr, "%s: %s\n", sql, mysql_error(my));
		exit(1);
	}
}

static void
must(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

/* The bytes of up to eight are synced one by one, of more by one syncfs: whichever is faster. */
enum { EACH = 8, MOST = 1000 };

static int objects, fds[MOST];
static char art[40]; /* another for each process: removing rows is not to be measured */

static void
objects_write(int random, int files, int round)
{
	char bytes[4096], temp[64], name[64];

	for (int k = 0; k < files; k++) {
		snprintf(temp, sizeof temp, "temp-%d", k);
		must(read(random, bytes, sizeof bytes) == sizeof bytes, "random");
		fds[k] = openat(objects, temp, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		must(write(fds[k], bytes, sizeof bytes) == sizeof bytes, "write");
	}
	if (files > EACH)
		must(syncfs(objects) == 0, "syncfs");
	for (int k = 0; k < files; k++) {
		must(files > EACH || fsync(fds[k]) == 0, "fsync");
		close(fds[k]);
		snprintf(temp, sizeof temp, "temp-%d", k);
		snprintf(name, sizeof name, "%d-%d", round, k);
		must(renameat(objects, temp, objects, name) == 0, "rename");
	}
	must(fsync(objects) == 0, "fsync");
}

/* The files, and the first of them once more as the entry. */
static void
tree_build(int top, int files, int round)
{
	char object[64], name[64];

	must(mkdirat(top, "new", 0750) == 0 && mkdirat(top, "new/pub", 0750) == 0 && mkdirat(top, "new/pub/_vitrine", 0750) == 0, "mkdir");
	for (int k = 0; k <= files; k++) {
		snprintf(object, sizeof object, "%d-%d", round, k % files);
		snprintf(name, sizeof name, k < files ? "new/pub/f%d.html" : "new/pub/_vitrine/entry.html", k);
		must(linkat(objects, object, top, name, 0) == 0, "link");
	}
}

static void
rows_commit(MYSQL *my, const char *user, int files, int no)
{
	static char sql[MOST * 300];
	char *at = sql, *end = sql + sizeof sql;
	int bytes = 4096 * files;

#define ADD(...) (at += snprintf(at, (size_t)(end - at), __VA_ARGS__))
	ADD("START TRANSACTION; UPDATE artifact SET last_no = %d, live_no = %d, updated_at = %d WHERE id = '%s';", no, no, no, art);
	ADD("INSERT INTO version (artifact_id, version_no, id, created_at, created_by, entrypoint, file_count, size_bytes)"
		" VALUES ('%s', %d, 'ver_%s%d', 1, '%s', 'f0.html', %d, %d);", art, no, art, no, user, files, bytes);
	ADD("INSERT INTO version_file (artifact_id, version_no, path, sha256, size_bytes, mime, declared) VALUES ");
	for (int k = 0; k < files; k++)
		ADD("%s('%s', %d, 'f%d.html', UNHEX(SHA2('%s%d-%d', 256)), 4096, 'text/html', 0)", k ? "," : "", art, no, k, art, no, k);
	ADD("; INSERT IGNORE INTO owned_object (owner_id, sha256, size_bytes) VALUES ");
	for (int k = 0; k < files; k++)
		ADD("%s('%s', UNHEX(SHA2('%s%d-%d', 256)), 4096)", k ? "," : "", user, art, no, k);
	ADD("; INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_%s%d', 'floor', '%s', 9999999999);", art, no, art);
	ADD("INSERT INTO artifact_storage (artifact_id, bytes) VALUES ('%s', %d) ON DUPLICATE KEY UPDATE bytes = bytes + VALUES(bytes);", art, bytes);
	ADD("UPDATE storage SET bytes = bytes + %d WHERE user_id = '%s';", bytes, user);
	ADD("INSERT INTO picture (artifact_id, wanted_at, due_at) VALUES ('%s', 1, 9999999999) ON DUPLICATE KEY UPDATE wanted_at = VALUES(wanted_at);", art);
	ADD("COMMIT");
#undef ADD
	run(my, sql);
}

static void
tree_show(int top, int no)
{
	char name[64];

	snprintf(name, sizeof name, "%d", no);
	must(renameat(top, "new", top, name) == 0, "rename");
	must(symlinkat(name, top, "link") == 0 && renameat(top, "link", top, "live") == 0, "live");
}

static int
page(char **argv)
{
	int fd = FCGX_OpenSocket(argv[2], 1024);

	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			MYSQL_STMT *a = stmt(db_open(argv[3], argv[4]),
				!strncmp(argv[5], "vie_", 4)
					? "SELECT a.slug, a.name FROM viewer w JOIN session e ON e.id = w.session_id JOIN user u ON u.id = e.user_id AND u.disabled_at IS NULL"
					  " JOIN artifact a ON a.id = w.artifact_id WHERE w.hash = UNHEX(SHA2(?, 256))"
					: "SELECT slug, name FROM artifact WHERE id = ?");
			FCGX_Request r;

			FCGX_Init();
			FCGX_InitRequest(&r, -1, 0);
			while (next_request(&r, fd)) {
				select_one(a, argv[5]);
				FCGX_FPrintF(r.out, "Content-Type: text/html; charset=utf-8\r\nCache-Control: private, no-store\r\nX-Accel-Redirect: %s\r\n\r\n", argv[6]);
			}
		}
	}
	pause();
	return 0;
}

static int
publish(char **argv)
{
	MYSQL *my = db_open(argv[3], argv[4]);
	int files = atoi(argv[6]), count = atoi(argv[7]), random = open("/dev/urandom", O_RDONLY), top;
	struct timespec from, to;
	struct rusage own;
	char sql[500];

	must(files <= MOST, "files");
	objects = openat(open(argv[2], O_RDONLY), "objects", O_RDONLY);
	top = openat(open(argv[2], O_RDONLY), "tree", O_RDONLY);
	must(objects >= 0 && top >= 0, argv[2]);
	snprintf(art, sizeof art, "art_floor%d", (int)getpid());
	snprintf(sql, sizeof sql, "INSERT INTO artifact (id, owner_id, name, slug, visibility, last_no, created_at, updated_at)"
		" VALUES ('%s', '%s', 'F', '%s', 'private', 0, 1, 1)", art, argv[5], art + 4);
	run(my, sql);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int no = 1; no <= count; no++) {
		objects_write(random, files, no);
		tree_build(top, files, no);
		rows_commit(my, argv[5], files, no);
		tree_show(top, no);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	getrusage(RUSAGE_SELF, &own);
	printf("%f %f\n", (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9,
		(double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1e3 + (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e3);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 8 && strcmp(argv[1], "api") == 0)
		return api(argv);
	if (argc == 7 && strcmp(argv[1], "page") == 0)
		return page(argv);
	if (argc == 8 && strcmp(argv[1], "publish") == 0)
		return publish(argv);
	return 2;
}
