/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/browser.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/confine.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	NOBODY = 65534,
	INSIDE = 1000, /* the user in the room, who is not its root */
	WATCH_MS = 50,
	REPLY_MS = 5000,
	REASON = 128,
	ROOM_KB = 1 << 20, /* of memory, all processes together */
	PROCESSES = 512,   /* threads count */
	ONE_BYTES = 1 << 30 /* of one process's own memory */
};
#define MOUNT_POINT "/tmp" /* of the old root; what it has is out of reach in the room */
#define ROOM_OPTIONS "size=192m,nr_inodes=8k,mode=0755"

/* Each order has another serial, which its answer repeats: several processes may have the socket,
 * one after the other, and whoever died left an answer behind. */
struct order {
	enum { ORDER_OPEN = 1, ORDER_END } kind;
	int64_t serial;
};
struct answer {
	int64_t serial;
	char why[REASON]; /* what failed, or "" */
};

static int launcher = -1;

const char *
browser_program(const struct conf *conf)
{
	const char *program = str_eq(conf->chromium, "auto") ? "/usr/bin/chromium"
							     : conf->chromium;

	return str_eq(program, "-") || access(program, X_OK) ? NULL : program;
}

/* ---- the room, from inside ---- */

/* What failed goes to the launcher; the room is not entered. */
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

/* One user and one group, without rights over any other. */
static bool
user_map(uid_t uid, gid_t gid)
{
	char users[64], groups[64];

	snprintf(users, sizeof users, "%d %u 1\n", INSIDE, uid);
	snprintf(groups, sizeof groups, "%d %u 1\n", INSIDE, gid);
	return text_put("/proc/self/setgroups", "deny") &&
	    text_put("/proc/self/uid_map", users) && text_put("/proc/self/gid_map", groups);
}

/* The part of the old root at path, unchangeable. Linux 5.12. */
static bool
part_show(const char *path, uint64_t also)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | also
	};

	return !mount(path, path + 1, NULL, MS_BIND | MS_REC, NULL) &&
	    !mount_setattr(AT_FDCWD, path + 1, AT_RECURSIVE, &attr, sizeof attr);
}

/* /bin, /lib and the like are links into /usr, or folders of their own. */
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

/* Debian's script adds the flags of this folder, which on some machines turn the sandbox off. It
 * passes over a README, and ends where the folder has nothing. */
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
		"/etc/fonts" };
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

