/* SPDX-License-Identifier: Apache-2.0
 * Comments whose threads a draft would have resolved, and no longer does (talk/answer.c). */
#ifndef VITRINE_REMARKS_PASSED_H
#define VITRINE_REMARKS_PASSED_H

/* A statement for a compound one (BEGIN NOT ATOMIC) that publishes a live version of the artifact
 * art, one of its variables. It locks nothing unless there are any. */
#define REMARKS_PASSED(art) \
	" IF EXISTS (SELECT 1 FROM comment WHERE artifact_id = " art \
	" AND pending_version_no IS NOT NULL) THEN UPDATE comment SET pending_version_no = NULL" \
	" WHERE artifact_id = " art " AND pending_version_no IS NOT NULL; END IF;"
#endif
