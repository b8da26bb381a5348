-- What a workspace's data means: a file for each thing, with front matter that is kept in columns.

ALTER TABLE workspace ADD COLUMN catalog BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'it is switched on';

CREATE TABLE catalog_entry (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY COMMENT 'stays while its path is the same',
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  path VARCHAR(255) NOT NULL COMMENT 'NFC',
  path_key VARCHAR(765) NOT NULL COMMENT 'the same for paths that people take for the same',
  content MEDIUMTEXT NOT NULL COMMENT 'the file as it was written',
  kind VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  title VARCHAR(200) NOT NULL,
  description TEXT NULL,
  domain VARCHAR(100) NULL,
  status ENUM('draft','verified','deprecated') NOT NULL DEFAULT 'draft',
  tags TEXT NOT NULL DEFAULT '[]' COMMENT 'JSON',
  owner VARCHAR(254) NULL,
  fields MEDIUMTEXT NOT NULL DEFAULT '[]' COMMENT 'JSON: name, type, description of each column',
  source_kind ENUM('table','artifact','connection') NULL COMMENT 'set although what it names is gone',
  source_artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  source_table VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  source_connection_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  seeded BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'nobody has edited what was seeded',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  UNIQUE KEY catalog_entry_path (workspace_id, path_key),
  KEY catalog_entry_of (workspace_id, id),
  KEY catalog_entry_table (source_artifact_id, source_table),
  KEY catalog_entry_connection (source_connection_id),
  KEY catalog_entry_user (updated_by),
  CONSTRAINT catalog_entry_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What an entry says that it comes from: a path, whether there is an entry of it or not.
CREATE TABLE catalog_upstream (
  entry_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  path_key VARCHAR(765) NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  path VARCHAR(255) NOT NULL,
  PRIMARY KEY (entry_id, path_key),
  KEY catalog_upstream_of (workspace_id, path_key, entry_id),
  CONSTRAINT catalog_upstream_entry_fk FOREIGN KEY (entry_id) REFERENCES catalog_entry (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
