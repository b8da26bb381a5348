/* SPDX-License-Identifier: Apache-2.0 */
#include "core/notice.h"

#include "base/str.h"
#include "core/mail.h"

static const struct {
	const char *word, *text;
} notices[] = {
	{ "published", "Published. Its new version is live." },
	{ "live", "This version is live now." },
	{ "version_open_true", "Visitors can open that version at its own address." },
	{ "version_open_false", "Only people with a role can open that version now." },
#define VISIBILITY(word, means) { #word, "It is " #word " now." },
#include "base/visibility.def"
#undef VISIBILITY
	{ "invited",
	    "Invited. They get an e-mail with the address; "
	    "those without an account get access once they have one." },
	{ "unmailed",
	    "Invited. Some of them won’t get an e-mail today, so send them the address yourself." },
	{ "invited_untold",
	    "Invited. This service doesn’t send e-mail, so tell them the address. "
	    "If they have no account yet, the operator of the service can create one." },
	{ "removed", "They no longer have access." },
	{ "shared", "Shared. They get an e-mail with the link." },
	{ "shared_quietly",
	    "Shared. No e-mail was sent, so tell them to sign in and open Shared with me." },
	{ "shared_with_client", "Shared. Everyone at the client can open it now." },
	{ "share_changed", "Saved. It applies right away." },
	{ "share_stopped", "Stopped. They no longer have access." },
	{ "saved", "Saved." },
	{ "plan_trial", "Your trial has started." },
	{ "plan_begun", "Paid. Your plan is active." },
	{ "plan_up_paid", "Paid. Your new plan is active." },
	{ "plan_up", "Plan changed. Your new plan is active." },
	{ "plan_later", "Saved. The new plan starts with the next period." },
	{ "plan_seats",
	    "Saved. The number of seats changes with the next period. Nothing was charged today." },
	{ "plan_seats_now", "Saved. You can use the new seats now. Nothing was charged today." },
	{ "plan_card", "Card saved." },
	{ "plan_paid", "Paid. Thank you." },
	{ "plan_unpaid", "Nothing was paid, and no card was saved." },
	{ "plan_resumed", "Plan resumed." },
	{ "plan_cancelled", "Plan cancelled. You won’t be charged again." },
	{ "plan_details", "Saved. Your next invoice shows it." },
	{ "logo_set", "Logo saved." },
	{ "logo_removed", "Logo removed." },
	{ "subdomain_on", "The address is on. Artifacts now have addresses with it." },
	{ "subdomain_off", "The address is off." },
	{ "comment_deleted", "Comment deleted." },
	{ "deleted", "Deleted. It stays in the trash for a while." },
	{ "paused", "Paused. Its addresses are closed." },
	{ "resumed", "Resumed. Its addresses are open again." },
	{ "restored", "Restored. Its address works again." },
	{ "purged", "Deleted for good." },
	{ "uploaded", "Uploaded." },
	{ "kept", "Added to the library." },
	{ "version_added", "Uploaded. It is the latest version now." },
	{ "link_made", "Link created. Copy it from here, whenever you need it." },
	{ "link_sent", "Sent. Each address has a link of its own." },
	{ "link_revoked", "Revoked. The link no longer opens." },
	{ "no_files_chosen", "Select files first." },
	{ "imported", "Imported." },
	{ "gone", "Deleted." },
	{ "note_forgotten", "Forgotten. Its page won’t be learned again." },
	{ "learning_on", "Learning is on. Pages are learned as they are published." },
	{ "learning_off", "Learning is off. The notes stay." },
	{ "learning_queued", "Learning the remaining pages. This takes a while." },
	{ "catalog_on", "The catalog is on. Everyone in the workspace can read and write it." },
	{ "catalog_off", "The catalog is off. Its entries are kept." },
	{ "catalog_seeded", "Descriptions added. What people wrote is unchanged." },
	{ "catalog_copied",
	    "Saved under the new name. The old entry is still there, because someone changed it." },
	{ "watched", "You’re watching it. You’ll get an e-mail when it changes." },
	{ "watched_untold",
	    "You’re watching it. "
	    "This service doesn’t send e-mail, so check here for changes." },
	{ "alert_made_untold",
	    "Alert created. This service doesn’t send e-mail; add webhooks below." },
	{ "alert_made", "Alert created. You’ll be notified by e-mail; add others below." },
	{ "job_made", "Job created." },
	{ "job_enabled_false", "Paused. It doesn’t run until you resume it." },
	{ "job_enabled_true", "Resumed. It runs again." },
	{ "job_ran", "Run started. Its schedule hasn’t changed." },
	{ "job_again", "The run was started again, with the same ID." },
	{ "jobs_paused", "Paused. They don’t run until you resume them." },
	{ "runs_again", "Finished runs were started again, with the same IDs." },
	{ "run_stopped", "Stopped. It won’t be retried." },
	{ "no_runs_over", "None of these runs has finished yet, so nothing was run again." },
	{ "no_runs_chosen", "Select runs first." },
	{ "run_told", "Added. They get an e-mail when a job starts to fail." },
	{ "run_told_not", "Removed. They no longer get these e-mails." },
	{ "drafted",
	    "Published as a draft. Ask for approval; it goes live when admins approve it." },
	{ "workspace_made", "Workspace created. What you publish here belongs to it." },
	{ "workspace_deleted", "Workspace deleted. You can restore it below." },
	{ "workspace_restored", "Workspace restored. Its artifacts are back at their addresses." },
	{ "revoked", "Revoked. Its token no longer works." },
	{ "asked", "Approval requested. The workspace’s admins will decide." },
	{ "withdrawn", "Request withdrawn." },
	{ "approve", "Approved." },
	{ "reject", "Rejected. It stays as it is." },
	{ "note_taken", "Reset to what the page says. The note follows its page again." },
	{ "file_saved", "Saved. Agents read it from now on." },
	{ "file_deleted", "Deleted. Agents no longer read it." },
	{ "invite_revoked", "Invitation revoked. Its link no longer works." },
	{ "invite_mailed_true", "Sent again, with a new link." },
	{ "invite_mailed_false",
	    "Renewed for seven days. No e-mail was sent, so tell them to sign in here." },
	{ "role_changed", "Role changed." },
	{ "client_made", "Client created. Invite its people, then share something with them." },
	{ "client_deleted", "Client deleted. Its people no longer have access." },
	{ "outsider_invited", "Invited. They get an e-mail with a link to get started." },
	{ "outsider_invited_untold",
	    "Added. This service doesn’t send e-mail, so tell them to sign in here." },
	{ "outsider_active", "Added. They can open what was shared with the client." },
	{ "ownership_given", "Ownership transferred. You are an admin now." },
	{ "member_removed", "Removed. They no longer have access." },
	{ "workspace_left", "You left the workspace." },
	{ "given", "Transferred. It has a new owner." },
	{ "standing_ended", "Ended. The agent’s next version waits for your approval." },
	{ "folder_made", "Folder created." },
	{ "folder_renamed", "Folder renamed." },
	{ "folder_ruled", "Saved. Artifacts already in the folder don’t change." },
	{ "folder_moved", "Folder moved. Everything in it moved with it." },
	{ "folder_deleted", "Folder deleted. Everything in it moved here." },
	{ "folder_gone", "Folder deleted." },
	{ "moved", "Moved." },
	{ "none_chosen", "Select the artifacts to move first." },
	{ "moved_in", "Moved to this workspace." },
	{ "moved_out", "Moved out of this workspace." },
	{ "moved_home", "Moved out of the workspace. It’s your own now." },
	{ "connection_made", "Tested and saved. Jobs can use it now." },
	{ "connection_saved", "Tested and saved. Jobs use the new settings." },
	{ "connected", "Connected. Jobs can use it now." },
	{ "service_made", "Saved. Each member signs in here for their own jobs." },
	{ "connection_gone", "Connection deleted, with its credentials." },
	{ "credentials_saved", "Tested and saved. Your jobs use these credentials from now on." },
	{ "credentials_gone", "Removed. Your jobs can’t use the connection anymore." },
	{ "ticket_sent", "Sent. You’ll get an e-mail when someone answers." },
	{ "ticket_sent_untold",
	    "Sent. This service doesn’t send e-mail, so look here for the answer." },
	{ "ticket_answered", "Sent." },
	{ "ticket_unsent", "Saved. It couldn’t be e-mailed, so it’s only visible here." },
	{ "ticket_note", "Saved. Only staff can read it." },
	{ "ticket_sorted", "Creating a new proposal. This takes a moment." },
	{ "transferred", "Transferred. You are an editor now." },
};

static const char *
notice_named(const char *word)
{
	for (size_t i = 0; i < sizeof notices / sizeof *notices; i++)
		if (str_eq(notices[i].word, word))
			return notices[i].text;
	return NULL;
}

const char *
notice_text(struct ctx *c, const char *word)
{
	const char *untold =
	    word && !mail_enabled(c) ? notice_named(mem_printf(c->mem, "%s_untold", word)) : NULL;

	return untold ? untold : notice_named(word);
}
