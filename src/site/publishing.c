/* SPDX-License-Identifier: Apache-2.0 */
#include "site/publishing.h"

SHAPE_DEFINE(publish_file, PUBLISH_FILE);
SHAPE_DEFINE(publish_agent, PUBLISH_AGENT);
SHAPE_DEFINE(publish_new, PUBLISH_NEW);
SHAPE_DEFINE(published_artifact, PUBLISHED_ARTIFACT);
SHAPE_DEFINE(published_version, PUBLISHED_VERSION);
SHAPE_DEFINE(published_deployment, PUBLISHED_DEPLOYMENT);
SHAPE_DEFINE(published_pwa, PUBLISHED_PWA);
SHAPE_DEFINE(merged, MERGED);
SHAPE_DEFINE(published, PUBLISHED);
