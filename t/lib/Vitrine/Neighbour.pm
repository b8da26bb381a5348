# SPDX-License-Identifier: Apache-2.0
# A big neighbour, made by SQL: rows of others in every table that grows with people. What a small user's request or a run of the runner
# costs must not depend on how many there are. On disk there is nothing of it.
package Vitrine::Neighbour;
use strict;
use warnings;
use Vitrine::Db;
use Vitrine::World;

# N: the number; BIG owns half of all artifacts, the others have one each. Ids sort after those of the small user, where a list begins.
my @rows = (
	user => "id, email, name, created_at SELECT CONCAT('usr_Z', LPAD(N, 25, '0')), CONCAT('n', N, '\@neighbour.example'), 'N', 1",
	# Guests too, half of them in a client.
	user => "id, kind, invited_email, name, outside, created_at "
		. "SELECT CONCAT('usr_Y', LPAD(N, 25, '0')), 'guest', CONCAT('g', N, '\@neighbour.example'), '', TRUE, UNIX_TIMESTAMP()",
	connection => "id, workspace_id, provider, kind, name, name_key, auth_mode, config, created_by, created_at, updated_at "
		. "SELECT CONCAT('con_Z', LPAD(N, 25, '0')), TEAM, 'http', 'http', CONCAT('c', N), CONCAT('c', N), 'member', "
		. "'{\"base_url\":\"https://x.example\",\"auth\":\"bearer\"}', WHO, 1, 1",
	connection_state => "hash, workspace_id, user_id, provider, sealed, expires_at "
		. "SELECT UNHEX(SHA2(CONCAT('begun', N), 256)), TEAM, WHO, 'crm', 'x', NOW + 1000000",
	connection_credential =>
		"connection_id, holder, user_id, sealed, updated_at SELECT CONCAT('con_Z', LPAD(N, 25, '0')), WHO, WHO, 'x', 1",
	catalog_entry => "id, workspace_id, path, path_key, sha256, kind, title, status, tags, fields, upstream, words, source_kind, "
		. "source_artifact_id, seeded, created_at, updated_at, updated_by SELECT CONCAT('cat_Z', LPAD(N, 25, '0')), "
		. "CONCAT('wsp_Z', LPAD(1 + N % 100, 25, '0')), CONCAT('n', N, '.md'), UNHEX(SHA2(CONCAT('n', N, '.md'), 256)), "
		. "UNHEX(SHA2('x', 256)), 'page', 'N', 'draft', 'daily', '[]', '', 'n', 'page', ART, 0, 1, 1, WHO",
	catalog_file => "entry_id, content SELECT CONCAT('cat_Z', LPAD(N, 25, '0')), 'x'",
	catalog_upstream => "entry_id, path_key, workspace_id SELECT CONCAT('cat_Z', LPAD(N, 25, '0')), UNHEX(SHA2(CONCAT('n', N + 1, "
		. "'.md'), 256)), CONCAT('wsp_Z', LPAD(1 + N % 100, 25, '0'))",
	catalog_mention => "entry_id, to_key, workspace_id SELECT CONCAT('cat_Z', LPAD(N, 25, '0')), UNHEX(SHA2(CONCAT('n', N + 1, '.md'), "
		. "256)), CONCAT('wsp_Z', LPAD(1 + N % 100, 25, '0'))",
	sharee => "id, workspace_id, name, name_key, logo, logo_sha256, logo_size, created_at SELECT CONCAT('shr_Z', LPAD(N, 25, '0')), "
		. "TEAM, CONCAT('c', N), CONCAT('c', N), LPAD(HEX(N), 32, 'b'), UNHEX(SHA2('common', 256)), 6, 1",
	sharee_member => "sharee_id, user_id, workspace_id, created_at "
		. "SELECT CONCAT('shr_Z', LPAD(N, 25, '0')), CONCAT('usr_Y', LPAD(N, 25, '0')), TEAM, 1",
	share_grant => "id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, created_by, created_at "
		. "SELECT CONCAT('grt_Z', LPAD(N, 25, '0')), TEAM, IF(N % 2, 'sharee', 'external_user'), CONCAT(IF(N % 2, 'shr_Z', "
		. "'usr_Y'), LPAD(N, 25, '0')), 'artifact', ART, 'view', WHO, 1",
	sharee_note => "sharee_id, name, content, sha256, size_bytes, updated_at, updated_by "
		. "SELECT CONCAT('shr_Z', LPAD(N, 25, '0')), 'README.md', 'x', UNHEX(SHA2('x', 256)), 1, 1, WHO",
	sharee_act => "id, workspace_id, user_id, action, resource_type, resource_id, resource_name, at, slice SELECT CONCAT('sac_Z', "
		. "LPAD(N, 25, '0')), TEAM, CONCAT('usr_Y', LPAD(N, 25, '0')), 'view', 'artifact', ART, 'N', NOW, NOW DIV 600",
	token => "id, hash, user_id, name, created_at, expires_at "
		. "SELECT CONCAT('tok_Z', LPAD(N, 25, '0')), UNHEX(SHA2(CONCAT('token', N), 256)), WHO, 'N', 1, NOW + 1000000",
	password => "user_id, hash, changed_at SELECT CONCAT('usr_Z', LPAD(N, 25, '0')), 'x', 1",
	session => "id, hash, user_id, kind, created_at, last_used_at, expires_at, address, agent SELECT CONCAT('ses_Z', LPAD(N, 25, '0')),"
		. " UNHEX(SHA2(CONCAT('session', N), 256)), WHO, 'password', 1, NOW, NOW + 1000000, '', ''",
	known_browser => "user_id, hash, last_used_at SELECT WHO, UNHEX(SHA2(CONCAT('browser', N), 256)), NOW",
	password_link => "hash, user_id, expires_at SELECT UNHEX(SHA2(CONCAT('link', N), 256)), WHO, NOW + 1000000",
	factor => "user_id, sealed, last_step, on_at SELECT CONCAT('usr_Z', LPAD(N, 25, '0')), 'x', 0, 1",
	factor_recovery => "user_id, hash SELECT WHO, UNHEX(SHA2(CONCAT('recovery', N), 256))",
	factor_setup => "session_id, sealed, created_at SELECT CONCAT('ses_Z', LPAD(N, 25, '0')), 'x', NOW",
	factor_login => "hash, user_id, tries, expires_at SELECT UNHEX(SHA2(CONCAT('factor', N), 256)), WHO, 0, NOW + 1000000",
	identity => "issuer, subject, id, user_id, email, created_at, last_used_at "
		. "SELECT 'https://x.example', CONCAT('n', N), CONCAT('idn_Z', LPAD(N, 25, '0')), WHO, '', 1, 1",
	email_alias => "email, user_id SELECT CONCAT('alias', N, '\@neighbour.example'), WHO",
	provider_login => "state_hash, browser_hash, provider, nonce, verifier, next, expires_at "
		. "SELECT UNHEX(SHA2(CONCAT('state', N), 256)), '', 'x', '', '', '/', NOW + 1000000",
	device_login => "device_hash, user_code_hash, state, address, agent, created_at, expires_at, poll_s, polled_at"
		. " SELECT UNHEX(SHA2(CONCAT('device', N), 256)), UNHEX(SHA2(CONCAT('code', N), 256)), 'pending', '127.0.0.1', '', 1, "
		. "NOW + 1000000, 5, 0",
	agent_grant => "id, user_id, own_only, scopes, client_id, name, host, created_at, expires_at, last_used_at, code_hash, code_until, "
		. "redeemed, redirect_uri, challenge, reap_at"
		. " SELECT CONCAT('ogr_Z', LPAD(N, 25, '0')), WHO, 0, 15, 'x', 'N', 'x.example', 1, NOW + 1000000, 1, "
		. "UNHEX(SHA2(CONCAT('grant', N), 256)), 1, 1, 'https://x.example/', 'x', NOW + 1000000",
	agent_refresh => "hash, grant_id, expires_at "
		. "SELECT UNHEX(SHA2(CONCAT('refresh', N), 256)), CONCAT('ogr_Z', LPAD(N, 25, '0')), NOW + 1000000",
	agent_act => "id, grant_id, at, what, artifact_id, request_id "
		. "SELECT CONCAT('act_Z', LPAD(N, 25, '0')), CONCAT('ogr_Z', LPAD(N, 25, '0')), NOW, 'x', ART, 'x'",
	# One in ten lies in the trash.
	artifact => "id, owner_id, workspace_id, folder_id, name, slug, visibility, live_no, last_no, deleted_at, created_at, updated_at "
		. "SELECT ART, WHO, IF(N % 2, TEAM, NULL), IF(N % 4 = 1, CONCAT('fld_Z', LPAD(N % 1000, 25, '0')), NULL), 'Neighbour', "
		. "CONCAT('n', N),"
		. " IF(N % 3, 'public', 'private'), 1, 1, IF(N % 10, NULL, NOW), 1, 1",
	# Half are of one workspace, which everybody is in.
	workspace => "id, name, slug, features_on, subdomain, logo, logo_sha256, logo_size, people, created_at, updated_at, deleted_at "
		. "SELECT CONCAT('wsp_Z', LPAD(N, 25, '0')), 'Team', CONCAT('team-', N), 4, IF(N > 1 AND N % 10 = 0, NULL, "
		. "CONCAT('label-', N)), MD5(N), UNHEX(SHA2(IF(N % 1000, 'common', CONCAT('blob', N)), 256)), 6, 1, 1, 1, IF(N > 1 "
		. "AND N % 10 = 0, NOW, NULL)",
	workspace_slug => "slug, workspace_id, released_at SELECT CONCAT('team-', N), CONCAT('wsp_Z', LPAD(N, 25, '0')), NULL",
	workspace_slug => "slug, workspace_id, released_at SELECT CONCAT('once-', N), CONCAT('wsp_Z', LPAD(N, 25, '0')), NOW",
	member => "workspace_id, user_id, role, joined_at SELECT TEAM, CONCAT('usr_Z', LPAD(N, 25, '0')), IF(N = 1, 'owner', 'member'), 1",
	member => "workspace_id, user_id, role, joined_at "
		. "SELECT CONCAT('wsp_Z', LPAD(N + 1, 25, '0')), CONCAT('usr_Z', LPAD(N, 25, '0')), 'owner', 1",
	billing_account => "workspace_id, customer, card_id, last_invoice_no "
		. "SELECT CONCAT('wsp_Z', LPAD(N, 25, '0')), CONCAT('cus_', N), 'card_1', 1",
	billing_trial_card => "card_print, used_at SELECT UNHEX(SHA2(CONCAT('card', N), 256)), 1",
	subscription => "id, workspace_id, live_of, plan_id, price_cents, currency, seats, anchor_at, period_start, period_end, due_at, "
		. "created_by, created_at "
		. "SELECT CONCAT('sub_Z', LPAD(N, 25, '0')), CONCAT('wsp_Z', LPAD(N, 25, '0')), CONCAT('wsp_Z', LPAD(N, 25, '0')),"
		. " 'pro', 800, 'USD', 1, 1, 1, NOW + 1000000, NOW + 1000000, WHO, 1",
	subscription_move => "subscription_id, no, workspace_id, what, user_id, at "
		. "SELECT CONCAT('sub_Z', LPAD(N, 25, '0')), 1, CONCAT('wsp_Z', LPAD(N, 25, '0')), 'subscribed', WHO, 1",
	invoice => "id, workspace_id, no, subscription_id, kind, status, amount_cents, currency, period_start, period_end, description, "
		. "line_items, intent, asked_by, payment_id, paid_at, check_at, created_at "
		. "SELECT CONCAT('ivc_Z', LPAD(N, 25, '0')), CONCAT('wsp_Z', LPAD(N, 25, '0')), 1,"
		. " CONCAT('sub_Z', LPAD(N, 25, '0')), 'renew', 'paid', 800, 'USD', 1, 2, 'x', '[]', '{}', WHO, CONCAT('pay_', N), 1, "
		. "NOW + 1000000, 1",
	invoice_try => "invoice_id, no, at, state, check_at SELECT CONCAT('ivc_Z', LPAD(N, 25, '0')), 1, 1, 'paid', NOW + 1000000",
	billing_checkout => "nonce_sha256, workspace_id, purpose, amount_cents, currency, link_id, made_by, made_at, expires_at, check_at "
		. "SELECT UNHEX(SHA2(CONCAT('nonce', N), 256)), CONCAT('wsp_Z', LPAD(N, 25, '0')), 'card', 0, 'USD', CONCAT('link_', N), "
		. "WHO, 1, NOW + 1000000, NOW + 1000000",
	billing_refund => "payment_id, workspace_id, why, made_at, due_at "
		. "SELECT CONCAT('pay_back_', N), CONCAT('wsp_Z', LPAD(N, 25, '0')), 'x', 1, NOW + 7000",
	billing_event => "id, kind, payment_id, received_at, due_at SELECT CONCAT('evt_', N), 'x', 'x', NOW, NOW + 7000",
	approval => "id, workspace_id, artifact_id, version_no, visibility, requested_by, required, status, created_at, expires_at "
		. "SELECT CONCAT('apr_Z', LPAD(N, 25, '0')), TEAM, ART, 1, 'public', WHO, 1, 'pending', 1, NOW + 1000000",
	merge_candidate => "id, artifact_id, user_id, version_no, request, created_at, expires_at "
		. "SELECT CONCAT('cnd_Z', LPAD(N, 25, '0')), ART, WHO, 1, '{}', 1, NOW + 1000000",
	merge_file => "candidate_id, path, artifact_id, sha256, size_bytes, mime, declared, conflict "
		. "SELECT CONCAT('cnd_Z', LPAD(N, 25, '0')), 'a', ART, UNHEX(SHA2(CONCAT('merge', N), 256)), 1, 'text/plain', FALSE, TRUE",
	approver => "approval_id, user_id, named SELECT CONCAT('apr_Z', LPAD(N, 25, '0')), WHO, TRUE",
	standing_approval => "id, artifact_id, grant_id, visibility, granted_by, created_at, expires_at "
		. "SELECT CONCAT('sta_Z', LPAD(N, 25, '0')), ART, CONCAT('ogr_Z', LPAD(N, 25, '0')), 'public', WHO, 1, NOW + 1000000",
	workspace_allowed => "workspace_id, value SELECT TEAM, CONCAT('n', N, '\@neighbour.example')",
	context_file => "workspace_id, name, content, sha256, size_bytes, updated_at, updated_by "
		. "SELECT CONCAT('wsp_Z', LPAD(N, 25, '0')), 'README.md', 'x', UNHEX(SHA2('x', 256)), 1, 1, WHO",
	invite => "id, workspace_id, email, role, status, hash, invited_by, created_at, sent_at, mailed, expires_at SELECT CONCAT('inv_Z', "
		. "LPAD(N, 25, '0')), TEAM, CONCAT('invited', N, '\@neighbour.example'), 'member', IF(N % 2, 'pending', 'revoked'),"
		. " UNHEX(SHA2(CONCAT('invite', N), 256)), WHO, 1, 1, 0, NOW + 1000000",
	audit => "id, workspace_id, at, actor_id, actor_name, action, target_type, target_id, target_name "
		. "SELECT CONCAT('aud_Z', LPAD(N, 25, '0')), TEAM, NOW, WHO, 'N', 'workspace.changed', 'workspace', TEAM, 'Team'",
	# A hundred in each.
	folder => "id, workspace_id, name, name_key, created_by, created_at, updated_at "
		. "SELECT CONCAT('fld_Z', LPAD(N, 25, '0')), TEAM, CONCAT('Folder ', N), CONCAT('folder ', N), WHO, 1, 1",
	slug => "slug, owner_id, artifact_id, released_at SELECT CONCAT('n', N), WHO, ART, IF(N % 10, NULL, NOW)",
	slug => "slug, owner_id, artifact_id, released_at SELECT CONCAT('former', N), WHO, ART, NOW",
	slug => "slug, workspace_id, released_at SELECT CONCAT('label-', N), CONCAT('wsp_Z', LPAD(N, 25, '0')), IF(N % 10, NULL, NOW)",
	site_link => "artifact_id, name SELECT ART, CONCAT('n', N, '--label-1')",
	version => "artifact_id, version_no, id, created_at, created_by, first_live_at, is_open, entrypoint, mobile_sha256, mobile_size, "
		. "icon_sha256, icon_size, file_count, size_bytes"
		. " SELECT ART, 1, CONCAT('ver_Z', LPAD(N, 25, '0')), 1, WHO, 1, 1, 'index.html', IF(N % 3, UNHEX(SHA2(CONCAT('mobile', "
		. "N), 256)), NULL), 1,"
		. " IF(N % 4, UNHEX(SHA2(CONCAT('icon', N), 256)), NULL), 1, 2, 2",
	# And all have a file in common, with the small user too.
	version_file => "artifact_id, version_no, path, sha256, size_bytes, mime, declared "
		. "SELECT ART, 1, 'index.html', UNHEX(SHA2(CONCAT('file', N), 256)), 1, 'text/html', 0",
	version_file => "artifact_id, version_no, path, sha256, size_bytes, mime, declared "
		. "SELECT ART, 1, 'common.txt', UNHEX(SHA2('common', 256)), 6, 'text/plain', 0",
	view => "artifact_id, version_no, path, source, kind, renderer, sha256, size_bytes, title, made_at "
		. "SELECT ART, 1, 'common.txt.html', 'common.txt', 'code', 'code-1', UNHEX(SHA2(CONCAT('view', N), 256)), 1, 'c', 1",
	artifact_storage => "artifact_id, workspace_id, bytes, views, views_until SELECT ART, IF(N % 2, TEAM, NULL), 7 + IF(N % 3, 1, 0) "
		. "+ IF(N % 4, 1, 0), IF(N % 300 < 30, 5, 0), IF(N % 300 < 30, NOW DIV 86400 - N % 300 + 30, NULL)",
	storage => "user_id, bytes SELECT CONCAT('usr_Z', LPAD(N, 25, '0')), 9",
	owned_object => "owner_id, sha256, size_bytes SELECT WHO, UNHEX(SHA2(CONCAT('file', N), 256)), 1",
	viewer => "hash, kind, artifact_id, session_id, expires_at "
		. "SELECT UNHEX(SHA2(CONCAT('viewer', N), 256)), 'cookie', ART, CONCAT('ses_Z', LPAD(N, 25, '0')), NOW + 1000000",
	collaborator => "artifact_id, user_id, role, created_at "
		. "SELECT ART, CONCAT('usr_Z', LPAD(1 + N % LAST, 25, '0')), IF(N % 2, 'viewer', 'editor'), 1",
	collaborator_pending => "artifact_id, email, role, created_at SELECT ART, CONCAT('pending', N, '\@neighbour.example'), 'viewer', 1",
	favorite => "user_id, artifact_id, created_at SELECT WHO, ART, 1",
	access_request => "id, artifact_id, workspace_id, email, message, state, created_at SELECT CONCAT('acr_Z', LPAD(N, 25, '0')), ART, "
		. "IF(N % 2, TEAM, NULL), CONCAT('asks', N, '\@neighbour.example'), '', 'pending', 1",
	comment => "id, artifact_id, author_id, path, body, created_at, state "
		. "SELECT CONCAT('cmt_Z', LPAD(N, 25, '0')), ART, WHO, '/x', 'said', 1, IF(N % 100, 'resolved', 'open')",
	comment_place => "comment_id, version_no, status SELECT CONCAT('cmt_Z', LPAD(N, 25, '0')), 1, 'here'",
	comment_mention => "comment_id, user_id SELECT CONCAT('cmt_Z', LPAD(N, 25, '0')), WHO",
	# Half are people's.
	note => "id, workspace_id, path, path_key, title, size_bytes, sha256, origin, artifact_id, version_no, learned_at, created_at, "
		. "updated_at, updated_by SELECT CONCAT('note_Z', LPAD(N, 25, '0')), TEAM, IF(N % 2, CONCAT('n', N, '.md'), NULL),"
		. " IF(N % 2, UNHEX(SHA2(CONCAT('n', N, '.md'), 256)), NULL), 'N', 1, UNHEX(SHA2('x', 256)), IF(N % 2, 'human', "
		. "'learned'), IF(N % 2, NULL, ART), IF(N % 2, NULL, 1), IF(N % 2, NULL, 1), 1, 1, IF(N % 2, WHO, NULL)",
	note_text => "note_id, content SELECT CONCAT('note_Z', LPAD(N, 25, '0')), 'x'",
	note_link => "note_id, no, workspace_id, path, path_key, slug, said_before, said, said_after "
		. "SELECT CONCAT('note_Z', LPAD(N, 25, '0')), 0, TEAM, 'index.md', UNHEX(SHA2('index.md', 256)), NULL, '', 'x', ''",
	note_newer => "note_id, version_no, title, content, learned_at SELECT CONCAT('note_Z', LPAD(N, 25, '0')), 1, 'N', 'y', 1",
	note_mention => "note_id, entry_id, workspace_id "
		. "SELECT CONCAT('note_Z', LPAD(N, 25, '0')), CONCAT('cat_Z', LPAD(N, 25, '0')), TEAM",
	note_edit => "note_id, no, content, size_bytes, at, learned, user_id "
		. "SELECT CONCAT('note_Z', LPAD(N, 25, '0')), 1, 'x', 1, 1, FALSE, WHO",
	metric_watch => "id, artifact_id, created_by, table_name, kind, threshold_pct, baseline, created_at "
		. "SELECT CONCAT('wat_Z', LPAD(N, 25, '0')), ART, WHO, 'guests', 'row_count', 10, 1, 1",
	metric_alert => "id, artifact_id, name, table_name, kind, op, value, breaches, enabled, state_since, created_at, updated_at "
		. "SELECT CONCAT('alr_Z', LPAD(N, 25, '0')), ART, 'n', 'guests', 'row_count', 'above', 9, 1, 1, 1, 1, 1",
	metric_subscription => "alert_id, user_id, created_at SELECT CONCAT('alr_Z', LPAD(N, 25, '0')), WHO, 1",
	metric_destination => "id, alert_id, place, type, email "
		. "SELECT CONCAT('dst_Z', LPAD(N, 25, '0')), CONCAT('alr_Z', LPAD(N, 25, '0')), 0, 'email', 'n\@neighbour.example'",
	job => "id, artifact_id, workspace_id, created_by, action, trigger_type, schedule, event_type, config, max_attempts, backoff, "
		. "initial_delay, next_run_at, created_at, updated_at "
		. "SELECT CONCAT('job_Z', LPAD(N, 25, '0')), ART, IF(N % 2, TEAM, NULL), WHO,"
		. " 'email', IF(N % 2, 'cron', 'event'), IF(N % 2, '0 9 * * *', NULL), IF(N % 2, NULL, 'artifact.updated'), '{}', 3, "
		. "'exponential', 60, IF(N % 2, NOW + 1000000, NULL), 1, 1",
	job_run => "id, job_id, artifact_id, workspace_id, surface, occasion, cause, status, lane, turn, scheduled_for, attempt, "
		. "started_at, finished_at, duration_ms SELECT CONCAT('run_Z', LPAD(N, 25, '0')), CONCAT('job_Z', LPAD(N, 25, '0')), ART, "
		. "IF(N % 2, TEAM, NULL), IF(N % 2, 'schedule', 'automation'),"
		. " 'at:1', 'cron', 'success', 1, 1, 1, 1, 1, NOW, 1",
	job_attempt => "run_id, no, started_at, duration_ms SELECT CONCAT('run_Z', LPAD(N, 25, '0')), 1, 1, 1",
	run_day => "workspace_id, day, surface, success, failed, skipped, took_ms, longest_ms "
		. "SELECT CONCAT('wsp_Z', LPAD(N, 25, '0')), NOW DIV 86400, 'schedule', 1, 1, 1, 1, 1",
	run_notice => "workspace_id, user_id SELECT CONCAT('wsp_Z', LPAD(N, 25, '0')), WHO",
	proxy_host => "artifact_id, host SELECT ART, 'api.example.org'",
	view_day => "artifact_id, day, views, entry_views, version_views, bot_views SELECT ART, NOW DIV 86400 - N % 300, 5, 1, 1, 1",
	document => "artifact_id, body, sha256, size_bytes, updated_at "
		. "SELECT ART, CONCAT('{\"n\":', N, '}'), UNHEX(SHA2(CONCAT('{\"n\":', N, '}'), 256)), 20, 1",
	data_table => "no, artifact_id, name, fields, row_count, size_bytes, created_at, updated_at "
		. "SELECT 1000000 + N, ART, 'guests', '[[\"a\",\"text\",0,1]]', 5000, 45000, 1, 1",
	data_row => "table_no, id, shape_no, doc, c0 SELECT 1000000 + N, UNHEX(LPAD(HEX(N), 32, '0')), 1, '{\"a\":\"x\"}', '\@x'",
	data_key => "table_no, k, row_id SELECT 1000000 + N, '\@x', UNHEX(LPAD(HEX(N), 32, '0'))",
	data_cell => "table_no, slot, k, row_id SELECT 1000000 + N, 0, '\@x', UNHEX(LPAD(HEX(N), 32, '0'))",
	data_summary => "table_no, digest, change_no, body, row_n, group_n, truncated, as_of "
		. "SELECT 1000000 + N, UNHEX(SHA2(N, 256)), 1, '[]', 0, 0, 0, NOW",
	# Nearly all have the same bytes, which are there.
	artifact_blob => "id, artifact_id, filename, mime, sha256, size_bytes, created_by, created_at "
		. "SELECT CONCAT('blb_Z', LPAD(N, 25, '0')), ART, 'n.txt', 'text/plain',"
		. " UNHEX(SHA2(IF(N % 1000, 'common', CONCAT('blob', N)), 256)), 6, WHO, 1",
	asset_bucket => "id, files, bytes SELECT CONCAT('bkt_Z', LPAD(N, 25, '0')), 1, 6",
	asset_upload => "id, hash, bucket_id, user_id, expires_at SELECT CONCAT('upl_Z', LPAD(N, 25, '0')), UNHEX(SHA2(CONCAT('upload', "
		. "N), 256)), CONCAT('bkt_Z', LPAD(N, 25, '0')), WHO, NOW + 1000000",
	asset_blob => "id, bucket_id, user_id, deliverable_id, filename, mime, sha256, size_bytes, created_at SELECT CONCAT('blb_Y', "
		. "LPAD(N, 25, '0')), CONCAT('bkt_Z', LPAD(N, 25, '0')), WHO, CONCAT('dlv_Z', LPAD(N, 25, '0')), 'n.txt',"
		. " 'text/plain', UNHEX(SHA2(IF(N % 1000, 'common', CONCAT('asset', N)), 256)), 6, 1",
	asset_preview => "input_sha256, film, sha256, size_bytes, due_at SELECT UNHEX(SHA2(CONCAT('asset', N), 256)), N % 2, "
		. "UNHEX(SHA2(IF(N % 2, 'common', CONCAT('preview', N)), 256)), 6, IF(N % 5, NULL, NOW + 7000)",
	deliverable => "id, bucket_id, owner_id, name, visibility, version, blob_id, created_at, updated_at SELECT CONCAT('dlv_Z', LPAD(N, "
		. "25, '0')), CONCAT('bkt_Z', LPAD(N, 25, '0')), WHO, 'n.txt', 'private', 1, CONCAT('blb_Y', LPAD(N, 25, '0')), 1, 1",
	asset_collection => "id, bucket_id, user_id, name, created_at "
		. "SELECT CONCAT('col_Z', LPAD(N, 25, '0')), CONCAT('bkt_Z', LPAD(N, 25, '0')), WHO, 'n.txt', 1",
	asset_collection_file =>
		"collection_id, place, deliverable_id SELECT CONCAT('col_Z', LPAD(N, 25, '0')), 0, CONCAT('dlv_Z', LPAD(N, 25, '0'))",
	delivery_link => "id, hash, sealed, collection_id, bucket_id, user_id, name, gate, created_at "
		. "SELECT CONCAT('lnk_Z', LPAD(N, 25, '0')), UNHEX(SHA2(CONCAT('link', N), 256)), 'x', CONCAT('col_Z', LPAD(N, 25, '0')),"
		. " CONCAT('bkt_Z', LPAD(N, 25, '0')), WHO, 'n.txt', 'none', 1",
	delivery_code => "link_id, email, code, expires_at SELECT CONCAT('lnk_Z', LPAD(N, 25, '0')), 'x', '000000', NOW + 1000000",
	deliverable_version => "deliverable_id, version, blob_id, created_by, created_at "
		. "SELECT CONCAT('dlv_Z', LPAD(N, 25, '0')), 1, CONCAT('blb_Y', LPAD(N, 25, '0')), WHO, 1",
	blob_usage => "artifact_id, blobs, bytes SELECT ART, 1, 6",
	# Most have a picture, of which half are the same; some want one, later.
	picture => "artifact_id, version_no, sha256, size_bytes, wanted_at, due_at "
		. "SELECT ART, 1, UNHEX(SHA2(IF(N % 2, 'common', CONCAT('picture', N)), 256)), 6, 1, IF(N % 5, NULL, NOW + 7000)",
	# Programs of the former release write it.
	page_check => "artifact_id, version_no, wanted_at SELECT ART, 1, 1",
	page_seen => "artifact_id, version_no, due_at, seen_at, seen, sha256, size_bytes, phone_sha256, phone_size "
		. "SELECT ART, 1, IF(N % 5, NULL, NOW + 7000), 1, '{\"ok\":true,\"items\":[]}', "
		. "UNHEX(SHA2(IF(N % 2, 'common', CONCAT('seen', N)), 256)), 6, "
		. "UNHEX(SHA2(IF(N % 2, 'common', CONCAT('phone', N)), 256)), 6",
	compare_picture => "artifact_id, from_no, to_no, page_no, path, due_at, looked_at, found, from_sha256, from_size, "
		. "to_sha256, to_size "
		. "SELECT ART, 1, 2, 0, 'index.html', IF(N % 5, NULL, NOW + 7000), NOW, '{\"changed\":0}', "
		. "UNHEX(SHA2(IF(N % 2, 'common', CONCAT('from', N)), 256)), 6, UNHEX(SHA2(IF(N % 2, 'common', CONCAT('to', N)), 256)), 6",
	pdf_page => "artifact_id, input_sha256, page_no, due_at, looked_at, pages, sha256, size_bytes "
		. "SELECT ART, UNHEX(SHA2(IF(N % 1000, 'common', CONCAT('pdf', N)), 256)), 1, IF(N % 5, NULL, NOW + 7000), NOW, 9, "
		. "UNHEX(SHA2(IF(N % 2, 'common', CONCAT('leaf', N)), 256)), 6",
	version_hold => "artifact_id, version_no, user_id, goes_live, until_at SELECT ART, 1, WHO, 1, NOW + 600",
	page_text => "artifact_id, version_no, body SELECT ART, 1, 'a site'",
	# A few wait, later.
	learning => "artifact_id, workspace_id, version_no, outcome, wanted_at, due_at, at "
		. "SELECT ART, TEAM, 1, IF(N % 5, 'learned', 'waiting'), 1, IF(N % 5, NULL, NOW + 7000), 1",
	learning_day => "workspace_id, day, summaries SELECT CONCAT('wsp_Z', LPAD(N, 25, '0')), CURRENT_DATE, 1",
	search_space => "no, audience SELECT 1000000 + N, CONCAT('wsp_Z', LPAD(N, 25, '0'), '*')",
	search_thing => "no, kind, id, spaces, words "
		. "SELECT 1000000 + N, 1, ART, CONCAT('[\"wsp_Z', LPAD(N, 25, '0'), '*\"]'), '[\"1 1\",\"1site\"]'",
	search_post => "space, word, thing, kind, field SELECT 1000000 + N, 'site', 1000000 + N, 1, 1",
	search_page => "space, word, thing, kind, field SELECT 1000000 + N, 'site', 1000000 + N, 1, 4",
	search_near => "space, near, word SELECT 1000000 + N, IF(N % 4, 'sit', '='), 'site'",
	search_recent => "user_id, kind, id, at SELECT CONCAT('usr_Z', LPAD(N, 25, '0')), 1, ART, NOW",
	idempotency => "user_id, idem_key, request_sha256, status, body, created_at SELECT WHO, CONCAT('key', N), '', 201, '{}', NOW",
	mail_tried => "digest, tried_at SELECT UNHEX(SHA2(N, 256)), NOW",
	backup_proof => "proved_at, to_second, seconds, bytes, base, why SELECT NOW, NOW, 1, 1, 'base/1', NULL",
	outbox => "id, kind, subject, payload, due_at, attempts SELECT CONCAT('out_Z', LPAD(N, 25, '0')), IF(N % 2, 'mail', 'project'), "
		. "IF(N % 2, 'n\@neighbour.example', ART), '{}', NOW + 7000, 1",
	mail_budget => "kind, subject, day, used SELECT 'recipient', CONCAT('n', N, '\@neighbour.example'), NOW DIV 86400, 1",
	mail_failed => "id, recipient, template, attempts, failed_at, reason "
		. "SELECT CONCAT('out_Y', LPAD(N, 25, '0')), 'n\@neighbour.example', 'mail_test', 1, NOW - 100000, ''",
	map({ @{$_->{rows} // []} } @Vitrine::World::nouns),
);

# Neighbours $from to $to, in each table. What waits is due within two hours: beyond, a clock was ahead, and the runner mends it.
sub seed {
	my ($db, $from, $to) = @_;
	my %word = (N => 's.seq', LAST => $to, NOW => 'UNIX_TIMESTAMP()', ART => "CONCAT('art_Z', LPAD(s.seq, 25, '0'))",
		TEAM => "CONCAT('wsp_Z', LPAD(1, 25, '0'))",
		WHO => "CONCAT('usr_Z', LPAD(IF(s.seq % 2, 1, s.seq), 25, '0'))");
	Vitrine::Db::filled($db, sub {
		for (my $i = 0; $i < @rows; $i += 2) {
			my ($columns, $select) = $rows[$i + 1] =~ /^(.*?) (SELECT .*)$/s;
			$select =~ s/\b(N|LAST|NOW|ART|TEAM|WHO)\b(?!')/$word{$1}/g;
			# Some at a time, so that undo and locks stay small.
			for (my $at = $from; $at <= $to; $at += 100_000) {
				my $last = $at + 99_999 < $to ? $at + 99_999 : $to;
				$db->do("INSERT INTO $rows[$i] ($columns) $select FROM seq_${at}_to_$last s");
			}
		}
	});
	$db->do("ANALYZE TABLE $_") for keys %{{@rows}};
}

# Tables whose rows belong to somebody and that have none here: a new table must be filled too.
sub missing {
	my ($db) = @_;
	my %here = (@rows, map { $_ => 1 } qw(sweep heartbeat damage search_due too_long schema_migration view_log run_counted
		job_move object_stored object_due object_doomed node cluster_active node_outbox node_views));
	return grep { !$here{$_} } @{$db->selectcol_arrayref('SHOW TABLES')};
}

1;
