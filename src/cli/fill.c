/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fill.h"

#include "base/str.h"
#include "cli/file.h"
#include "store/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Opens the folder. Returns -1 after saying why it can't be used. */
static int
folder_open(struct cli *cli, const char *dir, bool *made)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct names names = { 0 };
	int fd;

	*made = mkdir(dir, 0777) == 0;
	fd = mem_fd(cli->c->mem, open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (fd < 0 || dir_list(c, c->mem, fd, ".", &names)) {
		cli_fail("%s: %s", dir, strerror(errno));
		fd = -1;
	} else if (names.n) {
		cli_fail("%s isn't empty: give a folder that is new or empty", dir);
		fd = -1;
	}
	ctx_end(c);
	return fd;
}

static bool
file_write(struct cli *cli, int root, const struct folder *o, const struct folder_file *f)
{
	char *bytes = NULL;
	bool good = path_plain(f->path) && folder_content(cli, o, f, &bytes);

	if (good && !file_write_at(cli, root, f->path, bytes, (size_t)f->size, RENAME_NOREPLACE))
		good = cli_fail("%s: %s", f->path, strerror(errno)) == EXIT_FINE;
	mem_free(bytes);
	return good;
}

/* Removes the first n files, and the folders that are empty then. */
static void
files_remove(struct cli *cli, int root, const struct folder *o, size_t n)
{
	while (n--) {
		char *path = mem_strdup(cli->c->mem, o->v[n].path), *slash;

		unlinkat(root, path, 0);
		while ((slash = strrchr(path, '/'))) {
			*slash = '\0';
			unlinkat(root, path, AT_REMOVEDIR);
		}
	}
}

int
fill_folder(struct cli *cli, const char *dir, const struct folder *o)
{
	bool made;
	int root = folder_open(cli, dir, &made);

	if (root < 0)
		return EXIT_REFUSED;
	for (size_t i = 0; i < o->n; i++)
		if (!file_write(cli, root, o, &o->v[i])) {
			files_remove(cli, root, o, i + 1);
			if (made)
				rmdir(dir);
			return cli_fail("%s: nothing was written", dir);
		}
	return EXIT_FINE;
}
