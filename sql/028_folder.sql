-- Folders of a workspace, who paused an artifact, and what the table of those who govern is sorted by.

CREATE TABLE folder (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  parent_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: at the top',
  name VARCHAR(120) NOT NULL COMMENT 'NFC',
  name_key VARCHAR(360) NOT NULL COMMENT 'the same for names that people take for the same',
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  parent_key VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (COALESCE(parent_id, '')) PERSISTENT COMMENT 'siblings at the top are siblings, too',
  UNIQUE KEY folder_sibling (workspace_id, parent_key, name_key),
  KEY folder_name (workspace_id, name_key, id),
  KEY folder_parent (parent_id),
  KEY folder_created_by (created_by),
  CONSTRAINT folder_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id),
  CONSTRAINT folder_parent_fk FOREIGN KEY (parent_id) REFERENCES folder (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- artifact_folder leads the lists of a folder, and counts it without the rows themselves.
ALTER TABLE artifact
  ADD COLUMN folder_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL AFTER workspace_id,
  ADD COLUMN pauser ENUM('operator','admin') NULL COMMENT 'who paused it: what an operator paused only an operator resumes' AFTER paused_at,
  ADD COLUMN pause_reason VARCHAR(500) NULL AFTER pauser,
  ADD KEY artifact_folder (folder_id, workspace_id, id, deleted_at, owner_id),
  ADD KEY artifact_touched (workspace_id, updated_at, id),
  ADD CONSTRAINT artifact_folder_fk FOREIGN KEY (folder_id) REFERENCES folder (id);

UPDATE artifact SET pauser = 'operator' WHERE paused_at IS NOT NULL AND pauser IS NULL;

ALTER TABLE artifact_storage
  ADD COLUMN workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the artifact''s' AFTER artifact_id,
  ADD COLUMN views BIGINT NOT NULL DEFAULT 0 COMMENT 'of the last 30 days',
  ADD COLUMN views_until INT UNSIGNED NULL COMMENT 'the day on which they are fewer, as in view_day; NULL: there are none',
  ADD KEY artifact_storage_bytes (workspace_id, bytes, artifact_id),
  ADD KEY artifact_storage_views (workspace_id, views, artifact_id),
  ADD KEY artifact_storage_until (views_until);

UPDATE artifact_storage s JOIN artifact a ON a.id = s.artifact_id SET s.workspace_id = a.workspace_id WHERE a.workspace_id IS NOT NULL;

UPDATE artifact_storage s JOIN (
  SELECT artifact_id, SUM(views) AS views, MIN(day) + 30 AS until FROM view_day WHERE day > UNIX_TIMESTAMP() DIV 86400 - 30 GROUP BY artifact_id
) v ON v.artifact_id = s.artifact_id SET s.views = v.views, s.views_until = v.until;

ALTER TABLE audit ADD KEY audit_action (workspace_id, action, id);
