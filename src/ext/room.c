/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/room.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/confine.h"
#include "base/str.h"
#include "ext/helper.h"
#include "ext/parcel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	INSIDE = 1000, /* the user in the room, who isn't root there */
	WATCH_MS = 50,
	BUILD_WATCH_MS = 5,
	BUILDERS = 2,
	BUILD_NICE = 10, /* as for the slow pool, because a person waits */
	REPLY_MS = 5000,
	REASON = 128,
	PIECE_BYTES = 16 << 10,
	ARGS_MOST = 256,
	ARGS_BYTES = 16 << 10,
	ROOM_KB = 1 << 20, /* memory of all processes together */
	PROCESSES = 512,   /* includes threads */
	ONE_BYTES = 1 << 30 /* own memory of one process */
};
#define MOUNT_POINT "/tmp" /* of the old root; its former content can't be reached in the room */
#define ROOM_OPTIONS "size=192m,nr_inodes=8k,mode=0755"

/* Each order has a new serial, which its answer repeats: several processes may use the socket one
 * after the other, and one that died may have left an answer unread. */
struct order {
	enum { ORDER_OPEN = 1, ORDER_END } kind;
	int64_t serial;
	enum room_kind what;
	int input; /* for the process that receives it; -1: none */
	int page;  /* number of the PDF's page */
};
struct answer {
	int64_t serial;
	char why[REASON]; /* what failed, or "" */
};

static int launcher = -1;
/* Processes share this memory. The turn of a killed process is free. */
static struct builder {
	pthread_mutex_t turn;
} *builders;
static int builder_launchers[BUILDERS] = { -1, -1 };

static const char *
program_path(void *owner, const struct conf *conf, enum room_kind what)
{
	static const char *const names[] = {
		[ROOM_PDF] = "pdftoppm", [ROOM_PAGES] = "pdfinfo", [ROOM_FILM] = "ffmpeg"
	};
	const char *folder = str_eq(conf->previews, "auto") ? "/usr/bin" : conf->previews;

	if (what == ROOM_BUILD)
		return str_eq(conf->builder, "auto") ? "/usr/bin/esbuild" : conf->builder;
	return what != ROOM_BROWSER              ? mem_printf(owner, "%s/%s", folder, names[what])
	    : str_eq(conf->chromium, "auto") ? "/usr/bin/chromium"
					     : conf->chromium;
}

const char *
room_program(void *owner, const struct conf *conf, enum room_kind what)
{
	const char *path = program_path(owner, conf, what);

	return *path != '/' || access(path, X_OK) ? NULL : path;
}

/* ---- in the room ---- */

/* Reports the failed step to the launcher and exits. */
static _Noreturn void
room_fail(int told, const char *step)
{
	char why[REASON];
	int n = snprintf(why, sizeof why, "%s: %s", step, strerror(errno));

	_exit(write(told, why, (size_t)(n < REASON ? n : REASON - 1)) < 0);
}

static bool
text_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Maps one user and one group, without rights over others. */
static bool
user_map(uid_t uid, gid_t gid)
{
	char users[64], groups[64];

	snprintf(users, sizeof users, "%d %u 1\n", INSIDE, uid);
	snprintf(groups, sizeof groups, "%d %u 1\n", INSIDE, gid);
	return text_put("/proc/self/setgroups", "deny") &&
	    text_put("/proc/self/uid_map", users) && text_put("/proc/self/gid_map", groups);
}

/* Shows part of the old root at the same path, read-only. Needs Linux 5.12. */
static bool
part_show(const char *path, uint64_t also)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | also
	};

	return !mount(path, path + 1, NULL, MS_BIND | MS_REC, NULL) &&
	    !mount_setattr(AT_FDCWD, path + 1, AT_RECURSIVE, &attr, sizeof attr);
}

