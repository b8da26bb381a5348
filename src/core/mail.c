/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mail.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "core/letterhead.h"
#include "core/mailpot.h"
#include "core/user.h"
#include "ext/mailtext.h"
#include "store/rounds.h"

SHAPE_DEFINE(mail_brand, MAIL_BRAND);
SHAPE_DEFINE(mail_values, MAIL_VALUES);
SHAPE_DEFINE(mail_failed, MAIL_FAILED);

#define MAIL_PAYLOAD(F, T) \
	F(T, STR, template, .flags = F_REQ) \
	F(T, INT, queued_at, .flags = F_REQ) \
	F(T, OBJ, values, .flags = F_REQ, .sub = &mail_values_shape)
SHAPE_DECLARE(mail_payload, MAIL_PAYLOAD);
SHAPE_DEFINE(mail_payload, MAIL_PAYLOAD);

enum { DAY_S = 86400, KEEP_FAILED_S = 30 * DAY_S };

/* Mail that other people cause has budgets of its own, so that it doesn’t use up mail that somebody
 * needs to sign in, or mail about what people did. Half of an artifact’s budget is kept for
 * invitations. */
static const struct pot account_pot = { "recipient", 10, false, BY_ADDRESS },
			shared_pot = { "shared", 10, true, BY_ADDRESS },
			signin_pot = { "signin", 12, false, BY_ADDRESS },
			notice_pot = { "notice", 50, false, BY_ADDRESS },
			factor_pot = { "factor", 50, false, BY_ADDRESS },
			comment_pot = { "comment", ARTIFACT_DAILY / 2, true, BY_ADDRESS },
			job_pot = { "job", 10, false, BY_ADDRESS },
			request_pot = { "request", 10, false, BY_ADDRESS },
			report_pot = { "report", STRANGER_DAILY, true, BY_STRANGER },
			metric_pot = { "metric", ARTIFACT_DAILY / 2, true, BY_SENDER },
			made_token_pot = { "made_token", 10, false, BY_ADDRESS },
			approval_pot = { "approval", 10, true, BY_ADDRESS },
			govern_pot = { "govern", 10, true, BY_ADDRESS },
			delivery_pot = { "delivery", 20, true, BY_SENDER },
			delivery_code_pot = { "delivery_code", 20, false, BY_ADDRESS },
			delivery_opened_pot = { "delivery_opened", 20, false, BY_ADDRESS },
			billing_pot = { "billing", 20, false, BY_ADDRESS },
			ticket_pot = { "ticket", 50, false, BY_ADDRESS };

/* In a body, an empty line separates paragraphs and {name} stands for a value, {service} for our
 * host. A paragraph that is only {link} becomes the button, one that is only {message} a quotation.
 * The ending says what happens when the message is ignored. */
struct template {
	const char *name, *subject, *body, *button, *ending;
	const struct pot *pot;
	bool ours; /* whoever runs the service wrote the message: its addresses work */
};
#define JOB_ENDING \
	"{by} set up this message for {artifact} on {service} and wrote its contents. " \
	"If you don’t want it, ask them to remove your address."
#define MAKER_ENDING "You’re receiving this because you created or enabled the job."
#define ASKER_ENDING "You’re receiving this because you requested the approval."
#define TOLD_ENDING \
	"You’re receiving this because the admins of {workspace} chose you " \
	"to be told when something that runs by itself fails."
#define OWNER_ENDING "You’re receiving this because you own the artifact."
#define PAYER_ENDING "You’re receiving this because you own {workspace}."
#define ALERT_ENDING \
	"You’re receiving this because you subscribed to this alert, " \
	"or because someone who manages {artifact} added your address."
