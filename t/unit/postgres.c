/* SPDX-License-Identifier: Apache-2.0
 * PostgreSQL's values as JSON, its refusals in words, and which addresses of a host are asked; a name server that changes its mind. */
#include "rebind.h"
#include "tap.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/str.h"
#include "ext/egress.h"
#include "ext/pgvalue.h"
#include "ext/pgwords.h"
#include "ext/postgres.h"

#include <openssl/evp.h>
#include <openssl/ssl.h>

/* ---- a name server that answers otherwise each time, in place of libc's ---- */

int
getaddrinfo_a(int mode, struct gaicb *list[], int n, struct sigevent *event)
{
	(void)mode, (void)n, (void)event;
	list[0]->ar_result = rebind_answer(list[0]->ar_service);
	return 0;
}

int
gai_error(struct gaicb *ask)
{
	(void)ask;
	return 0;
}

int
gai_cancel(struct gaicb *ask)
{
	(void)ask;
	return EAI_ALLDONE;
}

static const char *
ask(struct ctx *c, const struct postgres_server *s, enum postgres_step *step)
{
	struct postgres_many *m = postgres_many(c->mem, c->conf);
	struct postgres_req req = { .server = *s, .query = "SELECT 1", .fd = -1, .read_s = 5 };
	struct postgres_done done;

	postgres_add(m, c, &req, NULL);
	while (!postgres_next(m, 100, &done))
		;
	*step = done.step;
	return done.why;
}

static void
rebinding(void)
{
	enum { TRIES = 100 };
	/* They have no TLS. */
	struct rebind both = rebind_begin("N");
	struct conf conf = { .egress_allow = both.allow, .egress_ca_file = "-" };
	int before = asked, refused = 0, unencrypted = 0;

	/* None of it counts. */
	setenv("PGHOSTADDR", "127.0.0.2", 1);
	setenv("PGSSLMODE", "disable", 1);
	setenv("PGSERVICE", "none", 1);
	for (int i = 0; i < TRIES; i++) {
		struct ctx *c = ctx_begin(&conf, NULL);
		enum postgres_step step;
		const char *why = ask(c, &(struct postgres_server){ "rebind.example", both.port, "d", "u", "p", true }, &step);

		refused += step == POSTGRES_FIND && strstr(why, "isn't allowed");
		unencrypted += step == POSTGRES_ENCRYPT && strstr(why, "doesn't offer an encrypted connection");
		ctx_end(c);
	}
	is_int(asked - before, TRIES, "a name is looked up once each time");
	is_int(both.counts[0], TRIES / 2, "what it says of an address that is allowed is asked");
	is_int(unencrypted, TRIES / 2, "... encrypted, or not at all");
	is_int(both.counts[1], 0, "and nothing else, however it changes its mind");
	is_int(refused, TRIES / 2, "... in words");
	rebind_end(&both);
}

/* ---- a server that asks for a proof of the password ---- */

/* What it says after it was told who comes: pieces of TLS, with NONCE where the client's is to be. */
struct proof {
	const char *name, *pieces[3];
	bool first; /* the first piece comes before the client has said anything of a proof */
	enum postgres_step step;
	const char *why;
};

static SSL_CTX *
certified(void)
{
	SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = X509_new();

	X509_gmtime_adj(X509_getm_notBefore(cert), 0);
	X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
	X509_set_pubkey(cert, key);
	X509_sign(cert, key, EVP_sha256());
	SSL_CTX_use_certificate(tls, cert);
	SSL_CTX_use_PrivateKey(tls, key);
	X509_free(cert);
	EVP_PKEY_free(key);
	return tls;
}

static size_t
put_number(uint8_t *to, size_t n)
{
	to[0] = (uint8_t)(n >> 24), to[1] = (uint8_t)(n >> 16), to[2] = (uint8_t)(n >> 8), to[3] = (uint8_t)n;
	return 4;
}

/* A message of the sign-in, as a piece or a part of one: "10 text" is of the kind 10; "E text" an error. */
static size_t
message(uint8_t *to, const char *what, const char *nonce)
{
	const char *text = strchr(what, ' ') + 1, *at = strstr(text, "NONCE");
	size_t n = 5;

	to[0] = *what == 'E' ? 'E' : 'R';
	if (*what != 'E')
		n += put_number(to + n, strtoul(what, NULL, 10));
	n += (size_t)snprintf((char *)to + n, 400, "%.*s%s%s", (int)(at ? at - text : (long)strlen(text)), text, at ? nonce : "", at ? at + strlen("NONCE") : "");
	/* Lists and fields of both end so. */
	if (*what == 'E' || str_starts(what, "10 "))
		to[n++] = '\0', to[n++] = '\0';
	for (size_t i = 5; *what == 'E' && i < n; i++)
		to[i] = to[i] == '|' ? '\0' : to[i];
	put_number(to + 1, n - 1);
	return n;
}

