/* SPDX-License-Identifier: Apache-2.0
 * The lists hold the calls that the tests have seen workers make, those that glibc's resolver and
 * threads need, and close relatives that a newer library may use instead (writev for write). */
#include "base/confine.h"

#include "base/log.h"
#include "base/str.h"
#include "base/strength.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/ioprio.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N(list) (sizeof(list) / sizeof *(list))
#define NAMESPACES                                                                           \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |       \
	    CLONE_NEWPID | CLONE_NEWNET)

/* A call that is on no list fails with EPERM, so a library that only probes for it continues. The
 * test build kills the process instead, because a test wouldn't notice the EPERM. */
#ifdef __SANITIZE_ADDRESS__
#define OTHERS SCMP_ACT_KILL_PROCESS
enum { SANITIZED = 1 };
#else
#define OTHERS SCMP_ACT_ERRNO(EPERM)
enum { SANITIZED = 0 };
#endif

enum { NO_CONFINEMENT = 71 /* EX_OSERR */ };

/* ---- system calls ---- */

static const int allowed[] = {
	/* bytes */
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64),
	SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(fsync), SCMP_SYS(fdatasync),
	SCMP_SYS(syncfs), SCMP_SYS(sync_file_range), SCMP_SYS(ftruncate), SCMP_SYS(fallocate),
	SCMP_SYS(fadvise64), SCMP_SYS(copy_file_range), SCMP_SYS(sendfile),
	/* files and directories */
	SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(close), SCMP_SYS(fstat),
	SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx),
	SCMP_SYS(fstatfs), SCMP_SYS(statfs), SCMP_SYS(access), SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2), SCMP_SYS(getdents64), SCMP_SYS(readlinkat), SCMP_SYS(linkat),
	SCMP_SYS(symlinkat), SCMP_SYS(unlinkat), SCMP_SYS(renameat), SCMP_SYS(renameat2),
	SCMP_SYS(mkdirat), SCMP_SYS(readlink), SCMP_SYS(link), SCMP_SYS(symlink),
	SCMP_SYS(unlink), SCMP_SYS(rename), SCMP_SYS(mkdir), SCMP_SYS(rmdir),
	SCMP_SYS(utimensat), SCMP_SYS(flock), SCMP_SYS(dup),
	/* sockets that exist; rules[] says which can be made */
	SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(accept), SCMP_SYS(accept4),
	SCMP_SYS(sendto), SCMP_SYS(recvfrom), SCMP_SYS(sendmsg), SCMP_SYS(recvmsg),
	SCMP_SYS(sendmmsg), SCMP_SYS(shutdown), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_ctl), SCMP_SYS(pipe2), SCMP_SYS(eventfd2),
	/* memory; rules[] says which mappings are allowed */
	SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise),
	/* time, signals, threads */
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(timer_settime), SCMP_SYS(alarm),
	SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall), SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
	SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(exit), SCMP_SYS(exit_group),
	/* facts about the process and the machine */
	SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid),
	SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
	SCMP_SYS(getrusage), SCMP_SYS(uname), SCMP_SYS(sysinfo),
};

/* No code of ours and no library of ours calls these, so a process that does is under attack. */
static const int fatal[] = {
	SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(vfork), SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd), SCMP_SYS(unshare), SCMP_SYS(setns),
	SCMP_SYS(chroot), SCMP_SYS(pivot_root), SCMP_SYS(mount), SCMP_SYS(umount2),
	SCMP_SYS(open_tree), SCMP_SYS(move_mount), SCMP_SYS(fsopen), SCMP_SYS(fsconfig),
	SCMP_SYS(fsmount), SCMP_SYS(mount_setattr), SCMP_SYS(open_by_handle_at),
	SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon),
	SCMP_SYS(swapoff), SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd),
	SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
	SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl), SCMP_SYS(setuid),
	SCMP_SYS(setgid), SCMP_SYS(setresuid), SCMP_SYS(setresgid), SCMP_SYS(setgroups),
	SCMP_SYS(capset), SCMP_SYS(personality),
};