#define TICKET_ENDING "You’re receiving this because you asked the people who run {service}."
#define STAFF_ENDING "You’re receiving this because you answer tickets on {service}."
static const struct template templates[MAIL_TEMPLATES] = {
	[MAIL_INVITATION] = { "invitation", "You are invited to Vitrine at {service}",
	    "{by} created an account for you on {service}, "
	    "where people publish and share web pages. To start using it, choose a password. "
	    "You’ll sign in with that password and this e-mail address.\n\n{link}",
	    "Choose a password", "If you weren’t expecting this, you can ignore this message.",
	    &account_pot },
	[MAIL_RESET_PASSWORD] = { "reset_password", "Set a new password for Vitrine at {service}",
	    "Someone, probably you, asked to set a new password for your account on {service}."
	    "\n\n{link}",
	    "Set a new password",
	    "If this wasn’t you, you can ignore this message. Your password hasn’t changed.",
	    &account_pot },
	[MAIL_ACCESS_REQUEST] = { "access_request", "{who} requested access to {artifact}",
	    "{who} requested access to {artifact} on {service}. "
	    "You can approve or deny the request.\n\n{message}\n\n{link}",
	    "Review request",
	    "If you don’t know them, you can ignore this message. They won’t get access.",
	    &request_pot },
	[MAIL_ACCESS_GRANTED] = { "access_granted", "You now have access to {artifact}",
	    "Your request for access to {artifact} on {service} was approved. "
	    "You can open it now.\n\n{link}",
	    "Open artifact", "If you didn’t request access, you can ignore this message.",
	    &shared_pot },
	[MAIL_COLLABORATOR_ADDED] = { "collaborator_added", "{by} shared {artifact} with you",
	    "{by} added you as a collaborator on {artifact}. Your role: {role}. "
	    "Follow the link and sign in to {service} with this e-mail address. "
	    "If you have no account yet, choose a password there; an account is free.\n\n{link}",
	    "Open artifact", "If you don’t know {by}, you can ignore this message.", &shared_pot },
	[MAIL_SIGNIN_NEW_DEVICE] = { "signin_new_device",
	    "Sign-in from a new device at {service}",
	    "Someone signed in to your account on {service} from a device we haven’t seen "
	    "before.\n\nWhen: {when}\n\nWhere: {where}\n\n"
	    "If this was you, there’s nothing to do. "
	    "If not, set a new password and revoke your tokens now.\n\n{link}",
	    "Go to your account",
	    "You’re receiving this because the account uses this e-mail address.", &notice_pot },
	[MAIL_SIGNIN_LINK] = { "signin_link", "Your link to sign in to Vitrine at {service}",
	    "You or someone else entered many wrong passwords for your account on {service}. "
	    "For an hour, a password alone isn’t enough to sign in from browsers you haven’t used "
	    "here before. Sign in with this link instead.\n\n{link}",
	    "Sign in", "If you don’t want to sign in, you can ignore this message. "
	    "No one got in with a wrong password.", &signin_pot },
	[MAIL_FACTOR_ON] = { "factor_on", "The second factor was turned on at {service}",
	    "From now on, your account on {service} asks for a code from your authenticator app "
	    "after your password.\n\nWhen: {when}\n\n"
	    "If this wasn’t you, someone else is signed in to your account. "
	    "Set a new password, then contact the people who run {service}.\n\n{link}",
	    "Go to your account", "If this was you, there’s nothing to do.", &factor_pot },
	[MAIL_FACTOR_OFF] = { "factor_off", "The second factor was turned off at {service}",
	    "Your account on {service} no longer asks for a code after your password.\n\n"
	    "When: {when}\n\n"
	    "If you didn’t do this and didn’t ask the people who run {service} to do it, "
	    "set a new password now and turn the second factor back on.\n\n{link}",
	    "Go to your account", "If this was you, there’s nothing to do.", &factor_pot },
	[MAIL_FACTOR_RECOVERY] = { "factor_recovery", "A recovery code was used at {service}",
	    "A recovery code for your account on {service} was entered instead of a code "
	    "from your app. Recovery codes left: {left}.\n\nWhen: {when}\n\n"
	    "If this wasn’t you, someone has your password and your recovery codes. "
	    "Set a new password and create new recovery codes now.\n\n{link}",
	    "Go to your account", "If this was you, there’s nothing to do.", &factor_pot },
	[MAIL_FACTOR_GUESSED] = { "factor_guessed", "Someone knows your password at {service}",
	    "Someone entered the correct password for your account on {service}, "
	    "but then only wrong codes. They weren’t let in.\n\nWhen: {when}\n\n"
	    "If this wasn’t you, set a new password now.\n\n{link}",
	    "Go to your account",
	    "If this was you, there’s nothing to do. We send this at most once a day.",
	    &factor_pot },
	[MAIL_AGENT_CONNECTED] = { "agent_connected",
	    "{what} was connected to your account at {service}",
	    "You let a program work for you on {service}.\n\nProgram: {what}\n\nFrom: {where}\n\n"
	    "When: {when}\n\nYou can see what it does, and end it at any time.\n\n{link}",
	    "See connected agents",
	    "If this wasn’t you, end it there, then set a new password.", &notice_pot },
	[MAIL_AGENT_ENDED] = { "agent_ended",
	    "{what} was disconnected from your account at {service}",
	    "A secret of a program that works for you on {service} was used a second time. "
	    "Someone else may have had it, so the program was disconnected.\n\nProgram: {what}\n\n"
	    "From: {where}\n\nWhen: {when}\n\nYou can see what it did.\n\n{link}",
	    "See connected agents", "To go on using it, connect it again.", &notice_pot },
	[MAIL_COMMENTS] = { "comments", "{what} on {artifact}",
	    "{what} on {artifact}, which you own on {service}. The latest is from {who}:\n\n"
	    "{message}\n\n{link}",
	    "Read the comments",
	    "If you don’t want these messages, you can turn them off on the comments page.",
	    &comment_pot },
	[MAIL_JOB_FAILS] = { "job_fails", "{what} keeps failing ({artifact})",
	    "{what}, a job of {artifact} on {service}, has failed ten times in a row. "
	    "It’s still enabled. The last error:\n\n{message}\n\n{link}",
	    "See what went wrong",
	    "You’re receiving this because you created or enabled the job. "
	    "We send it once, and let you know when the job works again.", &job_pot },
	[MAIL_JOB_WORKS] = { "job_works", "{what} works again ({artifact})",
	    "{what}, a job of {artifact} on {service}, "
	    "had been failing and has now succeeded.\n\n{link}",
	    "View jobs", MAKER_ENDING, &job_pot },
	[MAIL_JOB_GONE] = { "job_gone", "{what} is paused ({artifact})",
	    "{what}, a job of {artifact} on {service}, got the answer “410 Gone”, "
	    "which means the receiver wants no more requests. The job is now paused. "
	    "To resume it, give it a different address and enable it.\n\n{link}",
	    "View jobs", MAKER_ENDING, &job_pot },
	[MAIL_JOB_TAKEN] = { "job_taken", "{by} answers for {what} now ({artifact})",
	    "{by} changed or resumed {what}, a job of {artifact} on {service} that was yours. "
	    "From now on it runs with their rights and credentials, and no longer with yours."
	    "\n\n{link}",
	    "See the job", MAKER_ENDING, &job_pot },
	[MAIL_RUN_FAILS] = { "run_fails", "{what} failed ({artifact})",
	    "{what}, a job of {artifact} in {workspace}, failed after its last attempt. "
	    "We’ll let you know when it works again.\n\n{message}\n\n{link}",
	    "See what went wrong", TOLD_ENDING, &job_pot },
	[MAIL_RUN_WORKS] = { "run_works", "{what} works again ({artifact})",
	    "{what}, a job of {artifact} in {workspace}, "
	    "had been failing and has now succeeded.\n\n{link}",
	    "See the run", TOLD_ENDING, &job_pot },
	[MAIL_JOB] = { "job", "{subject}", "{message}", NULL, JOB_ENDING, &report_pot },
	[MAIL_JOB_LINK] = { "job_link", "{subject}", "{message}\n\n{link}",
	    "Open artifact", JOB_ENDING, &report_pot },
	[MAIL_WATCH] = { "watch", "{what} is now {now} ({artifact})",
	    "{what} for {artifact} on {service} is now {now}. "
	    "It was {before} when we last told you, or when you started watching it.\n\n{link}",
	    "View table",
	    "If you don’t want these messages, you can remove your watch on the table’s page.",
	    &metric_pot },
	[MAIL_ALERT_FIRING] = { "alert_firing", "Alert: {alert} ({artifact})",
	    "{what} for {artifact} on {service} is {now}. "
	    "The alert {alert} fires when it is {limit}.\n\n{link}",
	    "View alerts", ALERT_ENDING, &metric_pot },
	[MAIL_ALERT_OK] = { "alert_ok", "Back to normal: {alert} ({artifact})",
	    "{what} for {artifact} on {service} is {now}. The alert {alert} is back to normal. "
	    "It fires when the value is {limit}.\n\n{link}",
	    "View alerts", ALERT_ENDING, &metric_pot },
	[MAIL_ALERT_NO_DATA] = { "alert_no_data", "No data: {alert} ({artifact})",
	    "The alert {alert} for {artifact} on {service} has nothing to measure. "
	    "It watches: {what}. The table or its column is gone, or no row has a value.\n\n{link}",
	    "View alerts", ALERT_ENDING, &metric_pot },
	[MAIL_WORKSPACE_INVITED] = { "workspace_invited", "{by} invites you to {workspace}",
	    "{by} invites you to join {workspace}, "
	    "where a team publishes web pages together on {service}. Your role: {role}. "
	    "You can publish there and see what the team publishes.\n\nSent by: {who}\n\n{link}",
	    "Accept invitation", "If you don’t know {by}, you can ignore this message.",
	    &shared_pot },
	[MAIL_SHAREE_INVITED] = { "sharee_invited", "{by} invites you to {workspace}",
	    "{by} invites you to see the pages and files that {workspace} shares with {what} on "
	    "{service}. To open them, sign in with this e-mail address. An account is free."
	    "\n\n{link}",
	    "See what is shared", "If you don’t know {by}, you can ignore this message.",
	    &shared_pot },
	[MAIL_WORKSPACE_ADDED] = { "workspace_added", "{by} added you to {workspace}",
	    "{by} added you to {workspace}, where a team publishes web pages together on {service}"
	    ". Your role: {role}. You can publish there and see what the team publishes.\n\n{link}",
	    "Open workspace", "If you don’t want to be a member, you can leave at any time.",
	    &shared_pot },
	[MAIL_WORKSPACE_REMOVED] = { "workspace_removed",
	    "You are no longer a member of {workspace}",
	    "{by} removed you from {workspace} on {service}. What you published there stays "
	    "with the team. Your personal artifacts are still yours.\n\n{link}",
	    "Go to your artifacts",
	    "You’re receiving this because you were a member of the workspace.", &shared_pot },
	[MAIL_WORKSPACE_ROLE] = { "workspace_role", "Your role in {workspace} has changed",
	    "{by} changed your role in {workspace} on {service}. "
	    "Your role is now: {role}.\n\n{link}",
	    "Open workspace", "There’s nothing you need to do.", &shared_pot },
	[MAIL_WORKSPACE_OWNER] = { "workspace_owner", "You now own {workspace}",
	    "{by} made you the owner of {workspace} on {service}. "
	    "You manage its members and its plan, and you can delete it.\n\n{link}",
	    "Open workspace", "If you don’t want to own it, you can transfer it to another member.",
	    &shared_pot },
	[MAIL_WORKSPACE_TOKEN] = { "workspace_token", "{by} created a token for you in {workspace}",
	    "{by} created a token that acts as you in {workspace} on {service}, and only there. "
	    "Its name: {what}.\n\nWhen: {when}\n\n"
	    "If you weren’t expecting it, revoke it on your account page.\n\n{link}",
	    "Go to your account", "If you were expecting it, there’s nothing to do.",
	    &made_token_pot },
	[MAIL_APPROVAL_ASKED] = { "approval_asked", "{by} requested approval for {artifact}",
	    "In {workspace} on {service}, {by} asked to make {artifact} {what}. "
	    "It stays as it is until the request is approved.\n\n{link}",
	    "Review request",
	    "You’re receiving this because you can approve what {workspace} makes public.",
	    &approval_pot },
	[MAIL_APPROVAL_APPROVED] = { "approval_approved", "{artifact} was approved",
	    "In {workspace} on {service}, {by} approved your request to make {artifact} {what}. "
	    "It’s now {what}.\n\n{message}\n\n{link}",
	    "Go to artifact", ASKER_ENDING, &approval_pot },
	[MAIL_APPROVAL_REJECTED] = { "approval_rejected", "{artifact} was not approved",
	    "In {workspace} on {service}, {by} rejected your request to make {artifact} {what}, "
	    "so it stays as it is. You can change it and ask again.\n\n{message}\n\n{link}",
	    "Go to artifact", ASKER_ENDING, &approval_pot },
	[MAIL_APPROVAL_REPLACED] = { "approval_replaced", "Your request for {artifact} was closed",
	    "In {workspace} on {service}, you asked to make {artifact} {what}. "
	    "Before the request was decided, {by} published another version. "
	    "The new version needs its own request.\n\n{link}",
	    "Request approval", ASKER_ENDING, &approval_pot },
	[MAIL_APPROVAL_EXPIRED] = { "approval_expired", "Your request for {artifact} expired",
	    "Two weeks ago, in {workspace} on {service}, you asked to make {artifact} {what}. "
	    "No one approved or rejected the request, so it expired.\n\n{link}",
	    "Ask again", ASKER_ENDING, &approval_pot },
	[MAIL_STANDING_GRANTED] = { "standing_granted", "{by} lets {what} refresh {artifact}",
	    "{by} allowed the agent {what} to replace the files of {artifact}, which you own on "
	    "{service}, without asking each time, until {when}.\n\n{link}",
	    "See or end it", OWNER_ENDING, &approval_pot },
	[MAIL_STANDING_ENDED] = { "standing_ended", "{what} no longer refreshes {artifact}",
	    "{by} no longer lets the agent {what} replace the files of {artifact} on {service}. "
	    "You had allowed it until {when}. Its next version waits for approval.\n\n{link}",
	    "Go to artifact", "You’re receiving this because you allowed it.", &approval_pot },
	[MAIL_GOVERN_PAUSED] = { "govern_paused", "{by} paused {artifact}",
	    "{by} paused {artifact}, which you own in {workspace} on {service}. Visitors can’t "
	    "open its pages until the pause ends. Nothing has been deleted.\n\n{message}\n\n{link}",
	    "Go to artifact", OWNER_ENDING, &govern_pot },
	[MAIL_GOVERN_RESUMED] = { "govern_resumed", "{artifact} is no longer paused",
	    "{by} resumed {artifact}, which you own in {workspace} on {service}. "
	    "Visitors can open its pages as before.\n\n{link}",
	    "Go to artifact", OWNER_ENDING, &govern_pot },
	[MAIL_GOVERN_VISIBILITY] = { "govern_visibility", "{artifact} is now {what}",
	    "{by} changed who can open {artifact}, which you own in {workspace} on {service}. "
	    "It’s now {what}.\n\n{link}",
	    "See who can open it", OWNER_ENDING, &govern_pot },
	[MAIL_GOVERN_GIVEN] = { "govern_given", "You now own {artifact}",
	    "{by} made you the owner of {artifact} in {workspace} on {service}. "
	    "You manage it, and what it stores counts toward your storage.\n\n{link}",
	    "Go to artifact", OWNER_ENDING, &govern_pot },
	[MAIL_GOVERN_TAKEN] = { "govern_taken", "{artifact} has a new owner",
	    "{by} made {who} the owner of {artifact} in {workspace} on {service}. "
	    "You owned it until now, and you can still edit it.\n\n{link}",
	    "Go to artifact", "You’re receiving this because you owned the artifact.",
	    &govern_pot },
	[MAIL_GOVERN_DELETED] = { "govern_deleted", "{by} deleted {artifact}",
	    "{by} moved {artifact}, which you own in {workspace} on {service}, to the trash. "
	    "You can restore it for a limited time.\n\n{link}",
	    "Open trash", OWNER_ENDING, &govern_pot },
	[MAIL_GOVERN_PURGED] = { "govern_purged", "{by} permanently deleted {artifact}",
	    "{by} permanently deleted {artifact}, which you owned in {workspace} on {service}. "
	    "It can’t be restored.\n\n{link}",
	    "Go to your artifacts", "You’re receiving this because you owned the artifact.",
	    &govern_pot },
	[MAIL_DELIVERY] = { "delivery", "{by} sent you {what}",
	    "{by} sent you files: {what}. You can view and download them "
	    "without an account. {limit}\n\n{message}\n\n{link}",
	    "Open files",
	    "If you don’t know {by}, you can ignore this message. The link is for you only, "
	    "so don’t share it.",
	    &delivery_pot },
	[MAIL_DELIVERY_CODE] = { "delivery_code", "{code} is your code to open a delivery",
	    "Enter this code to open your files: {code}\n\n"
	    "It works once, within ten minutes.",
	    NULL, "If you weren’t opening a delivery on {service}, you can ignore this message.",
	    &delivery_code_pot },
	[MAIL_DELIVERY_OPENED] = { "asset_delivery_opened", "{what} was opened",
	    "{who} opened {what}, which you shared on {service}, for the first time.\n\n{link}",
	    "View your links",
	    "You’re receiving this because you created the link. We send this once per link.",
	    &delivery_opened_pot },
	[MAIL_SHARED] = { "shared", "{by} shared {what} with you",
	    "{by} of {workspace} shared {what} with you on {service}. "
	    "To open it, sign in with this e-mail address. An account is free.\n\n"
	    "{message}\n\n{link}",
	    "Open it", "If you don’t know {by}, you can ignore this message.", &shared_pot },
	[MAIL_CONNECTION_ENDED] = { "connection_ended", "{what} needs to be connected again",
	    "The service behind {what}, a connection of {workspace} on {service}, "
	    "no longer accepts its sign-in. Jobs that use it fail until it is connected again."
	    "\n\n{link}",
	    "Go to the connection",
	    "You’re receiving this because you can connect it again.", &job_pot },
	[MAIL_TRIAL_ENDS] = { "trial_ends", "The trial of {workspace} is about to end",
	    "The trial of {what} for {workspace} on {service} ends on {when}. You haven’t "
	    "added a card, so the workspace loses {what} after that. Nothing is deleted, but "
	    "features that need it are paused. To keep {what}, add a card before then.\n\n{link}",
	    "Go to plan and billing", PAYER_ENDING, &billing_pot },
	[MAIL_TRIAL_CHARGED] = { "trial_charged", "The trial of {workspace} is about to end",
	    "The trial of {what} for {workspace} on {service} ends on {when}. "
	    "We’ll then charge {now} to your card, {who}, and again each month."
	    "\n\nIf you don’t want that, cancel before then and you won’t be charged.\n\n{link}",
	    "Go to plan and billing", PAYER_ENDING, &billing_pot },
	[MAIL_RECEIPT] = { "receipt", "Receipt for {workspace}: {now}",
	    "Thank you for your payment of {now} for {workspace} on {service}."
	    "\n\nFor: {what}\n\nInvoice: {left}\n\n{link}",
	    "See the invoice", PAYER_ENDING, &billing_pot },
	[MAIL_DECLINED] = { "declined", "The payment for {workspace} failed",
	    "We couldn’t charge {now} for {what} to the card of {workspace} on {service}. "
	    "The payment provider says:\n\n{message}\n\n"
	    "We’ll try again on {when}. Everything keeps working until {limit}. "
	    "To pay now, or with another card, go to plan and billing.\n\n{link}",
	    "Go to plan and billing", PAYER_ENDING, &billing_pot },
	[MAIL_DECLINED_LAST] = { "declined_last", "The last attempt to charge {workspace} failed",
	    "We couldn’t charge {now} for {what} to the card of {workspace} on {service}. "
	    "The payment provider says:\n\n{message}\n\n"
	    "We won’t try again. Everything keeps working until {limit}. "
	    "To keep it that way, pay by then.\n\n{link}",
	    "Go to plan and billing", PAYER_ENDING, &billing_pot },
	[MAIL_PLAN_ENDED] = { "plan_ended", "{what} has ended for {workspace}",
	    "The subscription of {workspace} on {service} to {what} ended on {when}. "
	    "Nothing was deleted and everyone stays a member, but features that need {what} are "
	    "paused until you pay.\n\n{link}",
	    "Go to plan and billing", PAYER_ENDING, &billing_pot },
	[MAIL_PAID_BACK] = { "paid_back", "{now} was refunded to {workspace}",
	    "Your payment of {now} for {workspace} on {service} was refunded, "
	    "or reversed by your bank.\n\nFor: {what}\n\n"
	    "It no longer counts as paid. Nothing was deleted.\n\n{link}",
	    "Go to plan and billing", PAYER_ENDING, &billing_pot },
	[MAIL_CARD_STAYS] = { "card_stays", "{workspace} has a new owner, and the same card",
	    "The ownership of {workspace} on {service} was transferred. "
	    "The stored card, {who}, is still charged for {what} "
	    "until an owner or admin adds another one.\n\n{link}",
	    "Go to plan and billing",
	    "You’re receiving this because you own {workspace}, or owned it until now.",
	    &billing_pot },
	[MAIL_TICKET_REPLY] = { "ticket_reply", "Re: {subject}",
	    "{by} from {service} answered:\n\n{message}\n\n{where}\n\n{link}", "Open ticket",
	    TICKET_ENDING, &ticket_pot, .ours = true },
	[MAIL_TICKET_ANSWER] = { "ticket_answer", "Re: {subject}",
	    "{by} from {service} answered:\n\n{message}\n\n{where}", NULL, TICKET_ENDING,
	    &ticket_pot, .ours = true },
	[MAIL_TICKET_STATUS] = { "ticket_status", "Re: {subject}", "{what}\n\n{link}",
	    "Open ticket", TICKET_ENDING, &ticket_pot },
	[MAIL_TICKET_STATE] = { "ticket_state", "Re: {subject}", "{what}", NULL, TICKET_ENDING,
	    &ticket_pot },
	[MAIL_TICKET_NEW] = { "ticket_new", "New ticket: {subject}",
	    "{who} opened a ticket on {service}:\n\n{message}\n\n{link}", "Open ticket",
	    STAFF_ENDING, &ticket_pot },
	[MAIL_TICKET_MORE] = { "ticket_more", "Ticket: {subject}",
	    "{who} wrote in a ticket on {service}:\n\n{message}\n\n{link}", "Open ticket",
	    STAFF_ENDING, &ticket_pot },
	[MAIL_TICKET_ASSIGNED] = { "ticket_assigned", "Yours: {subject}",
	    "{by} assigned this ticket on {service} to you.\n\n{link}", "Open ticket",
	    STAFF_ENDING, &ticket_pot },
	[MAIL_TEST] = { "test", "Vitrine at {service} can send e-mail",
	    "This is a test message. The installation that sent it can send e-mail.", NULL,
	    "An operator requested it. There’s nothing to do.", &account_pot },
};

