/* SPDX-License-Identifier: Apache-2.0
 * vitrine-worker without a look at the lease, with which rounds.pl --unleased must find violations. Linked with --wrap=lease_active. */
#include <stdbool.h>

bool __wrap_lease_active(void);

bool
__wrap_lease_active(void)
{
	return true;
}

#include "bin/worker.c"