/* A rule: a system call, and conditions that must all hold. */
struct rule {
	uint32_t action;
	int call;
	unsigned n;
	struct scmp_arg_cmp when[3];
};

#define FCNTL(command)                                                                       \
	{                                                                                    \
		SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, { SCMP_A1(SCMP_CMP_EQ, command) }        \
	}

static const struct rule rules[] = {
	/* glibc asks by netlink for the machine's addresses, and works without an answer. */
	{ SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, { SCMP_A0(SCMP_CMP_EQ, AF_UNIX) } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, { SCMP_A0(SCMP_CMP_EQ, AF_INET) } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, { SCMP_A0(SCMP_CMP_EQ, AF_INET6) } },
	{ SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
	    { SCMP_A0(SCMP_CMP_EQ, AF_NETLINK) } },
	/* Allows the resolver's threads, but no new process. A filter can't read the flags of
	 * clone3, which are in memory; glibc uses clone if clone3 is missing. */
	{ SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
	    { SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | NAMESPACES, CLONE_THREAD) } },
	{ SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0, { { 0 } } },
	/* Only unmodified mappings of files are executable. They are needed for modules of the
	 * resolver, of iconv and of MariaDB's client, which are loaded on first use. */
	{ SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, { SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
	    { SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC),
		SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0) } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, { SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) } },
	/* F_SETOWN and F_SETSIG are left out: with them a descriptor sends signals to other
	 * processes. */
	FCNTL(F_DUPFD), FCNTL(F_DUPFD_CLOEXEC), FCNTL(F_GETFD), FCNTL(F_SETFD), FCNTL(F_GETFL),
	FCNTL(F_SETFL),
	/* The resolver asks for a datagram's size; stdio asks whether it writes to a terminal. */
	{ SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, { SCMP_A1(SCMP_CMP_EQ, FIONREAD) } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, { SCMP_A1(SCMP_CMP_EQ, FIONBIO) } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, { SCMP_A1(SCMP_CMP_EQ, TCGETS) } },
	/* glibc reads limits to size a thread's stack. Setting limits is refused. */
	{ SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2,
	    { SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0) } },
	/* The runner's scrub lowers its own priority, for processor and disk. */
	{ SCMP_ACT_ALLOW, SCMP_SYS(setpriority), 3,
	    { SCMP_A0(SCMP_CMP_EQ, PRIO_PROCESS), SCMP_A1(SCMP_CMP_EQ, 0),
		SCMP_A2(SCMP_CMP_EQ, 19) } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(ioprio_set), 3,
	    { SCMP_A0(SCMP_CMP_EQ, IOPRIO_WHO_PROCESS), SCMP_A1(SCMP_CMP_EQ, 0),
		SCMP_A2(SCMP_CMP_EQ, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT) } },
};

/* The leak check at a worker's end starts a process that shares memory with the worker and traces
 * it. */
static const struct rule sanitizer_rules[] = {
	{ SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
	    { SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_VM | CLONE_UNTRACED | CLONE_THREAD,
		CLONE_VM | CLONE_UNTRACED) } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(ptrace), 0, { { 0 } } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(wait4), 0, { { 0 } } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(prctl), 0, { { 0 } } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(getdents), 0, { { 0 } } },
};

static bool
calls_add(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t n)
{
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++)
		ok = !seccomp_rule_add(filter, action, calls[i], 0);
	return ok;
}

static bool
rules_add(scmp_filter_ctx filter, const struct rule *list, size_t n)
{
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++)
		ok = !seccomp_rule_add_array(
		    filter, list[i].action, list[i].call, list[i].n, list[i].when);
	return ok;
}

/* abort() signals the thread that calls it, so tgkill is allowed for this process only. */
static bool
filter_fill(scmp_filter_ctx filter)
{
	struct rule to_self = { SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
		{ SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()) } };

	if (!calls_add(filter, SCMP_ACT_ALLOW, allowed, N(allowed)) ||
	    !rules_add(filter, rules, N(rules)) || !rules_add(filter, &to_self, 1))
		return false;
	if (SANITIZED)
		return rules_add(filter, sanitizer_rules, N(sanitizer_rules));
	return calls_add(filter, SCMP_ACT_KILL_PROCESS, fatal, N(fatal)) &&
	    !seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(ptrace), 0);
}