/* ---- text ---- */

enum form { SUBJECT, TEXT, HTML };

static const char *
value_of(const struct mail_values *values, const char *name, size_t n)
{
	for (size_t i = 0; i < mail_values_shape.n; i++) {
		const struct field *f = &mail_values_shape.fields[i];

		if (strlen(f->name) == n && !memcmp(f->name, name, n))
			return *(const char *const *)((const char *)values + f->off);
	}
	return NULL;
}

static void
add_text(struct buf *b, enum form form, const char *s)
{
	if (form != HTML) {
		buf_str(b, s);
		return;
	}
	for (char *rest = mem_strdup(b->owner, s), *line; (line = str_split(&rest, '\n'));) {
		buf_html(b, line);
		if (rest)
			buf_str(b, "<br>\n");
	}
}

/* Returns the value of a {name}, escaped for the form; NULL if it is empty. */
static const char *
word_of(struct ctx *c, const char *name, size_t n, const struct mail_values *values, enum form form)
{
	const char *value;

	if (n == strlen("service") && !memcmp(name, "service", n))
		return mail_host(c);
	value = value_of(values, name, n);
	return value && form != SUBJECT ? mail_inert(c, value) : value;
}

/* Appends s with its values put in. Braces in a value stand for themselves. E_INVALID when a value
 * is missing. */
