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
	    "Invited, but not all of them get an e-mail today, so tell them the address." },
	{ "invited_untold",
	    "Invited. This service doesn’t send e-mail, so tell them the address. "
	    "If they have no account yet, whoever runs the service can create one." },
	{ "removed", "They no longer have access." },
	{ "shared", "Shared. They get an e-mail with the link." },
	{ "shared_quietly",
	    "Shared. No e-mail was sent, so tell them to sign in and open Shared with me." },
	{ "shared_with_client", "Shared. Everyone at the client can open it now." },
	{ "share_changed", "Changed. It applies from their next request on." },
	{ "share_stopped", "Stopped. They no longer have access." },
	{ "saved", "Saved." },
	{ "plan_trial", "Your trial has begun. Everything in the plan works now." },
	{ "plan_begun", "Paid. Everything in the plan works now." },
	{ "plan_up_paid", "Paid. Everything in the new plan works now." },
	{ "plan_up", "Changed. Everything in the new plan works now." },
	{ "plan_later", "Saved. The other plan begins with the next period." },
	{ "plan_seats",
	    "Saved. The seats change with the next period; nothing was charged today." },
	{ "plan_card", "Card saved. It is charged from now on." },
	{ "plan_paid", "Paid. Thank you." },
	{ "plan_unpaid", "Nothing was paid, and no card was saved." },
	{ "plan_resumed", "Resumed. The plan goes on as before." },
	{ "plan_cancelled", "Cancelled. You won’t be charged again." },
	{ "plan_details", "Saved. It stands on invoices from the next one on." },
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
	{ "note_forgotten", "Forgotten. Its page isn’t learned again." },
	{ "learning_on", "Learning is on. Pages are learned as they are published." },
	{ "learning_off", "Learning is off. The notes stay." },
	{ "learning_queued", "Pages that aren’t learned yet are learned now. This takes a while." },
	{ "catalog_on", "The catalog is on. Everyone in the workspace can read and write it." },
	{ "catalog_off", "The catalog is off. Its entries are kept." },
	{ "catalog_seeded", "Described. What people have written stays as it is." },
	{ "catalog_copied",
	    "Saved under the new name. The old entry stays: somebody changed it meanwhile." },
	{ "watched", "You’re watching it. You’ll get an e-mail when it changes." },
	{ "watched_untold",
	    "You’re watching it. "
	    "This service doesn’t send e-mail, so nothing tells you when it changes." },
	{ "alert_made_untold",
	    "Alert created. This service doesn’t send e-mail; add webhooks below." },
	{ "alert_made", "Alert created. You’ll be notified by e-mail; add others below." },
	{ "job_made", "Job created." },
	{ "job_enabled_false", "Paused. It doesn’t run until you resume it." },
	{ "job_enabled_true", "Resumed. It runs again." },
	{ "job_ran", "Run started. Its schedule hasn’t changed." },
	{ "job_again", "It runs once more, with the same ID." },
	{ "jobs_paused", "Paused. They don’t run until you resume them." },
	{ "runs_again", "Those that were over run once more, with the same IDs." },
	{ "run_stopped", "Stopped. It isn’t tried again." },
	{ "no_runs_over", "None of them is over yet, so nothing was run again." },
	{ "no_runs_chosen", "Select runs first." },
	{ "run_told", "Added. They get an e-mail when a job begins to fail." },
	{ "run_told_not", "Removed. They are no longer told." },
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
	{ "note_taken", "The note says what its page says, and is learned again from now on." },
	{ "file_saved", "Saved. Agents will read it from now on." },
	{ "file_deleted", "Deleted. Agents no longer read it." },
	{ "invite_revoked", "Invitation revoked. Its link no longer works." },
	{ "invite_mailed_true", "Sent again, with a new link." },
	{ "invite_mailed_false",
	    "Renewed for seven days. No e-mail was sent, so tell them to sign in here." },
	{ "role_changed", "Role changed. It applies from now on." },
	{ "client_made", "Client created. Invite its people, then share something with them." },
	{ "client_deleted", "Client deleted. Its people can no longer open anything of it." },
	{ "outsider_invited", "Invited. They get an e-mail with a link to begin." },
	{ "outsider_invited_untold",
	    "Added. This service doesn’t send e-mail, so tell them to sign in here." },
	{ "outsider_active", "Added. They can open what was shared with the client." },
	{ "ownership_given", "Ownership transferred. You are an admin now." },
	{ "member_removed", "Removed. They no longer have access." },
	{ "workspace_left", "You left the workspace." },
	{ "given", "Transferred. It has a new owner." },
	{ "standing_ended", "Ended. The agent’s next version waits for you." },
	{ "folder_made", "Folder created." },
	{ "folder_renamed", "Folder renamed." },
	{ "folder_ruled", "Saved. What is in the folder already stays as it is." },
	{ "folder_moved", "Folder moved. Everything in it moved with it." },
	{ "folder_deleted", "Folder deleted. Everything in it moved here." },
	{ "folder_gone", "Folder deleted." },
	{ "moved", "Moved." },
	{ "none_chosen", "Select the artifacts to move first." },
	{ "moved_in", "It belongs to this workspace now." },
	{ "moved_out", "It no longer belongs to this workspace." },
	{ "moved_home", "It is no longer in a workspace." },
	{ "connection_made", "Tested and saved. Jobs can use it now." },
	{ "connection_saved", "Tested and saved. Jobs use it as it is now." },
	{ "connected", "Connected. Jobs can use it now." },
	{ "service_made", "Saved. Each member signs in from here, for their own jobs." },
	{ "connection_gone", "Connection deleted, with its credentials." },
	{ "credentials_saved", "Tested and saved. Your jobs use these credentials from now on." },
	{ "credentials_gone", "Removed. Your jobs can’t use the connection anymore." },
	{ "ticket_sent", "Sent. You’re told by e-mail when somebody answers." },
	{ "ticket_sent_untold",
	    "Sent. This service doesn’t send e-mail, so look here for the answer." },
	{ "ticket_answered", "Sent." },
	{ "ticket_unsent", "Saved. It couldn’t be sent to them, so it stands here only." },
	{ "ticket_note", "Saved. Only staff can read it." },
	{ "ticket_sorted", "The proposal is made anew. This takes a moment." },
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
