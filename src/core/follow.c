/* SPDX-License-Identifier: Apache-2.0 */
#include "core/follow.h"

enum err
follow(struct ctx *c, enum happening of, const struct happened *h)
{
	for (const struct follows *const *noun = followers; *noun; noun++)
		for (const struct follows *f = *noun; f->then; f++)
			if (f->of == of) {
				TRY(f->then(c, h));
				if (h->more && *h->more)
					return E_OK;
			}
	return E_OK;
}