/* /bin, /lib and similar are links into /usr, or folders. */
static bool
folder_show(const char *path)
{
	char to[64];
	ssize_t n = readlink(path, to, sizeof to - 1);

	if (n > 0) {
		to[n] = '\0';
		return !symlink(to, path + 1);
	}
	if (access(path, F_OK))
		return true;
	return !mkdir(path + 1, 0755) && part_show(path, MOUNT_ATTR_NODEV);
}

static bool
device_show(const char *path)
{
	int fd = open(path + 1, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	close(fd);
	return part_show(path, MOUNT_ATTR_NOEXEC);
}

/* Debian's start script adds flags from this folder, and some turn the sandbox off. It ignores a
 * README, but fails if the folder is empty. */
static bool
flags_none(void)
{
	int fd = mkdir("etc/chromium.d", 0755)
	    ? -1
	    : open("etc/chromium.d/README", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd >= 0 && !close(fd);
}

static bool
parts_show(void)
{
	static const char *const folders[] = { "/usr", "/opt", "/bin", "/sbin", "/lib", "/lib64",
		"/etc/fonts", "/etc/alternatives" }; /* links in /usr lead there */
	static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full",
		"/dev/random", "/dev/urandom" };
	bool ok = !mkdir("etc", 0755) && !mkdir("dev", 0755) && !mkdir("dev/shm", 0777) &&
	    !mkdir("tmp", 0777) && !mkdir("proc", 0555) && flags_none();

	for (size_t i = 0; i < sizeof folders / sizeof *folders && ok; i++)
		ok = folder_show(folders[i]);
	for (size_t i = 0; i < sizeof devices / sizeof *devices && ok; i++)
		ok = device_show(devices[i]);
	return ok;
}

/* Builds the room's file system. Returns what failed, or NULL. Removes the old root last. */
static const char *
room_build(enum room_kind what)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return "a mount namespace";
	if (mount("room", MOUNT_POINT, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, ROOM_OPTIONS) ||
	    chdir(MOUNT_POINT))
		return "tmpfs";
	if (!parts_show())
		return "the system's files in the room";
	/* Where a service's /proc is partly hidden, the kernel allows no other. A single process
	 * doesn't need it. */
	if (what != ROOM_BUILD &&
	    mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return "proc";
	if (syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/"))
		return "pivot_root";
	return NULL;
}

/* The kernel limits neither the memory nor the time of a process tree, so room_watch() does. These
 * limits stop what is faster than its checks. */
static bool
limits_set(void)
{
	static const struct {
		__rlimit_resource_t what;
		rlim_t most;
	} limits[] = { { RLIMIT_CORE, 0 }, { RLIMIT_CPU, ROOM_S }, { RLIMIT_DATA, ONE_BYTES },
		{ RLIMIT_FSIZE, 64 << 20 }, { RLIMIT_NOFILE, 1024 }, { RLIMIT_NPROC, PROCESSES },
		{ RLIMIT_MEMLOCK, 0 }, { RLIMIT_MSGQUEUE, 0 } };
	bool ok = true;

	for (size_t i = 0; i < sizeof limits / sizeof *limits && ok; i++) {
		struct rlimit had, set;

		ok = !getrlimit(limits[i].what, &had);
		set.rlim_cur = set.rlim_max = limits[i].most < had.rlim_max ? limits[i].most
									    : had.rlim_max;
		ok = ok && !setrlimit(limits[i].what, &set);
	}
	return ok;
}

/* Returns the private and shared memory of a process in kB. Shared memory counts once per process.
 */
static long
process_kb(const char *pid)
{
	char path[300], text[4096];
	long kb = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%s/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	for (const char *at = text; (at = strstr(at, "\nRss")); at++) {
		if (strncmp(at, "\nRssAnon:", 9) == 0)
			kb += strtol(at + 9, NULL, 10);
		else if (strncmp(at, "\nRssShmem:", 10) == 0)
			kb += strtol(at + 10, NULL, 10);
	}
	return kb;
}

static long
room_kb(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	long kb = 0;

	while (dir && (e = readdir(dir)))
		if (*e->d_name >= '1' && *e->d_name <= '9')
			kb += process_kb(e->d_name);
	if (dir)
		closedir(dir);
	return kb;
}

/* The room's first process. When it ends, the kernel kills all others. */
static _Noreturn void
room_watch(pid_t program, enum room_kind what, int socket)
{
	static const char *const built[] = { "log", "out/main.js", "out/main.css", "meta.json",
		NULL };
	bool builds = what == ROOM_BUILD;
	int64_t until = clock_ms() + (builds ? BUILD_S : ROOM_S) * 1000;
	pid_t gone;

	for (;;) {
		while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
			if (gone == program)
				_exit(builds && !parcel_send(socket, "/tmp", built));
		if (gone < 0 || clock_ms() > until || room_kb() > ROOM_KB)
			_exit(0);
		poll(NULL, 0, builds ? BUILD_WATCH_MS : WATCH_MS);
	}
}

/* Programs read a copy, so that none has a descriptor through which the file could be reopened for
 * writing. */
static bool
input_copy(int from)
{
	int to = open("/tmp/in", O_WRONLY | O_CREAT | O_CLOEXEC, 0400);
	off_t at = 0;
	ssize_t n = 1;

	while (to >= 0 && n > 0 && at < ROOM_INPUT)
		n = sendfile(to, from, &at, (size_t)(ROOM_INPUT - at));
	if (to >= 0)
		close(to);
	close(from);
	return to >= 0 && n >= 0;
}

#define SIDE_MOST "1280"
static const char *const browser_args[] = { "--headless=new", "--remote-debugging-pipe",
	"--user-data-dir=/tmp/profile", "--no-first-run", "--disable-gpu",
	"--disable-background-networking", "--disable-breakpad", "--disable-component-update",
	"--disable-default-apps", "--disable-extensions", "--disable-sync",
	"--disable-dev-shm-usage", "--block-new-web-contents", "--mute-audio", "--hide-scrollbars",
	"--deny-permission-prompts", "--js-flags=--max-old-space-size=256",
	"--disk-cache-size=1048576", "--window-size=1280,800", "about:blank", NULL };
#define PAGE "page" /* replaced by the page's number */
static const char *const pdf_args[] = { "-q", "-png", "-singlefile", "-f", PAGE, "-l", PAGE,
	"-scale-to", SIDE_MOST, "/tmp/in", NULL };
static const char *const pages_args[] = { "/tmp/in", NULL };
/* Takes the frame most like its neighbours of the first fifty, because films often begin with
 * black. */
static const char *const film_args[] = { "-nostdin", "-v", "quiet", "-threads", "1",
	"-protocol_whitelist", "file", "-format_whitelist", "mov,matroska,ogg", "-i", "/tmp/in",
	"-map", "0:v:0", "-vf",
	"scale=640:640:force_original_aspect_ratio=decrease,thumbnail=50", "-frames:v", "1",
	"-threads", "1", "-f", "image2pipe", "-c:v", "png", "pipe:1", NULL };
static const char *const no_args[] = { NULL }; /* the parcel has the arguments */
static const char *const *const args_of[] = { [ROOM_BROWSER] = browser_args,
	[ROOM_PDF] = pdf_args, [ROOM_PAGES] = pages_args, [ROOM_FILM] = film_args,
	[ROOM_BUILD] = no_args };

/* Reads the lines of args, and has what the program says in log. */
static bool
build_ready(const char **args)
{
	static char text[ARGS_BYTES];
	int from = open("/tmp/args", O_RDONLY | O_CLOEXEC);
	int log = open("/tmp/log", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ssize_t n = read(from, text, sizeof text - 1);
	char *rest = text, *line;
	size_t count = 1;

	if (n < 0 || n == sizeof text - 1 || log < 0 || chdir("/tmp/src"))
		return false;
	while ((line = str_split(&rest, '\n')) && count < ARGS_MOST - 1)
		if (*line)
			args[count++] = line;
	return !line && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0;
}

/* A browser reads at descriptor 3 and writes at 4; other programs write to stdout, and pdfinfo's
 * errors are heard, too. */
static bool
socket_place(enum room_kind what, int high)
{
	if (what == ROOM_BROWSER)
		return dup2(high, 3) == 3 && dup2(high, 4) == 4;
	if (what == ROOM_BUILD)
		return true;
	return dup2(high, STDOUT_FILENO) == STDOUT_FILENO &&
	    (what != ROOM_PAGES || dup2(high, STDERR_FILENO) == STDERR_FILENO);
}

static _Noreturn void
program_start(const struct order *order, const char *program, int socket, int told)
{
	enum room_kind what = order->what;
	char page[16];
	const char *const env[] = { "HOME=/tmp", "TMPDIR=/tmp", "PATH=/usr/bin:/bin",
		"LANG=C.UTF-8", NULL };
	const char *args[ARGS_MOST] = { program };
	int high = fcntl(socket, F_DUPFD_CLOEXEC, 10), told_high = fcntl(told, F_DUPFD_CLOEXEC, 10);

	snprintf(page, sizeof page, "%d", order->page);
	for (size_t i = 0; args_of[what][i]; i++)
		args[i + 1] = str_eq(args_of[what][i], PAGE) ? page : args_of[what][i];
	if (high < 0 || told_high < 0 || !socket_place(what, high))
		_exit(1);
	close_range(what == ROOM_BROWSER ? 5 : 3, ~0U, CLOSE_RANGE_CLOEXEC);
	if (!limits_set())
		room_fail(told_high, "limits");
	if (what == ROOM_BUILD && !build_ready(args))
		room_fail(told_high, "the sources in the room");
	execve(program, (char *const *)(uintptr_t)args, (char *const *)(uintptr_t)env);
	room_fail(told_high, program);
}

static _Noreturn void
room_enter(const struct order *order, const char *program, int socket, int told)
{
	const char *failed;
	pid_t first;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	failed = room_build(order->what);
	if (!failed && order->input >= 0 &&
	    !(order->what == ROOM_BUILD ? parcel_unpack(order->input, "/tmp")
					: input_copy(order->input)))
		failed = "the file in the room";
	if (!failed && !confine_room())
		failed = "seccomp";
	if (failed)
		room_fail(told, failed);
	first = fork();
	if (first < 0)
		room_fail(told, "fork");
	if (!first)
		program_start(order, program, socket, told);
	if (order->what != ROOM_BUILD)
		close(socket);
	close(told);
	room_watch(first, order->what, socket);
}

/* Creates the namespaces. The PID namespace applies to children only, so the room begins with a
 * fork. */
static _Noreturn void
room_make(const struct order *order, const char *program, int socket, int told)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	pid_t first;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The pool and nginx never wait for a picture, and if memory runs out the kernel kills the
	 * room first. */
	if (setpriority(PRIO_PROCESS, 0, order->what == ROOM_BUILD ? BUILD_NICE : 19) ||
	    !text_put("/proc/self/oom_score_adj", "1000"))
		room_fail(told, "priority");
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
		CLONE_NEWUTS | CLONE_NEWCGROUP))
		room_fail(told, "namespaces");
	if (!user_map(uid, gid))
		room_fail(told, "a user namespace");
	first = fork();
	if (first < 0)
		room_fail(told, "fork");
	if (!first)
		room_enter(order, program, socket, told);
	close(order->input);
	close(socket);
	close(told);
	waitpid(first, NULL, 0);
	_exit(0);
}

