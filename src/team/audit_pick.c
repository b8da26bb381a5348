/* SPDX-License-Identifier: Apache-2.0 */
#include "team/audit_pick.h"

#include "base/str.h"
#include "core/audit.h"

SHAPE_DEFINE(audit_choice, AUDIT_CHOICE);
SHAPE_DEFINE(audit_group, AUDIT_GROUP);

/* Lists the first parts of actions, in an order for people. */
static const struct {
	const char *group, *kinds;
} groups[] = {
	{ "Artifacts", "artifact|collaborator|access_request" },
	{ "Approvals", "approval|standing" },
	{ "Jobs", "job|runs" },
	{ "Members", "member|invite" },
	{ "Agents", "agent_token|agent" },
	{ "Clients", "sharee|grant|sharee_note" },
	{ "Folders", "folder" },
	{ "Library", "deliverable|delivery_link" },
	{ "Notes and catalog", "context|knowledge|note|catalog" },
	{ "Connections", "connection" },
	{ "Policies", "access_policy|publish_policy|agent_policy|session_policy" },
	{ "Workspace", "workspace|subdomain|branding|logo|ticket" },
	{ "Plan and billing", "plan|billing|feature" },
};
enum { GROUPS = sizeof groups / sizeof *groups };

static bool
action_found(const struct audit_words *w, const char *what)
{
	return !what || strcasestr(w->label, what) || strcasestr(w->sentence, what);
}

static bool
action_is(const struct audit_words *w, const char *kind)
{
	size_t n = strlen(kind);

	return !strncmp(w->action, kind, n) && w->action[n] == '.';
}

const char *
audit_action_sole(const char *what)
{
	const char *sole = NULL;

	for (const struct audit_words *w = audit_actions; what && w->action; w++)
		if (action_found(w, what)) {
			if (sole)
				return NULL;
			sole = w->action;
		}
	return sole;
}

/* Returns the index of the action's group; GROUPS, the last one, if no other has it. */
static size_t
group_of(void *mem, const char *action)
{
	const char *kind = mem_strndup(mem, action, strcspn(action, "."));
	size_t i = 0;

	while (i < GROUPS && !str_in(kind, groups[i].kinds))
		i++;
	return i;
}

static struct list
group_actions(void *mem, size_t group, const char *what, const char *chosen)
{
	size_t n = 0, most = 1;
	struct audit_choice *to;

	for (const struct audit_words *w = audit_actions; w->action; w++)
		most++;
	to = mem_array(mem, struct audit_choice, most);
	for (char *kind, *rest = mem_strdup(mem, group < GROUPS ? groups[group].kinds : "");
	     (kind = str_split(&rest, '|'));)
		for (const struct audit_words *w = audit_actions; w->action; w++)
			if ((*kind ? action_is(w, kind)
				   : group_of(mem, w->action) == GROUPS) &&
			    (action_found(w, what) || str_eq(w->action, chosen)))
				to[n++] = (struct audit_choice){ .action = w->action,
					.label = w->label, .chosen = str_eq(w->action, chosen) };
	if (group == GROUPS && chosen && !audit_words(chosen))
		to[n++] = (struct audit_choice){
			.action = chosen, .label = chosen, .chosen = true
		};
	return (struct list){ to, n };
}

struct list
audit_actions_offered(void *mem, const char *what, const char *chosen)
{
	struct audit_group *all = mem_array(mem, struct audit_group, GROUPS + 1);
	size_t n = 0;

	for (size_t i = 0; i <= GROUPS; i++) {
		struct list actions = group_actions(mem, i, what, chosen);

		if (actions.n)
			all[n++] = (struct audit_group){
				.group = i < GROUPS ? groups[i].group : "Other",
				.actions = actions
			};
	}
	return (struct list){ all, n };
}