static bool
calls_confine(void)
{
	scmp_filter_ctx filter = seccomp_init(OTHERS);
	/* Compiles to a tree ordered by call number instead of a list, so no call needs a long
	 * search. */
	bool ok = filter && !seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) &&
	    !seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) &&
	    filter_fill(filter) && !seccomp_load(filter);

	seccomp_release(filter);
	return ok;
}

/* A room's process has rights over these in a user namespace. A browser's sandbox doesn't need
 * them, and exploits of the kernel commonly start with them. */
static const int not_rooms[] = {
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(open_tree),
	SCMP_SYS(move_mount), SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount),
	SCMP_SYS(fspick), SCMP_SYS(mount_setattr), SCMP_SYS(setns), SCMP_SYS(open_by_handle_at),
	SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon),
	SCMP_SYS(swapoff), SCMP_SYS(acct), SCMP_SYS(quotactl), SCMP_SYS(bpf),
	SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(add_key),
	SCMP_SYS(request_key), SCMP_SYS(keyctl), SCMP_SYS(syslog), SCMP_SYS(settimeofday),
	SCMP_SYS(clock_settime), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
	SCMP_SYS(pidfd_getfd), SCMP_SYS(personality),
};

/* A room may make unix sockets only. Even an isolated network socket would reach kernel code, such
 * as packet rules by netlink. */
static const struct rule room_rules[] = {
	{ SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
	    { SCMP_A0(SCMP_CMP_NE, AF_UNIX) } },
	{ SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socketpair), 1,
	    { SCMP_A0(SCMP_CMP_NE, AF_UNIX) } },
};

bool
confine_room(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	bool ok = filter && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	    !seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) &&
	    calls_add(filter, SCMP_ACT_ERRNO(EPERM), not_rooms, N(not_rooms)) &&
	    rules_add(filter, room_rules, N(room_rules)) && !seccomp_load(filter);

	seccomp_release(filter);
	return ok;
}

/* Allows memory, time, and I/O on open descriptors. Opening a file fails with ENOENT, which a
 * library that only probes for it survives. */
static const int apart_allowed[] = {
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(close), SCMP_SYS(munmap),
	SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(futex), SCMP_SYS(sched_yield),
	SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};
static const int apart_absent[] = { SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(stat),
	SCMP_SYS(newfstatat), SCMP_SYS(access), SCMP_SYS(readlink), SCMP_SYS(prctl),
	SCMP_SYS(sysinfo) /* qsort() of glibc */ };
static const struct rule apart_rules[] = {
	{ SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, { SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) } },
	{ SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, { SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) } },
};

bool
confine_apart(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	bool ok = filter && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	    calls_add(filter, SCMP_ACT_ALLOW, apart_allowed, N(apart_allowed)) &&
	    calls_add(filter, SCMP_ACT_ERRNO(ENOENT), apart_absent, N(apart_absent)) &&
	    rules_add(filter, apart_rules, N(apart_rules)) && !seccomp_load(filter);

	seccomp_release(filter);
	return ok;
}

/* ---- files ---- */

#define FS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_CHANGE                                                                            \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |                    \
	    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_DIR |                    \
	    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM |                      \
	    LANDLOCK_ACCESS_FS_REFER)
#define FS_NEVER                                                                             \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |                         \
	    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                   \
	    LANDLOCK_ACCESS_FS_MAKE_SOCK)

/* Landlock's right to truncate, since Linux 6.2. Debian 12's header doesn't define it. */
#define FS_TRUNCATE (1ULL << 14)

/* Before Linux 5.19 Landlock forbids links and renames between directories. The store needs both.
 */
enum { ABI_LEAST = 2, ABI_TRUNCATE = 3 };