static enum err
text_expand(
    struct ctx *c, struct buf *b, const char *s, const struct mail_values *values, enum form form)
{
	while (*s) {
		size_t n = strcspn(s, "{"), name;
		const char *value;

		add_text(b, form, mem_strndup(c->mem, s, n));
		s += n;
		if (!*s)
			break;
		name = strcspn(s, "}") - 1;
		value = word_of(c, s + 1, name, values, form);
		if (!value)
			return fail(c, E_INVALID, "%.*s: is required by this e-mail",
			    (int)name, s + 1);
		add_text(b, form, value);
		s += name + 2;
	}
	return E_OK;
}

static enum err
link_url(struct ctx *c, const char *path, const char **out)
{
	*out = path ? mem_printf(c->mem, "%s%s", c->conf->base_url, path) : NULL;
	if (!path || path[0] != '/' || path[1] == '/' || strpbrk(path, "'\n") ||
	    !str_http_url(*out))
		return fail(c, E_INVALID,
		    "link: must be a path on this installation that begins with a single slash");
	return E_OK;
}

/* ---- the look: tables and inline styles, since mail programs have no others ---- */

static const char html_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">"
    "<meta name=\"supported-color-schemes\" content=\"light dark\">\n"
    "<style>:root{color-scheme:light dark}\n"
    "@media (prefers-color-scheme:dark){"
    ".bg{background:#0c1211!important}"
    ".card{background:#131b1a!important;border-color:#293534!important}\n"
    ".ink{color:#e9f0ee!important}.soft{color:#9fb0ad!important}"
    ".go{background:#45c4b4!important}.go a{color:#05211d!important}"
    "a.plain{color:#45c4b4!important}}</style>\n<title>";
