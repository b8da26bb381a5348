/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl: the operator's tool. */
#include "admin/cmd.h"

int
main(int argc, char **argv)
{
	return cmd_main(argc, argv);
}
