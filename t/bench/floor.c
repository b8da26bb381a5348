/* SPDX-License-Identifier: Apache-2.0
 * The ceilings that ./dev bench measures against, written as plainly as can be:
 *   floor api SOCKET DB-SOCKET PASSWORD TOKEN-ID ARTIFACT-ID REPLY   a bare libfcgi program doing two prepared primary-key SELECTs; it answers
 *                                                                  what the file REPLY holds
 *   floor page SOCKET DB-SOCKET PASSWORD ARTIFACT-ID FILE      the same with one SELECT; it sends the browser's page through nginx's internal location
 *   floor write DIR DB-SOCKET PASSWORD COUNT                   writes, fsyncs and commits 48 files of 4 KiB, COUNT times; prints seconds */
#include <fcgiapp.h>
#include <fcntl.h>
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static MYSQL *
db_open(const char *socket, const char *password)
{
	MYSQL *my = mysql_init(NULL);

	if (!mysql_real_connect(my, NULL, "vitrine", password, "vitrine", 0, socket, 0)) {
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
			FCGX_InitRequest(&r, fd, 0);
			while (FCGX_Accept_r(&r) >= 0) {
				select_one(a, argv[5]);
				select_one(b, argv[6]);
				FCGX_PutS(text, r.out);
				FCGX_Finish_r(&r);
			}
		}
	}
	pause();
	return 0;
}

static int
page(char **argv)
{
	int fd = FCGX_OpenSocket(argv[2], 1024);

	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			MYSQL_STMT *a = stmt(db_open(argv[3], argv[4]), "SELECT slug, name FROM artifact WHERE id = ?");
			FCGX_Request r;

			FCGX_Init();
			FCGX_InitRequest(&r, fd, 0);
			while (FCGX_Accept_r(&r) >= 0) {
				select_one(a, argv[5]);
				FCGX_FPrintF(r.out, "Content-Type: text/html; charset=utf-8\r\nCache-Control: private, no-store\r\nX-Accel-Redirect: %s\r\n\r\n", argv[6]);
				FCGX_Finish_r(&r);
			}
		}
	}
	pause();
	return 0;
}

static int
write_files(char **argv)
{
	MYSQL *my = db_open(argv[3], argv[4]);
	struct timespec from, to;
	char path[512], bytes[4096];
	int count = (int)strtol(argv[5], NULL, 10), random = open("/dev/urandom", O_RDONLY);

	mysql_query(my, "CREATE TABLE IF NOT EXISTS bench_floor (id INT AUTO_INCREMENT PRIMARY KEY, path VARCHAR(200)) ENGINE=InnoDB");
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < count; i++) {
		mysql_query(my, "START TRANSACTION");
		for (int k = 0; k < 48; k++) {
			char sql[300];
			int fd;

			snprintf(path, sizeof path, "%s/%d-%d", argv[2], i, k);
			if (read(random, bytes, sizeof bytes) != sizeof bytes)
				return 1;
			fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
			if (write(fd, bytes, sizeof bytes) != sizeof bytes || fsync(fd))
				return 1;
			close(fd);
			snprintf(sql, sizeof sql, "INSERT INTO bench_floor (path) VALUES ('%d-%d')", i, k);
			mysql_query(my, sql);
		}
		mysql_query(my, "COMMIT");
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%f\n", (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
	mysql_query(my, "DROP TABLE bench_floor");
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 8 && strcmp(argv[1], "api") == 0)
		return api(argv);
	if (argc == 7 && strcmp(argv[1], "page") == 0)
		return page(argv);
	if (argc == 6 && strcmp(argv[1], "write") == 0)
		return write_files(argv);
	return 2;
}
