/* SPDX-License-Identifier: Apache-2.0
 * A workspace's branding: its name, logo and color on its front page, in its e-mails and invites.
 * Its own pages don't use it. Source: core/README.md. */
#ifndef VITRINE_BRANDING_H
#define VITRINE_BRANDING_H
#include "core/mail.h"
#include "core/workspace.h"

#define BRANDING(F, T) \
	F(T, STR,   display_name,  .flags = F_NUL, .doc = "null to use the workspace's name") \
	F(T, STR,   color,         .flags = F_NUL, .doc = "#rrggbb") \
	F(T, URL,   logo_url,      .flags = F_NUL) \
	F(T, EMAIL, support_email, .flags = F_NUL) \
	F(T, STR,   footer,        .flags = F_NUL) \
	F(T, BOOL,  hide_vitrine, \
		.doc = "Takes effect only while the plan includes custom_branding") \
	F(T, STR,   logo,          .flags = F_HID) \
	F(T, STR,   name,          .flags = F_HID, \
		.doc = "What it is shown as: display_name, or the workspace's") \
	F(T, STR,   support_link,  .flags = F_HID, .doc = "mailto:…")
SHAPE_DECLARE(branding, BRANDING);

#define BRANDING_NEW(F, T) \
	F(T, STR,   display_name,  .flags = F_NUL, .lo = 1, .hi = 120) \
	F(T, STR,   color,         .flags = F_NUL, .doc = "#rrggbb", .eg = "\"#0a5c9e\"") \
	F(T, STR,   logo_url,      .flags = F_NUL, .hi = 2048, \
		.doc = "Read-only and ignored, so that you can send back what you read") \
	F(T, EMAIL, support_email, .flags = F_NUL) \
	F(T, STR,   footer,        .flags = F_NUL, .hi = 200) \
	F(T, BOOL,  hide_vitrine,  .doc = "Requires custom_branding", .eg = "false")
SHAPE_DECLARE(branding_new, BRANDING_NEW);

enum err branding_get(struct ctx *c, const char *workspace_id, struct branding **out);
/* Reads the branding; *out is NULL if none is set. */
enum err branding_find(struct ctx *c, const char *workspace_id, struct branding **out);
/* Fills in the fields `workspace` and `brand` of an e-mail. */
enum err branding_on_mail(struct ctx *c, const char *workspace_id, struct mail_values *);
/* Returns a color in its stored form, lower case; NULL for NULL. E_INVALID names the field
 * `where`. */
enum err branding_color(struct ctx *c, const char *where, const char *color, const char **out);
/* Sets the branding; missing fields return to their defaults. E_TIER_REQUIRED for hide_vitrine. */
enum err branding_set(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct branding_new *);
#endif
