/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VITRINE_TABLES_H
#define VITRINE_TABLES_H
#include "http/req.h"

extern const struct route_list publish_routes_list, artifact_routes_list, version_routes_list,
    collaborator_routes_list, stats_routes_list;
extern const struct route_list account_routes_list, signin_routes_list, factor_routes_list,
    provider_routes_list, device_routes_list, access_routes_list, service_routes_list;
extern const struct route_list document_routes_list, data_page_routes_list;
extern const struct route_list blob_routes_list, blob_page_routes_list;
extern const struct route_list home_routes_list, artifact_page_routes_list, docs_routes_list,
    staff_routes_list;
extern const struct route_list table_routes_list, row_routes_list, table_page_routes_list,
    grid_page_routes_list, import_page_routes_list;
extern const struct route_list comment_routes_list, comment_page_routes_list, proxy_routes_list,
    agent_routes_list, workspace_routes_list, agenttoken_routes_list,
    context_routes_list, tier_routes_list, accesspolicy_routes_list,
    approval_routes_list, logo_routes_list, branding_routes_list,
    subdomain_routes_list;
extern const struct route_list job_routes_list;
extern const struct route_list metric_routes_list, metric_page_routes_list;
extern const struct route_list job_page_routes_list;
extern const struct route_list workspace_page_routes_list, agenttoken_page_routes_list,
    policy_page_routes_list, approval_page_routes_list, context_page_routes_list,
    member_page_routes_list, branding_page_routes_list;
extern const struct route_list govern_page_routes_list, audit_page_routes_list;
extern const struct route_list member_routes_list, invite_routes_list, invite_page_routes_list;
extern const struct route_list folder_page_routes_list, move_page_routes_list;
extern const struct route_list folder_routes_list, govern_routes_list, audit_routes_list;
#endif
