/* SPDX-License-Identifier: Apache-2.0
 * Tries one thing in a process confined as a worker is: confine DATA_DIR THING [FILE]. Prints "ok" or the name of the error; a call that
 * ends the process prints nothing. "means" prints what this kernel has of it. */
#include "base/confine.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <linux/bpf.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static const char *file;
static char page[8192] __attribute__((aligned(4096)));

static int thing_exec(void) { return execl("/bin/true", "true", (char *)NULL); }
static int thing_fork(void) { return (int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL); }
static int thing_clone3(void) { return (int)syscall(SYS_clone3, NULL, 0); }
static int thing_trace(void) { return (int)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL); }
static int thing_signal(void) { return kill(getppid(), SIGWINCH); }
static int thing_signal_io(void) { return fcntl(0, F_SETOWN, getppid()); }
static int thing_namespace(void) { return unshare(CLONE_NEWUSER); }
static int thing_mount(void) { return mount("none", "/mnt", "tmpfs", 0, NULL); }
static int thing_bpf(void) { return (int)syscall(SYS_bpf, BPF_MAP_CREATE, NULL, 0); }
static int thing_uring(void) { return (int)syscall(SYS_io_uring_setup, 1, NULL); }
static int thing_memfd(void) { return memfd_create("x", 0); }
static int thing_packet(void) { return socket(AF_PACKET, SOCK_RAW, 0); }
static int thing_netlink(void) { return socket(AF_NETLINK, SOCK_RAW, 0); }
static int thing_listen(void) { return listen(socket(AF_INET, SOCK_STREAM, 0), 1); }
static int thing_bind(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET };

	return bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&any, sizeof any);
}

static int thing_limit(void)
{
	struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_CORE, &none);
}

static int mapped(int prot, int flags, int fd) { return mmap(NULL, 4096, prot, flags, fd, 0) == MAP_FAILED ? -1 : 0; }
static int thing_code(void) { return mapped(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static int thing_code_later(void) { return mprotect(page, 4096, PROT_READ | PROT_EXEC); }
static int thing_code_anonymous(void) { return mapped(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static int thing_module(void) { return mapped(PROT_READ | PROT_EXEC, MAP_PRIVATE, open("/bin/true", O_RDONLY)); }

static int thing_read(void) { return open(file, O_RDONLY); }
static int thing_write(void) { return open(file, O_WRONLY | O_CREAT, 0600); }
static int thing_truncate(void) { return open(file, O_RDONLY | O_TRUNC); }
static int thing_list(void)
{
	DIR *d = opendir(file);

	return d ? closedir(d) : -1;
}

static int thing_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	strncpy(to.sun_path, file, sizeof to.sun_path - 1);
	return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof to);
}

/* What the store does with what it was sent. */
static int thing_store(void)
{
	int fd = open("tmp", O_WRONLY | O_CREAT | O_TRUNC, 0640);

	return fd < 0 || write(fd, "x", 1) != 1 || fsync(fd) || mkdir("a", 0750) || mkdir("b", 0750) || rename("tmp", "a/1") ||
		link("a/1", "b/2") || symlink("a", "c") || unlink("b/2") || rmdir("b") ? -1 : 0;
}

static void *
thread_resolve(void *name)
{
	struct addrinfo *found, want = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG };
	int e = getaddrinfo(name, "443", &want, &found);

	/* Whether there is such a host is the network's business. */
	if (e == EAI_SYSTEM || e == EAI_MEMORY)
		return (void *)1;
	if (!e)
		freeaddrinfo(found);
	return NULL;
}

static int thing_resolve(void)
{
	pthread_t thread;
	void *bad;

	return pthread_create(&thread, NULL, thread_resolve, (void *)(uintptr_t)file) || pthread_join(thread, &bad) || bad ? -1 : 0;
}

static int thing_iconv(void)
{
	iconv_t converter = iconv_open("UTF-8", "CP949");

	return converter == (iconv_t)-1 ? -1 : iconv_close(converter);
}

static int thing_abort(void) { abort(); }

static const struct { const char *name; int (*try)(void); } things[] = {
#define T(name) { #name, thing_##name }
	T(exec), T(fork), T(clone3), T(trace), T(signal), T(signal_io), T(namespace), T(mount), T(bpf), T(uring), T(memfd), T(packet), T(netlink), T(listen), T(bind),
	T(limit), T(code), T(code_later), T(code_anonymous), T(module), T(read), T(write), T(truncate), T(list), T(connect), T(store), T(resolve),
	T(iconv), T(abort),
};

int
main(int argc, char **argv)
{
	static struct conf conf = { .db_password_file = "-", .egress_ca_file = "-", .views_log = "-", .templates_dir = "-" };
	struct confine_means means = confine_means();

	if (argc < 3)
		return printf("%s%s\n", means.seccomp ? "seccomp " : "", means.landlock ? "landlock" : "") < 0;
	conf.data_dir = argv[1];
	file = argv[3];
	if (chdir(argv[1]))
		return 66;
	confine(&conf);
	for (size_t i = 0; i < sizeof things / sizeof *things; i++)
		if (str_eq(things[i].name, argv[2])) {
			errno = 0;
			puts(things[i].try() < 0 ? strerrorname_np(errno) : "ok");
			return 0;
		}
	return 64;
}