static long
landlock_abi(void)
{
	return syscall(
	    SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* A path that doesn't exist, or can't be reached, needs no rule. */
static bool
files_allow(int ruleset, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr beneath = { .allowed_access = access };
	bool ok;

	beneath.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (beneath.parent_fd < 0)
		return true;
	ok = !syscall(
	    SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
	close(beneath.parent_fd);
	return ok;
}

/* Allows the folder in which a file really is ("-" means no file), not the file itself: a file that
 * is replaced while the process runs is a new inode under the same name. */
static bool
folder_allow(int ruleset, const char *file)
{
	char real[PATH_MAX];

	return str_eq(file, "-") || !realpath(file, real) ||
	    files_allow(ruleset, dirname(real), FS_READ);
}

static bool
templates_allow(int ruleset, const struct conf *conf)
{
	void *mem = mem_root("templates");
	bool ok = files_allow(ruleset, conf_templates(mem), FS_READ) &&
	    (!conf_has(conf->templates_dir) || files_allow(ruleset, conf->templates_dir, FS_READ));

	mem_free(mem);
	return ok;
}

static bool
files_fill(int ruleset, uint64_t handled, const struct conf *conf)
{
	/* Name service, time zones, certificates, library modules and data; weak passwords. /proc
	 * is for the sanitizers only. */
	static const char *const system[] = { "/etc", "/usr", "/lib", "/lib64",
		STRENGTH_FOLDER, "/proc" };
	const char *const files[] = { "/etc/resolv.conf", conf->db_password_file,
		conf->egress_ca_file, conf->smtp_password_file, conf->smtp_ca_file,
		conf->agent_key_file, conf->payment_key_file, conf->payment_sign_key_file,
		conf->store_key_file };
	bool ok = files_allow(ruleset, conf->data_dir, handled & ~FS_NEVER);

	/* The runner reads this log and punches holes where it has counted. */
	if (ok && conf_has(conf->views_log))
		ok = files_allow(ruleset, conf->views_log,
		    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
	for (size_t i = 0; i < N(system) - !SANITIZED && ok; i++)
		ok = files_allow(ruleset, system[i], FS_READ);
	ok = ok && templates_allow(ruleset, conf);
	for (size_t i = 0; i < N(files) && ok; i++)
		ok = folder_allow(ruleset, files[i]);
	for (size_t i = 0; i < conf->provider_n && ok; i++)
		ok = folder_allow(ruleset, conf->providers[i].client_secret_file);
	for (size_t i = 0; i < conf->connector_n && ok; i++)
		ok = folder_allow(ruleset, conf->connectors[i].client_secret_file) &&
		    folder_allow(ruleset, conf->connectors[i].bot_token_file);
	return ok;
}

static bool
files_confine(const struct conf *conf)
{
	long abi = landlock_abi();
	struct landlock_ruleset_attr attr = { .handled_access_fs = FS_READ | FS_CHANGE | FS_NEVER };
	int ruleset;
	bool ok;

	if (abi < ABI_LEAST)
		return true;
	if (abi >= ABI_TRUNCATE)
		attr.handled_access_fs |= FS_TRUNCATE;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
	ok = ruleset >= 0 && files_fill(ruleset, attr.handled_access_fs, conf) &&
	    !syscall(SYS_landlock_restrict_self, ruleset, 0);
	if (ruleset >= 0)
		close(ruleset);
	return ok;
}

/* ---- both ---- */

struct confine_means
confine_means(void)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;

	return (struct confine_means){
		.seccomp = !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action),
		.landlock = landlock_abi() >= ABI_LEAST,
	};
}

void
confine(const struct conf *conf)
{
	const char *what = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? "no_new_privs"
	    : !files_confine(conf)                                ? "Landlock"
	    : !calls_confine()                                    ? "seccomp"
								  : NULL;

	if (!what)
		return;
	log_line(LOG_LEVEL_ERROR, "this process can't be confined", "by", what, NULL);
	_exit(NO_CONFINEMENT);
}