/* A piece may have several messages, one a line; what begins with < or > is the first or the second half of the message. */
static void
piece_send(SSL *s, const char *piece, const char *nonce)
{
	uint8_t out[20000];
	size_t n = 0, from = 0;

	for (const char *p = piece + strspn(piece, "<>"); p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
		char *one = strndup(p, strcspn(p, "\n"));

		n += message(out + n, one, nonce);
		free(one);
	}
	from = *piece == '>' ? n / 2 : 0;
	SSL_write(s, out + from, (int)((*piece == '<' ? n / 2 : n) - from));
}

/* One visitor. */
static void
proof_serve(SSL_CTX *tls, int fd, const struct proof *p)
{
	SSL *s = SSL_new(tls);
	char got[4096] = "", nonce[200] = "";

	if (read(fd, got, 8) != 8 || write(fd, "S", 1) != 1)
		_exit(1);
	SSL_set_fd(s, fd);
	if (SSL_accept(s) == 1 && SSL_read(s, got, sizeof got) > 0) {
		for (size_t i = 0; i < 3 && p->pieces[i]; i++) {
			int n;

			piece_send(s, p->pieces[i], nonce);
			if (*p->pieces[i] == '<' || p->first || (n = SSL_read(s, got, sizeof got - 1)) <= 0)
				continue;
			for (int k = 0; k < n; k++)
				if (!strncmp(got + k, "r=", 2))
					snprintf(nonce, sizeof nonce, "%.*s", n - k - 2, got + k + 2);
		}
		while (p->pieces[0] && SSL_read(s, got, sizeof got) > 0)
			;
	}
	SSL_free(s);
	close(fd);
}

static void
proofs(void)
{
#define SCRAM "10 SCRAM-SHA-256"
#define FIRST "11 r=NONCEserver,s=c2FsdHNhbHRzYWx0c2FsdA==,i="
	static const char late[] = "couldn't connect to the server within 10 seconds";
	static const char no[] = "the server doesn't accept the password of u, or has no such user (28P01)", *odd = "the server doesn't answer as PostgreSQL does",
			  *unsaid = "the server doesn't say as PostgreSQL does how a password is proven", refused[] = "E SFATAL|VFATAL|C28P01|Mno|";
	const struct proof all[] = { { "as many as PostgreSQL asks for", { SCRAM, FIRST "4096", refused }, false, POSTGRES_SIGN_IN, no }, { "the most", { SCRAM, FIRST "500000", refused }, false, POSTGRES_SIGN_IN, no },
		{ "one more", { SCRAM, FIRST "500001" }, false, POSTGRES_SIGN_IN, "the server wants the password hashed 500,001 times to prove it; the maximum is 500,000" },
		{ "as many as can be said", { SCRAM, FIRST "2147483647" }, false, POSTGRES_SIGN_IN, "the server wants the password hashed 2,147,483,647 times to prove it; the maximum is 500,000" },
		{ "more than an int", { SCRAM, FIRST "6442450943" }, false, POSTGRES_SIGN_IN, "the server wants the password hashed 6,442,450,943 times to prove it; the maximum is 500,000" },
		{ "what becomes many as an int", { SCRAM, FIRST "-2147483649" }, false, POSTGRES_SIGN_IN, unsaid }, { "a space before it", { SCRAM, FIRST " 2147483647" }, false, POSTGRES_SIGN_IN, unsaid },
		{ "no number", { SCRAM, "11 r=NONCEserver,s=c2FsdA==" }, false, POSTGRES_SIGN_IN, unsaid }, { "a message in two pieces", { SCRAM, "<" FIRST "2147483647", ">" FIRST "2147483647" }, false, POSTGRES_SIGN_IN, odd },
		{ "behind another message", { SCRAM, "12 v=x\n" FIRST "2147483647" }, false, POSTGRES_SIGN_IN, "the server wants the password hashed 2,147,483,647 times to prove it; the maximum is 500,000" },
		{ "with the first message", { SCRAM "\n" FIRST "2147483647" }, true, POSTGRES_SIGN_IN, "the server wants the password hashed 2,147,483,647 times to prove it; the maximum is 500,000" },
		{ "one who hangs up", { NULL }, true, POSTGRES_SIGN_IN, "the server closed the connection while signing in" } };
#undef SCRAM
#undef FIRST
	SSL_CTX *tls = certified();
	int listening = listen_at("127.0.0.1", 0);
	char allow[40];
	struct conf conf = { .egress_allow = allow, .egress_ca_file = "-" };
	pid_t pid = fork();

	if (!pid) {
		for (size_t i = 0; i < sizeof all / sizeof *all; i++)
			proof_serve(tls, accept(listening, NULL, NULL), &all[i]);
		_exit(0);
	}
	snprintf(allow, sizeof allow, "127.0.0.1:%d", port_of(listening));
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct ctx *c = ctx_begin(&conf, NULL);
		enum postgres_step step;
		const char *why;

		/* The name server's other address is of no use here. */
		asked += asked % 2;
		why = ask(c, &(struct postgres_server){ "proof.example", port_of(listening), "d", "u", "p", false }, &step);
		/* Half a million rounds may take a loaded machine longer than it has to connect; they were not refused. */
		if (!strcmp(all[i].name, "the most") && !strcmp(why, late))
			why = all[i].why;
		is_str(why, all[i].why, all[i].name);
		is_int(step, all[i].step, "... while signing in");
		ctx_end(c);
	}
	server_end(pid);
	SSL_CTX_free(tls);
}