/* The file system of the room: what failed, or NULL. The old root is taken away last. */
static const char *
room_build(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return "a mount namespace";
	if (mount("room", MOUNT_POINT, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, ROOM_OPTIONS) ||
	    chdir(MOUNT_POINT))
		return "tmpfs";
	if (!parts_show())
		return "the system's files in the room";
	if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return "proc";
	if (syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/"))
		return "pivot_root";
	return NULL;
}

/* The kernel counts neither the memory of a process tree nor its time, so room_watch() does; these
 * stop what is faster than it looks. */
static bool
limits_set(void)
{
	static const struct {
		__rlimit_resource_t what;
		rlim_t most;
	} limits[] = { { RLIMIT_CORE, 0 }, { RLIMIT_CPU, BROWSER_S }, { RLIMIT_DATA, ONE_BYTES },
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

/* Nothing of the pool or of nginx waits for a picture, and when memory runs out it is this that
 * goes. */
static bool
room_last(void)
{
	return !setpriority(PRIO_PROCESS, 0, 19) && text_put("/proc/self/oom_score_adj", "1000");
}

/* Memory of its own and shared memory of a process in kB; what several share counts several
 * times. */
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

/* The first process of the room: with its end the kernel ends all others. */
static _Noreturn void
room_watch(pid_t browser)
{
	int64_t until = clock_ms() + BROWSER_S * 1000;
	pid_t gone;

	for (;;) {
		while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
			if (gone == browser)
				_exit(0);
		if (gone < 0 || clock_ms() > until || room_kb() > ROOM_KB)
			_exit(0);
		poll(NULL, 0, WATCH_MS);
	}
}

static _Noreturn void
chromium_start(const char *program, int devtools, int told)
{
	const char *const args[] = { program, "--headless=new", "--remote-debugging-pipe",
		"--user-data-dir=/tmp/profile", "--no-first-run", "--disable-gpu",
		"--disable-background-networking", "--disable-breakpad",
		"--disable-component-update", "--disable-default-apps", "--disable-extensions",
		"--disable-sync", "--disable-dev-shm-usage", "--block-new-web-contents",
		"--mute-audio", "--hide-scrollbars", "--deny-permission-prompts",
		"--js-flags=--max-old-space-size=256", "--disk-cache-size=1048576",
		"--window-size=1280,800", "about:blank", NULL };
	const char *const env[] = { "HOME=/tmp", "TMPDIR=/tmp", "PATH=/usr/bin:/bin",
		"LANG=C.UTF-8", NULL };
	int high = fcntl(devtools, F_DUPFD_CLOEXEC, 10),
	    told_high = fcntl(told, F_DUPFD_CLOEXEC, 10);

	/* It reads at 3 and writes at 4. */
	if (high < 0 || told_high < 0 || dup2(high, 3) < 0 || dup2(high, 4) < 0)
		_exit(1);
	close_range(5, ~0U, CLOSE_RANGE_CLOEXEC);
	if (!limits_set())
		room_fail(told_high, "limits");
	execve(program, (char *const *)(uintptr_t)args, (char *const *)(uintptr_t)env);
	room_fail(told_high, program);
}

static _Noreturn void
room_enter(const char *program, int devtools, int told)
{
	const char *failed;
	pid_t browser;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	failed = room_build();
	if (!failed && !confine_browser())
		failed = "seccomp";
	if (failed)
		room_fail(told, failed);
	browser = fork();
	if (browser < 0)
		room_fail(told, "fork");
	if (!browser)
		chromium_start(program, devtools, told);
	close(devtools);
	close(told);
	room_watch(browser);
}

/* The namespaces; process ids are the children's only, so the room begins with one. */
static _Noreturn void
room_open(const char *program, int devtools, int told)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	pid_t first;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!room_last())
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
		room_enter(program, devtools, told);
	close(devtools);
	close(told);
	waitpid(first, NULL, 0);
	_exit(0);
}

/* ---- the launcher ---- */

static bool
order_hear(int orders, struct order *order)
{
	return recv(orders, order, sizeof *order, 0) == sizeof *order;
}

static void
launcher_answer(int orders, const struct answer *answer, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec bytes = { (void *)(uintptr_t)answer, sizeof *answer };
	struct msghdr m = { .msg_iov = &bytes, .msg_iovlen = 1 };

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof control.room;
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	}
	sendmsg(orders, &m, MSG_NOSIGNAL);
}

/* Until the browser is started, "", or with what failed. */
static void
room_hear(int told, char why[REASON])
{
	size_t n = 0;
	ssize_t got;

	while (n < REASON - 1 && (got = read(told, why + n, REASON - 1 - n)) > 0)
		n += (size_t)got;
	why[n] = '\0';
}

/* The room's first process becomes the launcher's child when its parent is gone, and ends after all
 * others of the room. */
static void
room_end(pid_t room)
{
	kill(room, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

/* One browser. *order was to open it, and becomes the next one. False when none comes anymore. */
static bool
launcher_serve(int orders, const char *program, struct order *order)
{
	struct answer answer = { .serial = order->serial };
	int devtools[2], told[2];
	int failed;
	bool more;
	pid_t room;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, devtools) ||
	    pipe2(told, O_CLOEXEC))
		_exit(1);
	room = fork();
	if (!room) {
		close(orders);
		close(devtools[0]);
		close(told[0]);
		room_open(program, devtools[1], told[1]);
	}
	failed = errno;
	close(devtools[1]);
	close(told[1]);
	room_hear(told[0], answer.why);
	if (room < 0)
		snprintf(answer.why, REASON, "fork: %s", strerror(failed));
	close(told[0]);
	launcher_answer(orders, &answer, *answer.why ? -1 : devtools[0]);
	close(devtools[0]);
	more = order_hear(orders, order);
	if (room > 0)
		room_end(room);
	return more;
}

/* Root would be root's files even in a room, so it becomes nobody. */
static bool
launcher_drop(void)
{
	if (geteuid() != 0)
		return true;
	return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    !setresuid(NOBODY, NOBODY, NOBODY) && !prctl(PR_SET_DUMPABLE, 1);
}

