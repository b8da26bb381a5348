/* SPDX-License-Identifier: Apache-2.0
 * Where backups are: named pieces at backup_url. Only place.c knows that it is a folder, or a place
 * in an object store. Names are relative paths of plain segments. A piece is whole or isn't there.
 */
#ifndef VITRINE_PLACE_H
#define VITRINE_PLACE_H
#include "base/ctx.h"
#include "ext/s3.h"
#include "store/beneath.h"

struct place {
	const char *name; /* for messages */
	int root;         /* the folder; with a store, data_dir/archive, for temporaries */
	bool stored;
	struct s3 at;
};
/* Fails, with a message for the operator, if backup_url isn't there. A store isn't asked yet. It is
 * open until owner is freed. */
enum err place_open(struct ctx *c, void *owner, struct place *out);

/* A piece that is being written to fd. place_puts_end() makes pieces durable, then names them, and
 * replaces those of these names; without that, a piece is removed with its owner. */
struct put {
	const struct place *place;
	const char *name, *temp; /* temp is NULL when the piece has its name */
	int root, fd; /* root: the place's, which temp is below; the owner may outlive the place */
	uint8_t sha256[SHA256_BYTES];
};
enum { PLACE_PUTS = 8 }; /* as many pieces are stored at once */
enum err place_put(struct ctx *c, void *owner, const struct place *, const char *name,
    struct put **out);
enum err place_puts_end(struct ctx *c, struct put *const *, size_t n);
enum err place_put_end(struct ctx *c, struct put *);

/* Opens a piece for reading. E_NOT_FOUND, naming it, if it isn't there; place_find() then sets *fd
 * to -1 instead. */
enum err place_get(struct ctx *c, void *owner, const struct place *, const char *name, int *fd);
enum err place_find(struct ctx *c, void *owner, const struct place *, const char *name, int *fd);
/* Lists the names in a folder of the place, in order, without the folder's own. */
enum err place_list(struct ctx *c, void *owner, const struct place *, const char *folder,
    struct names *out);
enum err place_delete(struct ctx *c, const struct place *, const char *name); /* may be gone */
/* Deletes pieces that a killed process has left half written a day ago. */
enum err place_tidy(struct ctx *c, const struct place *);

/* Returns the path of a file or folder of this installation's state, data_dir/archive/name. */
const char *archive_path(struct ctx *c, const char *name);
#endif