static const char html_top[] =
    "</title></head>\n<body class=\"bg\" style=\"margin:0;padding:0;background:#fafcfb\">\n"
    "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" "
    "class=\"bg\" style=\"background:#fafcfb;"
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif\">\n"
    "<tr><td align=\"center\" style=\"padding:32px 16px\">\n"
    "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" "
    "style=\"max-width:520px\">\n"
    "<tr><td style=\"padding:0 4px 16px\">"
    "<table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\"><tr>";
static const char html_card[] =
    "<tr><td class=\"card\" style=\"padding:32px;background:#ffffff;border:1px solid #dce3e1;"
    "border-radius:";
static const char html_title[] =
    "\">\n"
    "<h1 class=\"ink\" style=\"margin:0;font-size:22px;line-height:1.3;font-weight:600;" INK "\">";
static const char html_paragraph[] =
    "<p class=\"ink\" style=\"margin:16px 0 0;font-size:16px;line-height:1.55;" INK "\">";
static const char html_quotation[] =
    "<blockquote class=\"soft\" style=\"margin:16px 0 0;padding:0 0 0 16px;"
    "border-left:3px solid #dce3e1;font-size:16px;line-height:1.55;" SOFT "\">";
static const char html_button[] =
    "<table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" "
    "style=\"margin:20px 0 0\"><tr>"
    "<td class=\"go\" style=\"border-radius:6px;background:#0a6b62\"><a href=\"";