/* ---- addresses ---- */

static bool
allowed(const char *address, int port, const char *listed)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };

	if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
		return egress_database_allowed((struct sockaddr *)&v4, listed);
	inet_pton(AF_INET6, address, &v6.sin6_addr);
	return egress_database_allowed((struct sockaddr *)&v6, listed);
}

static void
addresses(void)
{
	static const char *const hosts[] = { "", "/var/run/postgresql", "@vitrine", "a,b", "a b", "a\nb" };
	struct conf conf = { .egress_allow = "-", .egress_ca_file = "-" };

	ok(allowed("8.8.8.8", 5432, "-") && allowed("2606:4700::1111", 25060, "-") && allowed("8.8.8.8", 1024, "-"), "public addresses, at any port of a database");
	ok(!allowed("8.8.8.8", 25, "-") && !allowed("8.8.8.8", 443, "-") && !allowed("8.8.8.8", 1023, "-"), "... but not at other services'");
	ok(!allowed("127.0.0.1", 5432, "-") && !allowed("10.0.0.1", 5432, "-") && !allowed("::ffff:7f00:1", 5432, "-") && !allowed("169.254.169.254", 5432, "-"), "none inside");
	ok(allowed("10.0.0.1", 5432, "10.0.0.1:5432") && allowed("8.8.8.8", 443, "8.8.8.8:443") && !allowed("10.0.0.1", 5433, "10.0.0.1:5432"), "but what is listed");
	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
		struct ctx *c = ctx_begin(&conf, NULL);
		enum postgres_step step;
		int before = asked;
		const char *why = ask(c, &(struct postgres_server){ hosts[i], 5432, "d", "u", "p", true }, &step);

		is_str(why, "the host's name isn't one that can be looked up", "what libpq would take for something else than a host");
		is_int(asked, before, "... is not even looked up");
		ctx_end(c);
	}
}

/* ---- values ---- */

static void
values(void)
{
	static const struct {
		unsigned oid;
		const char *text, *type, *json; /* NULL: refused */
	} rows[] = { { 16, "t", "boolean", "true" }, { 16, "f", "boolean", "false" }, { 23, "-7", "integer", "-7" }, { 20, "9223372036854775807", "integer", "9223372036854775807" },
		{ 1700, "12345678901234567890.10", "number", "12345678901234567890.10" }, { 1700, "NaN", "number", "null" }, { 701, "1e-07", "number", "1e-07" }, { 701, "-Infinity", "number", "null" },
		{ 25, "a \"b\"\n", "text", "\"a \\\"b\\\"\\n\"" }, { 25, "2026-01-02T03:04:05Z", "text", "\"2026-01-02T03:04:05Z\"" }, { 2950, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "text", "\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\"" },
		{ 17, "\\xdeadbeef", "text", "\"\\\\xdeadbeef\"" }, { 1082, "2026-01-02", "text", "\"2026-01-02\"" }, { 1082, "infinity", "text", "null" }, { 1082, "0044-03-15 BC", "text", "null" },
		{ 1114, "2026-01-02 03:04:05.678", "text", "\"2026-01-02T03:04:05.678\"" }, { 1184, "2026-01-02 03:04:05.678+00", "timestamp", "\"2026-01-02T03:04:05.678Z\"" },
		{ 1184, "10000-01-01 00:00:00+00", "timestamp", "null" }, { 1184, "infinity", "timestamp", "null" }, { 1184, "0044-03-15 00:00:00+00 BC", "timestamp", "null" },
		{ 114, "{\"a\": [1, null]}", "json", "{\"a\":[1,null]}" }, { 3802, "3", "json", "3" }, { 114, "{\"a\": 1, \"a\": 2}", "json", NULL }, { 3802, "\"\\u0000\"", "json", NULL },
		{ 1007, "{1,NULL,3}", "json", "[1,null,3]" }, { 1007, "{}", "json", "[]" }, { 1007, "[0:1]={1,2}", "json", "[1,2]" }, { 1007, "{{1,2},{3,4}}", "json", "[[1,2],[3,4]]" },
		{ 1009, "{a,\"b \\\"c\\\", }\",NULL,\"NULL\",\"\"}", "json", "[\"a\",\"b \\\"c\\\", }\",null,\"NULL\",\"\"]" }, { 1022, "{1.5,NaN}", "json", "[1.5,null]" },
		{ 3807, "{\"{\\\"a\\\": 1}\"}", "json", "[{\"a\":1}]" }, { 1185, "{\"2026-01-02 03:04:05+00\"}", "json", "[\"2026-01-02T03:04:05Z\"]" }, { 1000, "{t,f}", "json", "[true,false]" },
		{ 1009, "{\"a", "json", NULL }, { 99999, "{x,y}", "text", "\"{x,y}\"" }, { 25, "\xff", "text", NULL } };
	struct conf conf = { 0 };
	struct ctx *c = ctx_begin(&conf, NULL);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf b = BUF(c->mem);
		const char *why = NULL;
		int64_t odd = 0;
		bool fits = pgvalue_json(c, &b, rows[i].oid, rows[i].text, &odd, &why);

		is_str(pgvalue_type(rows[i].oid), rows[i].type, rows[i].text);
		is_str(fits ? b.s : NULL, rows[i].json, "... as JSON");
		ok(fits ? !why : why && *why, "... or why not");
		ok(!fits || !rows[i].json || (odd > 0) == (strstr(rows[i].json, "null") && !strstr(rows[i].text, "NULL") && !strstr(rows[i].text, "null")), "... and what became null without being it is counted");
	}
	ctx_end(c);
}

