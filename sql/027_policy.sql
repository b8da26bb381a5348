-- Who may come into a workspace.

ALTER TABLE workspace ADD COLUMN fenced BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'workspace_allowed has rows of it' AFTER member_access;

CREATE TABLE workspace_allowed (
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  value VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'lower case: a domain without @, or an address',
  PRIMARY KEY (workspace_id, value),
  CONSTRAINT workspace_allowed_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