static const char html_label[] =
    "\" style=\"display:inline-block;padding:12px 22px;font-size:16px;font-weight:600;"
    "color:#ffffff;text-decoration:none\">";
static const char html_address[] =
    "</a></td></tr></table>\n"
    "<p class=\"soft\" style=\"margin:20px 0 0;font-size:14px;line-height:1.55;" SOFT "\">";
static const char html_ending[] =
    "</td></tr>\n"
    "<tr><td class=\"soft\" style=\"padding:16px 4px;font-size:13px;line-height:1.5;" SOFT "\">";
static const char html_foot[] =
    "</td></tr>\n</table>\n</td></tr>\n</table>\n</body></html>\n";

/* Adds what a person wrote as a quotation, so that it can't pass for words of ours. */
static void
quotation_add(struct ctx *c, struct buf *text, struct buf *html, const char *s, bool ours)
{
	if (!s || !*s)
		return;
	s = ours ? s : mail_inert(c, s);
	buf_str(html, html_quotation);
	add_text(html, HTML, s);
	buf_str(html, "</blockquote>\n");
	for (char *rest = mem_strdup(c->mem, s), *line; (line = str_split(&rest, '\n'));)
		buf_fmt(text, "> %s\n", line);
	buf_chr(text, '\n');
}

/* The button, and the address in full for those whose program shows none. */
static enum err
button_add(struct ctx *c, struct buf *text, struct buf *html, const struct mail_values *values,
    const char *label)
{
	const char *url, *until = "";

	TRY(link_url(c, values->link, &url));
	if (values->until)
		until = mem_printf(c->mem, "The link works once, until %s.", values->until);
	buf_fmt(text, "%s:\n%s\n\n%s%s", label, url, until, *until ? "\n\n" : "");
	buf_str(html, html_button);
	buf_html(html, url);
	buf_str(html, html_label);
	buf_html(html, label);
	buf_str(html, html_address);
	buf_html(html, until);
	buf_str(html,
	    " If the button doesn’t work, open this address:<br><a class=\"plain\" href=\"");
	buf_html(html, url);
	buf_str(html, "\" style=\"color:#0a6b62;word-break:break-all\">");
	buf_html(html, url);
	buf_str(html, "</a></p>\n");
	return E_OK;
}