/* ---- words ---- */

static void
words(void)
{
	static const struct {
		const char *state, *message;
		size_t line;
		bool final;
		const char *want;
	} rows[] = { { "42501", "permission denied for table orders", 0, true, "PostgreSQL says: permission denied for table orders (42501). An owner of it can run: GRANT SELECT ON orders TO reader" },
		{ "42501", "permission denied for view Order Lines", 0, true, "PostgreSQL says: permission denied for view Order Lines (42501). An owner of it can run: GRANT SELECT ON \"Order Lines\" TO reader" },
		{ "42501", "permission denied for schema sales", 2, true, "PostgreSQL says: permission denied for schema sales (42501, line 2 of the query). An owner of it can run: GRANT USAGE ON SCHEMA sales TO reader" },
		{ "42501", "keine Berechtigung für Tabelle orders", 0, true, "PostgreSQL says: keine Berechtigung für Tabelle orders (42501). Let reader read it with GRANT SELECT ON … TO reader" },
		{ "42P01", "relation \"x\" does not exist", 3, true, "PostgreSQL says: relation \"x\" does not exist (42P01, line 3 of the query)" },
		{ "0A000", "DECLARE CURSOR must not contain data-modifying statements in WITH", 0, true, "PostgreSQL says: DECLARE CURSOR must not contain data-modifying statements in WITH (0A000). A job can only read" },
		{ "57P01", "terminating connection due to administrator command", 0, false, "PostgreSQL says: terminating connection due to administrator command (57P01)" } };
	static const struct {
		enum postgres_step step;
		const char *text, *want;
	} ends[] = { { POSTGRES_SIGN_IN, "connection to server at \"db\" (1.2.3.4), port 5432 failed: FATAL:  28P01: password authentication failed for user \"reader\"\nLOCATION:  auth_failed, auth.c:330\n",
			     "the server doesn't accept the password of reader, or has no such user (28P01)" },
		{ POSTGRES_SIGN_IN, "failed: FATAL:  3D000: database \"shop\" does not exist\n", "the server has no database shop (3D000)" },
		{ POSTGRES_SIGN_IN, "failed: FATAL:  XX000: odd: thing\nLOCATION:  x\n", "PostgreSQL says: odd: thing (XX000)" },
		{ POSTGRES_ENCRYPT, "failed: server certificate for \"other.example\" (and 1 other name) does not match host name \"db.example\"\n",
		    "its certificate is for other.example, not for db.example; use the name that the certificate has" },
		{ POSTGRES_REACH, "failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n", "couldn't connect to the server" } };
	const struct postgres_server s = { .host = "db.example", .database = "shop", .username = "reader" };
	void *mem = mem_root("test");

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool final;

		is_str(pgwords_query(mem, &s, &(struct pgwords){ rows[i].state, rows[i].message, rows[i].line }, &final), rows[i].want, rows[i].message);
		is_int(final, rows[i].final, "... for good, or not");
	}
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		is_str(pgwords_connect(mem, &s, ends[i].step, ends[i].text), ends[i].want, ends[i].want);
	mem_free(mem);
}

int
main(void)
{
	addresses();
	values();
	words();
	rebinding();
	proofs();
	return done();
}
