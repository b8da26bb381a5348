/* SPDX-License-Identifier: Apache-2.0
 * The route tables of all nouns, in the order of the documentation. Each table is at the bottom of
 * its noun's file. */
#include "http/route.h"

#define LISTS(L) L(publish) L(artifact) L(version) L(fileview) L(starter) L(compare) \
	L(collaborator) L(stats) L(seen) \
	L(document) L(table) L(row) L(rowexport) L(tableview) L(summary) L(chart) \
	L(history) L(deleted) L(operation) L(import) \
	L(exposure) L(policy) L(metric) L(blob) L(comment) L(job) L(proxy) L(agent) L(asset) \
	L(own_asset) L(link) L(own_link) L(delivery) L(mcp) L(discovery) \
	L(oauth) L(grant) L(authorize) L(search) \
	L(workspace) L(logo) L(branding) L(subdomain) L(agenttoken) L(context) L(tier) L(billing) \
	L(knowledge) \
	L(accesspolicy) L(agentpolicy) L(approval) L(review) L(retention) L(standing) L(domain) \
	L(connection) L(connection_test) L(oauth_connection) L(catalog) \
	L(sharee) L(sharee_member) L(share_grant) L(sharee_note) L(sharee_act) L(shared) \
	L(member) L(invite) L(folder) L(ticket) L(govern) L(governed) L(governed_run) L(audit) \
	L(inbox) L(account) L(signin_page) L(factor) \
	L(provider) L(device) L(access) L(view_page) L(invite_page) L(service) L(home) \
	L(artifact_page) L(files_page) L(edit_page) L(table_from_page) L(compare_page) \
	L(domain_page) L(workspace_page) L(folder_page) L(move_page) L(member_page) \
	L(agenttoken_page) L(policies_page) L(branding_page) \
	L(inbox_page) L(approval_page) L(review_page) L(context_page) L(note_page) \
	L(learning_page) \
	L(govern_page) L(audit_page) L(data_page) L(blob_page) L(job_page) L(governed_page) \
	L(governed_job_page) L(comment_page) L(remarks_page) L(metric_page) L(library_page) \
	L(link_page) \
	L(chart_page) L(table_page) L(columns_page) L(retype_page) L(bulk_page) L(rules_page) \
	L(history_page) L(tableview_page) \
	L(grid_page) L(import_page) \
	L(delivery_page) L(client_page) \
	L(client_share_page) L(client_note_page) \
	L(client_token_page) L(client_settings_page) \
	L(connection_page) L(connection_form_page) L(connection_service_page) L(credentials_page) \
	L(share_page) L(shared_page) L(search_page) L(catalog_page) L(entry_page) \
	L(catalog_edit_page) L(billing_page) L(plans_page) L(paid_page) L(invoice_page) \
	L(ticket_page) L(ticket_staff_page) L(staff) L(docs)

#define DECLARE(noun) extern const struct route_list noun##_routes_list;
LISTS(DECLARE)

#define ENTRY(noun) &noun##_routes_list,
const struct route_list *const route_lists[] = { LISTS(ENTRY) NULL };
