/* SPDX-License-Identifier: Apache-2.0 */
#include "store/shown.h"

#include "base/lease.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const char *const folders[] = { SHOWN_SITES, SHOWN_DELIVERIES },
			 *const hidden[] = { SHOWN_SITES ".hidden", SHOWN_DELIVERIES ".hidden" };
enum { FOLDERS = sizeof folders / sizeof *folders };

const char *
shown_name(int root, const char *folder)
{
	int i = 0;

	while (i < FOLDERS && !str_eq(folder, folders[i]))
		i++;
	if (i == FOLDERS || lease_role() == LEASE_ALONE || faccessat(root, folder, F_OK, 0) == 0)
		return folder;
	errno = 0;
	return hidden[i];
}

static bool
folder_set(int root, const char *from, const char *to, bool shown, bool *moved)
{
	char trash[64];

	if (renameat2(root, from, root, to, RENAME_NOREPLACE) == 0)
		return *moved = true;
	if (errno != EEXIST)
		return errno == ENOENT;
	/* Both names have a folder: we remove the empty one. If neither is empty, a folder that is
	 * to be hidden goes to the trash, and fsck finds it missing. */
	if (unlinkat(root, shown ? to : from, AT_REMOVEDIR) == 0)
		return *moved = !shown || renameat(root, from, root, to) == 0;
	snprintf(trash, sizeof trash, "trash/%s-%lld", from, (long long)lease_now_ms());
	return *moved = !shown && renameat(root, from, root, trash) == 0;
}

bool
shown_any(const struct conf *conf)
{
	int root = open(conf->data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool any = root < 0;

	for (int i = 0; i < FOLDERS && !any; i++)
		any = faccessat(root, folders[i], F_OK, 0) == 0 || errno != ENOENT;
	if (root >= 0)
		close(root);
	return any;
}

bool
shown_set(const struct conf *conf, bool shown)
{
	int root = open(conf->data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = root >= 0, moved = false;

	for (int i = 0; i < FOLDERS && root >= 0; i++)
		good &= folder_set(root, shown ? hidden[i] : folders[i],
		    shown ? folders[i] : hidden[i], shown, &moved);
	if (moved)
		good &= fsync(root) == 0;
	if (root >= 0)
		close(root);
	return good;
}