/* It could be read by who gets hold of a process with the launcher's memory. */
static void
environment_wipe(void)
{
	for (char **e = environ; e && *e; e++)
		memset(*e, 0, strlen(*e));
}

static _Noreturn void
launcher_run(int orders, const char *program)
{
	int null = open("/dev/null", O_RDWR);
	struct order order;
	bool more;

	prctl(PR_SET_NAME, "vitrine-rooms");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	environment_wipe();
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
	    dup2(orders, 3) < 0 || setsid() < 0 || chdir("/") || !launcher_drop())
		_exit(1);
	close_range(4, ~0U, 0);
	fcntl(3, F_SETFD, FD_CLOEXEC);
	for (more = order_hear(3, &order); more;) {
		struct answer ended = { .serial = order.serial };

		if (order.kind == ORDER_OPEN) {
			more = launcher_serve(3, program, &order);
			continue;
		}
		launcher_answer(3, &ended, -1);
		more = order_hear(3, &order);
	}
	_exit(0);
}

/* By way of a child that ends at once, so that nobody has to wait for the launcher. */
void
browser_prepare(const struct conf *conf)
{
	const char *program = browser_program(conf);
	int orders[2];
	pid_t child;

	if (launcher >= 0)
		close(launcher);
	launcher = -1;
	if (!program || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, orders))
		return;
	child = fork();
	if (!child) {
		close(orders[0]);
		if (fork())
			_exit(0);
		launcher_run(orders[1], program);
	}
	close(orders[1]);
	launcher = orders[0];
	if (child > 0)
		waitpid(child, NULL, 0);
}

/* ---- from outside ---- */

struct browser {
	int socket;
};

bool
browser_prepared(void)
{
	return launcher >= 0;
}

int
browser_socket(const struct browser *b)
{
	return b->socket;
}

/* An answer to that order, or false. */
static bool
answer_take(int64_t serial, struct answer *answer, int *fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec bytes = { answer, sizeof *answer };
	struct msghdr m = { .msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof control.room };
	struct cmsghdr *head;

	*fd = -1;
	if (recvmsg(launcher, &m, MSG_CMSG_CLOEXEC) != sizeof *answer)
		return false;
	answer->why[REASON - 1] = '\0';
	head = CMSG_FIRSTHDR(&m);
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof *fd))
		memcpy(fd, CMSG_DATA(head), sizeof *fd);
	if (answer->serial == serial)
		return true;
	if (*fd >= 0)
		close(*fd);
	return false;
}

/* False when no answer comes: the launcher is gone, or stuck. Then it gets no more orders of this
 * process. */
static bool
launcher_order(int kind, struct answer *answer, int *fd)
{
	struct order order = { .kind = kind, .serial = clock_us() };
	struct pollfd ready = { .fd = launcher, .events = POLLIN };
	int64_t until = clock_ms() + REPLY_MS, left;

	if (launcher >= 0 && send(launcher, &order, sizeof order, MSG_NOSIGNAL) > 0)
		while ((left = until - clock_ms()) > 0)
			if (poll(&ready, 1, (int)left) == 1) {
				if (answer_take(order.serial, answer, fd))
					return true;
				if (ready.revents & POLLHUP)
					break;
			}
	if (launcher >= 0)
		close(launcher);
	launcher = -1;
	return false;
}

/* Its answer says that nothing of the browser is left. */
static void
browser_end(void *arg)
{
	struct answer answer;
	int fd;

	(void)arg;
	launcher_order(ORDER_END, &answer, &fd);
}

static enum err
browser_refuse(struct ctx *c, const char *why)
{
	errno = 0;
	fail_here(c, "the browser sandbox can't be created: %s", why);
	return c->err = E_UNAVAILABLE;
}

enum err
browser_open(struct ctx *c, struct browser **out)
{
	struct browser *b = *out = mem_new(c->mem, struct browser);
	struct answer answer;

	if (!launcher_order(ORDER_OPEN, &answer, &b->socket))
		return browser_refuse(c, "there is no launcher");
	if (b->socket < 0)
		return browser_refuse(c, answer.why);
	mem_defer(c->mem, browser_end, b);
	mem_fd(c->mem, b->socket);
	return E_OK;
}
