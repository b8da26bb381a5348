-- What went wrong when a browser of ours opened an artifact's live version, and which are to be opened.

CREATE TABLE page_check (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  version_no INT UNSIGNED NOT NULL COMMENT 'which was opened, or is to be',
  wanted_at BIGINT NOT NULL COMMENT 'since when it is',
  due_at BIGINT NULL COMMENT 'when somebody may open it: while somebody does, when the lease ends; NULL: it is not to be opened',
  attempts INT UNSIGNED NOT NULL DEFAULT 0,
  begun_at BIGINT NOT NULL DEFAULT 0 COMMENT 'when the last attempt was, of any version',
  checked_at BIGINT NULL COMMENT 'when it was opened; NULL: it never was',
  found MEDIUMTEXT NULL COMMENT 'JSON: what went wrong; set with checked_at',
  KEY page_check_due (due_at, artifact_id),
  CONSTRAINT page_check_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