/* ---- orders ---- */

static bool
order_hear(int orders, struct order *order)
{
	int input;
	bool heard = helper_hear(orders, order, sizeof *order, &input);

	order->input = input;
	return heard;
}

/* ---- the launcher ---- */

/* Reads until the program has started ("") or a step has failed (its name). */
static void
failure_read(int told, char why[REASON])
{
	size_t n = 0;
	ssize_t got;

	while (n < REASON - 1 && (got = read(told, why + n, REASON - 1 - n)) > 0)
		n += (size_t)got;
	why[n] = '\0';
}

/* Runs one room, for *order, which opens it, and reads the next order into *order. Returns false
 * when no more orders come. */
static bool
launcher_serve(int orders, const struct conf *conf, struct order *order)
{
	struct answer answer = { .serial = order->serial };
	void *mem = mem_root("room");
	const char *program = program_path(mem, conf, order->what);
	int socket[2], told[2];
	int failed;
	bool more;
	pid_t room;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket) ||
	    pipe2(told, O_CLOEXEC))
		_exit(1);
	room = fork();
	if (!room) {
		close(orders);
		close(socket[0]);
		close(told[0]);
		room_make(order, program, socket[1], told[1]);
	}
	failed = errno;
	if (order->input >= 0)
		close(order->input);
	close(socket[1]);
	close(told[1]);
	failure_read(told[0], answer.why);
	if (room < 0)
		snprintf(answer.why, REASON, "fork: %s", strerror(failed));
	close(told[0]);
	helper_send(orders, &answer, sizeof answer, *answer.why ? -1 : socket[0]);
	close(socket[0]);
	mem_free(mem);
	more = order_hear(orders, order);
	if (room > 0) {
		/* When its parent has ended, the launcher adopts the room's first process, which
		 * ends after all others in the room. */
		kill(room, SIGKILL);
		while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
			;
	}
	return more;
}

