-- SPDX-License-Identifier: Apache-2.0
-- Pages that changed after their live version was published may have compressed forms of what they said before; the runner removes these. Installable
-- ones name their manifest in another way.
INSERT IGNORE INTO outbox (id, kind, subject, due_at)
  SELECT CONCAT('out_', SUBSTRING(a.id, 5)), 'project', a.id, 0 FROM artifact a
  JOIN version v ON v.artifact_id = a.id AND v.version_no = a.live_no
  WHERE (a.updated_at > v.created_at OR v.pwa IS NOT NULL) AND a.owner_id IS NOT NULL;
