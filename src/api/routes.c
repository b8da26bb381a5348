/* SPDX-License-Identifier: Apache-2.0
 * The tables of all nouns. Each stands at the bottom of its own file. */
#include "http/route.h"

#include "api/tables.h"

const struct route_list *const route_lists[] = {
	&publish_routes_list,
	&artifact_routes_list,
	&version_routes_list,
	&collaborator_routes_list,
	&account_routes_list,
	&signin_routes_list,
	&provider_routes_list,
	&device_routes_list,
	&access_routes_list,
	&service_routes_list,
	NULL,
};