static void
launcher_run(int orders, const void *conf)
{
	struct order order;
	bool more;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (more = order_hear(orders, &order); more;) {
		struct answer ended = { .serial = order.serial };

		if (order.kind == ORDER_OPEN) {
			more = launcher_serve(orders, conf, &order);
			continue;
		}
		helper_send(orders, &ended, sizeof ended, -1);
		more = order_hear(orders, &order);
	}
}

void
rooms_prepare(const struct conf *conf)
{
	void *mem = mem_root("rooms");
	bool any = false;

	if (launcher >= 0)
		close(launcher);
	for (enum room_kind what = ROOM_BROWSER; what <= ROOM_FILM; what++)
		any |= room_program(mem, conf, what) != NULL;
	mem_free(mem);
	launcher = any ? helper_start("vitrine-rooms", launcher_run, conf) : -1;
}

void
builders_prepare(const struct conf *conf)
{
	pthread_mutexattr_t shared;

	if (!conf_has(conf->builder))
		return;
	builders = mmap(NULL, BUILDERS * sizeof *builders, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (builders == MAP_FAILED || pthread_mutexattr_init(&shared)) {
		builders = NULL;
		return;
	}
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	for (size_t i = 0; i < BUILDERS; i++) {
		pthread_mutex_init(&builders[i].turn, &shared);
		builder_launchers[i] = helper_start("vitrine-builds", launcher_run, conf);
	}
}

/* ---- in the caller's process ---- */

struct room {
	int socket, *launcher;
	struct builder *builder; /* for ROOM_BUILD: the launcher whose turn this is */
};

bool
rooms_prepared(void)
{
	return launcher >= 0;
}

int
room_socket(const struct room *r)
{
	return r->socket;
}

/* Reads the answer to the order with this serial; returns false for another. */
static bool
answer_receive(int from, int64_t serial, struct answer *answer, int *fd)
{
	if (!helper_hear(from, answer, sizeof *answer, fd))
		return false;
	answer->why[REASON - 1] = '\0';
	if (answer->serial == serial)
		return true;
	if (*fd >= 0)
		close(*fd);
	return false;
}

/* Returns false if no answer comes, because the launcher has ended or hangs. This process then
 * sends it no more orders. */
static bool
launcher_order(int *to, struct order order, struct answer *answer, int *fd)
{
	struct pollfd ready = { .fd = *to, .events = POLLIN };
	int64_t until = clock_ms() + REPLY_MS, left;
	bool gone;

	order.serial = clock_us();
	if (*to >= 0 && helper_send(*to, &order, sizeof order, order.input))
		while ((left = until - clock_ms()) > 0 && !(ready.revents & POLLHUP))
			if (poll(&ready, 1, (int)left) == 1 &&
			    answer_receive(*to, order.serial, answer, fd))
				return true;
	/* A builder that is only slow gets further orders, because nobody starts another one. */
	gone = to == &launcher || (ready.revents & POLLHUP);
	if (*to >= 0 && gone) {
		close(*to);
		*to = -1;
	}
	return false;
}

/* The answer means that no process of the room is left. */
static void
room_end_ask(void *arg)
{
	const struct room *r = arg;
	struct answer answer;
	int fd;

	launcher_order(
	    r->launcher, (struct order){ .kind = ORDER_END, .input = -1 }, &answer, &fd);
	if (r->builder)
		pthread_mutex_unlock(&r->builder->turn);
}

static enum err
room_refuse(struct ctx *c, const char *why)
{
	errno = 0;
	fail_here(c, "the sandbox can't be created: %s", why);
	return c->err = E_UNAVAILABLE;
}

/* Locks a builder that is free and returns it; NULL if all are busy. */
static struct builder *
builder_lock_any(void)
{
	for (size_t i = 0; builders && i < BUILDERS; i++) {
		int e = pthread_mutex_trylock(&builders[i].turn);

		if (e == EOWNERDEAD)
			e = pthread_mutex_consistent(&builders[i].turn);
		if (!e)
			return &builders[i];
	}
	return NULL;
}

static enum err
builder_await(struct ctx *c, struct room *r)
{
	int64_t until = clock_ms() + BUILD_S * 1000;

	if (!builders)
		return room_refuse(c, "there is no launcher");
	while (!(r->builder = builder_lock_any()) && clock_ms() < until)
		poll(NULL, 0, BUILD_WATCH_MS);
	if (!r->builder)
		return fail(c, E_RATE_LIMITED, "other apps are being built; try again shortly");
	r->launcher = &builder_launchers[r->builder - builders];
	return E_OK;
}

enum err
room_open(struct ctx *c, enum room_kind what, int input, int page, struct room **out)
{
	struct room *r = *out = mem_new(c->mem, struct room);
	struct answer answer = { 0 };
	bool heard;

	r->launcher = &launcher;
	if (what == ROOM_BUILD)
		TRY(builder_await(c, r));
	heard = launcher_order(r->launcher,
	    (struct order){ .kind = ORDER_OPEN, .what = what, .input = input, .page = page },
	    &answer, &r->socket);
	if (heard && r->socket >= 0) {
		mem_defer(r, room_end_ask, r);
		mem_fd(r, r->socket);
		return E_OK;
	}
	if (r->builder)
		pthread_mutex_unlock(&r->builder->turn);
	return room_refuse(c, heard ? answer.why : "there is no launcher");
}

enum err
room_output(struct ctx *c, struct room *r, size_t most, const char **bytes, size_t *n)
{
	char piece[PIECE_BYTES];
	struct buf in = BUF(c->mem);
	ssize_t got = 1;

	while (got && in.n <= most) {
		got = read(r->socket, piece, sizeof piece);
		if (got < 0 && errno != EINTR)
			break;
		if (got > 0)
			buf_add(&in, piece, (size_t)got);
	}
	if (in.n > most)
		return fail(c, E_INVALID, "the program says too much");
	if (!in.n)
		return fail(c, E_INVALID, "the program says nothing");
	*bytes = buf_done(&in);
	*n = in.n;
	return E_OK;
}