static enum err
paragraph_add(struct ctx *c, struct buf *text, struct buf *html, const char *s,
    const struct mail_values *values, const struct template *t)
{
	if (str_eq(s, "{message}")) {
		quotation_add(c, text, html, values->message, t->ours);
		return E_OK;
	}
	if (str_eq(s, "{link}"))
		return button_add(c, text, html, values, t->button);
	TRY(text_expand(c, text, s, values, TEXT));
	buf_str(text, "\n\n");
	buf_str(html, html_paragraph);
	TRY(text_expand(c, html, s, values, HTML));
	buf_str(html, "</p>\n");
	return E_OK;
}

static enum err
head_add(
    struct ctx *c, struct buf *html, const struct template *t, const struct mail_values *values)
{
	buf_str(html, html_head);
	TRY(text_expand(c, html, t->subject, values, HTML));
	buf_str(html, html_top);
	letterhead_html(c, html, values->brand);
	buf_str(html, html_card);
	buf_str(html, letterhead_has_band(values->brand) ? "0 0 10px 10px" : "10px");
	buf_str(html, html_title);
	TRY(text_expand(c, html, t->subject, values, HTML));
	buf_str(html, "</h1>\n");
	return E_OK;
}

/* Appends the link that ends such mail. */
static void
stop_html(struct buf *html, const char *url)
{
	buf_str(html, "<br><a class=\"plain\" href=\"");
	buf_html(html, url);
	buf_str(html, "\" style=\"color:#0a6b62\">Unsubscribe</a>");
}

static enum err
ending_add(struct ctx *c, struct buf *text, struct buf *html, const struct template *t,
    const struct mail_values *values, const char *stop)
{
	TRY(text_expand(c, text, t->ending, values, TEXT));
	if (stop)
		buf_fmt(text, "\n\nUnsubscribe:\n%s", stop);
	signature_text(c, text, values->brand);
	buf_str(html, html_ending);
	TRY(text_expand(c, html, t->ending, values, HTML));
	if (stop)
		stop_html(html, stop);
	signature_html(c, html, values->brand);
	buf_str(html, html_foot);
	return E_OK;
}

enum err
mail_render(struct ctx *c, enum mail_template which, const struct mail_values *values,
    struct mail_text *out)
{
	const struct template *t = &templates[which];
	struct buf subject = BUF(c->mem), text = BUF(c->mem), html = BUF(c->mem);
	char *rest = mem_strdup(c->mem, t->body), *end;
	const char *stop = NULL;

	if (values->stop)
		TRY(link_url(c, values->stop, &stop));
	TRY(text_expand(c, &subject, t->subject, values, SUBJECT));
	TRY(head_add(c, &html, t, values));
	while (rest) {
		if ((end = strstr(rest, "\n\n")))
			*end = '\0';
		TRY(paragraph_add(c, &text, &html, rest, values, t));
		rest = end ? end + 2 : NULL;
	}
	TRY(ending_add(c, &text, &html, t, values, stop));
	*out = (struct mail_text){ t->name, buf_done(&subject), buf_done(&text), buf_done(&html),
		stop, values->reply_to, values->thread, values->answers };
	return E_OK;
}

/* ---- queueing ---- */

bool
mail_enabled(const struct ctx *c)
{
	return !str_eq(c->conf->smtp_url, "-");
}

static enum err
budget_pay(struct ctx *c, const struct mail *m)
{
	const struct pot *pot = templates[m->template].pot;

	if (pot->about_artifacts && !m->sender_id && !m->artifact_id)
		return fail_here(
		    c, "mail %s that costs nobody's budget", templates[m->template].name);
	return mailpot_pay(c, pot, &(struct mail_cause){ m->sender_id, m->artifact_id },
	    email_fold(c, m->to));
}

/* Copies the values and marks every pointer that is set as GIVEN, so that callers need not do
 * so. */
static struct mail_values *
values_given(struct ctx *c, const struct mail_values *values)
{
	struct mail_values *copy = mem_dup(c->mem, values, sizeof *values);

	for (size_t i = 0; i < mail_values_shape.n; i++) {
		const struct field *f = &mail_values_shape.fields[i];

		*((uint8_t *)copy + f->has) = *(const char **)((char *)copy + f->off) ? GIVEN
										      : ABSENT;
	}
	return copy;
}

static enum err
payload_read(struct ctx *c, const char *text, enum mail_template *which, struct mail_payload **out)
{
	struct json *json;

	TRY(json_parse(c, text ? text : "", text ? strlen(text) : 0, &json));
	TRY(shape_read(c, &mail_payload_shape, json, (void **)out));
	for (*which = 0; *which < MAIL_TEMPLATES; ++*which)
		if (str_eq(templates[*which].name, (*out)->template))
			return E_OK;
	return fail(c, E_INVALID, "template: no such template: %s", (*out)->template);
}

/* Rendered at once, because a failure in the runner would reach nobody. */
static enum err
mail_pack(struct ctx *c, const struct mail *m, const char **to, const char **payload)
{
	struct mail_payload p = { .template = templates[m->template].name,
		.queued_at = c->now,
		.values = values_given(c, &m->values),
		.has = { GIVEN, GIVEN, GIVEN } };
	struct mail_payload *again;
	enum mail_template which;
	struct mail_text text;

	if (!mail_enabled(c))
		return fail_lacks(c, "This installation can't send e-mail; contact its operator");
	TRY(mail_address(c, "to", m->to, to));
	*payload = shape_text(c->mem, &mail_payload_shape, &p);
	TRY(payload_read(c, *payload, &which, &again));
	return mail_render(c, which, again->values, &text);
}

#define OUTBOX_INSERT \
	"INSERT INTO outbox (id, kind, subject, payload, due_at) VALUES (?, 'mail', ?, ?, ?)"

