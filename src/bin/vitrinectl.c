/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl: the operator's tool. */
#include "admin/cmd.h"
#include "base/unicode.h"

int
main(int argc, char **argv)
{
	unicode_open();
	return cmd_main(argc, argv);
}
