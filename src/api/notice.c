/* SPDX-License-Identifier: Apache-2.0 */
#include "api/notice.h"

#include "base/str.h"

static const struct {
	const char *word, *text;
} notices[] = {
	{ "published", "Published. Its new version is live." },
	{ "live", "This version is live now." },
#define VISIBILITY(word, means) { #word, "It is " #word " now: " means "." },
#include "base/visibility.def"
#undef VISIBILITY
	{ "invited", "Invited. They get an e-mail with the address." },
	{ "untold", "Invited. This service sends no e-mail, so tell them the address." },
	{ "removed", "They have no access anymore." },
	{ "saved", "Saved." },
	{ "logo_set", "Saved. This is the logo from now on." },
	{ "logo_removed", "Logo removed." },
	{ "subdomain_on", "The address is on. Artifacts have theirs with it from now on." },
	{ "subdomain_off", "The address is off." },
	{ "comment_deleted", "The comment is deleted." },
	{ "deleted", "Deleted. It stays in the trash for a while." },
	{ "paused", "Paused. Its addresses are closed." },
	{ "resumed", "Resumed. Its addresses are open again." },
	{ "restored", "Restored. Its address works again." },
	{ "purged", "Deleted for good." },
	{ "uploaded", "Uploaded." },
	{ "gone", "Deleted." },
	{ "watched", "Watched. You get an e-mail when it changes." },
	{ "alert_made", "Made. You are told by e-mail; add others below." },
	{ "job_made", "The job is made." },
	{ "job_paused", "Paused. It doesn’t run until you resume it." },
	{ "job_resumed", "Resumed. It runs again." },
	{ "job_ran", "Run now. Its schedule is as it was." },
	{ "job_again", "It is made once more, under the same id." },
	{ "drafted",
	    "Published as a draft. Ask for approval, and it is live when admins have given it." },
	{ "workspace_made", "This is your workspace. What you publish here belongs to it." },
	{ "workspace_deleted", "Workspace deleted. It can be restored below." },
	{ "workspace_restored", "Workspace restored. Its artifacts are at their addresses again." },
	{ "revoked", "Revoked. Its token doesn’t work anymore." },
	{ "asked", "Asked. Admins of the workspace decide." },
	{ "withdrawn", "Withdrawn. Nobody is asked anymore." },
	{ "approved", "Approved." },
	{ "rejected", "Rejected. It stays as it is." },
	{ "file_saved", "Saved. Agents read it from now on." },
	{ "file_deleted", "Deleted. Agents don’t read it anymore." },
	{ "invite_revoked", "Invitation revoked. Its link doesn’t work anymore." },
	{ "invite_resent", "Sent again, with a new link." },
	{ "invite_renewed",
	    "Renewed for seven days. No e-mail was sent, so tell them to sign in here." },
	{ "role_changed", "Role changed. It counts from now on." },
	{ "ownership_given", "Ownership transferred. You are an admin now." },
	{ "member_removed", "Removed. They have no access anymore." },
	{ "workspace_left", "You left the workspace." },
	{ "given", "Given away. It has a new owner." },
	{ "folder_made", "Folder made." },
	{ "folder_renamed", "Folder renamed." },
	{ "folder_moved", "Folder moved. What is in it moved with it." },
	{ "folder_deleted", "Folder deleted. What was in it moved here." },
	{ "folder_gone", "Folder deleted." },
	{ "moved", "Moved." },
	{ "moved_in", "It belongs to this workspace now." },
	{ "moved_out", "It no longer belongs to this workspace." },
	{ "moved_home", "It is in no workspace anymore." },
	{ "transferred", "Transferred. You are an editor now." },
};

const char *
notice_text(const char *word)
{
	for (size_t i = 0; i < sizeof notices / sizeof *notices; i++)
		if (str_eq(notices[i].word, word))
			return notices[i].text;
	return NULL;
}
