-- What of a workspace may be made public only when others approve.

ALTER TABLE workspace
  ADD COLUMN publish_policy ENUM('open','require_approval') NOT NULL DEFAULT 'open' AFTER fenced,
  ADD COLUMN approvals_required TINYINT UNSIGNED NOT NULL DEFAULT 1 AFTER publish_policy;

ALTER TABLE version ADD COLUMN approved BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'it may be live where everybody sees it';

-- One that is pending for an artifact at a time: pending_of. Past its time a pending one has expired.
CREATE TABLE approval (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  version_no INT UNSIGNED NOT NULL,
  visibility ENUM('unlisted','public') NOT NULL,
  requested_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  required TINYINT UNSIGNED NOT NULL COMMENT 'approvals that it takes, as the policy was then',
  status ENUM('pending','approved','rejected','cancelled','superseded','expired') NOT NULL DEFAULT 'pending',
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  decided_at BIGINT NULL,
  pending_of VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(status = 'pending', artifact_id, NULL)) PERSISTENT,
  due BIGINT AS (IF(status = 'pending', expires_at, NULL)) PERSISTENT COMMENT 'when the runner ends it',
  UNIQUE KEY approval_pending (pending_of),
  KEY approval_due (due),
  KEY approval_list (workspace_id, id),
  KEY approval_status (workspace_id, status, id),
  KEY approval_artifact (artifact_id),
  KEY approval_requester (requested_by, workspace_id, id),
  CONSTRAINT approval_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id),
  CONSTRAINT approval_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE,
  CONSTRAINT approval_requester_fk FOREIGN KEY (requested_by) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who is asked, and what they said. An approval without rows that name somebody is for any admin; who decides has a row then.
CREATE TABLE approver (
  approval_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  named BOOLEAN NOT NULL,
  decision ENUM('approve','reject') NULL,
  comment VARCHAR(1000) NULL,
  at BIGINT NULL,
  PRIMARY KEY (approval_id, user_id),
  KEY approver_user (user_id),
  CONSTRAINT approver_approval_fk FOREIGN KEY (approval_id) REFERENCES approval (id) ON DELETE CASCADE,
  CONSTRAINT approver_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