enum err
mail_send(struct ctx *c, const struct mail *m)
{
	const char *to, *payload;

	TRY(mail_pack(c, m, &to, &payload));
	TRY(budget_pay(c, m));
	return db_exec(
	    c, EXEC(OUTBOX_INSERT), ARGS(id_new(c->mem, "out_"), to, payload, c->now), NULL);
}

enum err
mail_send_many(struct ctx *c, const struct mail *all, size_t n, bool *sent)
{
	const char **to = mem_array(c->mem, const char *, n + 1);
	struct arg *v = mem_array(c->mem, struct arg, 4 * n + 1);
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		to[i] = email_fold(c, all[i].to);
	if (n)
		TRY(mailpot_pay_many(
		    c, templates[all->template].pot, all->sender_id, to, n, sent));
	for (size_t i = 0; i < n; i++) {
		const char *address, *payload;

		if (!sent[i])
			continue;
		TRY(mail_pack(c, &all[i], &address, &payload));
		v[4 * rows] = arg_str(id_new(c->mem, "out_"));
		v[4 * rows + 1] = arg_str(address);
		v[4 * rows + 2] = arg_str(payload);
		v[4 * rows++ + 3] = arg_int(c->now);
	}
	return db_exec_many(c, EXEC(OUTBOX_INSERT), v, 4, rows);
}

/* ---- sending ---- */

static enum err
mail_dispatch(struct ctx *c, const char *id, const char *to, const struct mail_text *text,
    int64_t date, struct smtp_reply *out)
{
	const char *host = c->conf->base_url + strlen("https://"), *name, *from;
	struct mail_message m = { .id = id,
		.from = c->conf->mail_from,
		.to = to,
		.subject = text->subject,
		.text = text->text,
		.html = text->html,
		.date = date,
		.event = text->event,
		.stop = text->stop,
		.reply_to = text->reply_to,
		.thread = text->thread,
		.answers = text->answers };
	struct smtp_mail mail = { .to = to };

	m.id_host = mem_strndup(c->mem, host, strcspn(host, ":/"));
	TRY(mail_compose(c, &m, &mail.bytes, &mail.n));
	if (!str_mailbox(c->mem, c->conf->mail_from, &name, &from))
		return fail(c, E_INVALID,
		    "mail_from: must be an e-mail address, or Name <address>");
	TRY(mail_address(c, "mail_from", from, &mail.from));
	TRY(mail_address(c, "to", to, &mail.to));
	return smtp_send(c, &mail, out);
}

enum err
mail_deliver(struct ctx *c, const char *id, const char *to, const char *payload, int64_t *queued_at,
    struct smtp_reply *out)
{
	enum mail_template which;
	struct mail_payload *p;
	struct mail_text text;

	*queued_at = c->now;
	TRY(payload_read(c, payload, &which, &p));
	*queued_at = p->queued_at;
	if (!mail_enabled(c)) {
		*out = (struct smtp_reply){ SMTP_DOWN, "smtp_url is not set" };
		return E_OK;
	}
	TRY(mail_render(c, which, p->values, &text));
	return mail_dispatch(c, id, to, &text, p->queued_at, out);
}

enum err
mail_test(struct ctx *c, const char *to, struct smtp_reply *out)
{
	struct mail_values none = { 0 };
	struct mail_text text;

	if (!mail_enabled(c))
		return fail(c, E_INVALID, "smtp_url is not set in %s", c->conf->path);
	TRY(mail_render(c, MAIL_TEST, &none, &text));
	return mail_dispatch(c, id_new(c->mem, "out_"), to, &text, c->now, out);
}

/* ---- failures ---- */

static enum err
give_up(struct ctx *c, const char *id, const char *why)
{
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO mail_failed (id, recipient, template, attempts, failed_at, reason)"
		" SELECT id, subject, COALESCE(LEFT(IF(JSON_VALID(payload),"
		" JSON_VALUE(payload, '$.template'), NULL), 40), ''), attempts, ?, ?"
		" FROM outbox WHERE id = ?"),
	    ARGS(c->now, why, id), NULL));
	return db_exec(c, EXEC("DELETE FROM outbox WHERE id = ?"), ARGS(id), NULL);
}

enum err
mail_give_up(struct ctx *c, const char *id, const char *why)
{
	enum err e;

	TRY(db_begin(c));
	e = give_up(c, id, why);
	if (!e)
		e = db_commit(c);
	if (e)
		db_rollback(c);
	return e;
}

enum err
mail_list_failed(struct ctx *c, struct list *out)
{
	return db_all(c,
	    ROWS(mail_failed,
		"SELECT id, recipient, template, attempts, failed_at, reason FROM mail_failed"
		" ORDER BY failed_at DESC, id LIMIT 100"),
	    NOARGS, out);
}

#define COUNT(F, T) F(T, INT, n)
SHAPE_DECLARE(mail_count, COUNT);
SHAPE_DEFINE(mail_count, COUNT);

enum err
mail_count_failed(struct ctx *c, int64_t since, int64_t *n)
{
	struct mail_count *count;

	TRY(db_one(c,
	    ROWS(mail_count, "SELECT COUNT(*) AS n FROM mail_failed WHERE failed_at >= ?"),
	    ARGS(since), &count));
	*n = count->n;
	return E_OK;
}

/* Counts that are older than yesterday's. */
static enum err
mail_budget_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM mail_budget WHERE day < ? LIMIT ?"),
	    ARGS(c->now / DAY_S - 1, limit), removed);
}

static enum err
mail_failed_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM mail_failed WHERE failed_at < ? LIMIT ?"),
	    ARGS(c->now - KEEP_FAILED_S, limit), removed);
}

ROUNDS(mail, { "mail_budgets", .rows = mail_budget_reap },
    { "mails_failed", .rows = mail_failed_reap });
