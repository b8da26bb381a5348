-- What a workspace's data means: a file for each thing, with front matter that is kept in columns.

ALTER TABLE workspace ADD COLUMN catalog BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'it is switched on';

-- A list reads all rows of a workspace, so they lie side by side, and the files elsewhere.
CREATE TABLE catalog_entry (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'stays while its path is the same',
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  path VARCHAR(255) NOT NULL COMMENT 'NFC',
  path_key BINARY(32) NOT NULL COMMENT 'SHA-256 of what is the same for paths that people take for the same',
  sha256 BINARY(32) NOT NULL COMMENT 'of the file; its first bytes are the ETag',
  kind ENUM('dataset','source','page','metric','term','doc') NOT NULL,
  title VARCHAR(200) NOT NULL,
  description TEXT NULL,
  domain VARCHAR(100) NULL,
  status ENUM('draft','verified','deprecated') NOT NULL,
  tags TEXT NOT NULL COMMENT 'a line each',
  owner VARCHAR(254) NULL,
  fields MEDIUMTEXT NOT NULL COMMENT 'JSON: name, type, description of each column',
  upstream TEXT NOT NULL COMMENT 'paths, a line each',
  words MEDIUMTEXT NOT NULL COMMENT 'title, tags, path, and description, a line each, folded',
  source_kind ENUM('table','document','page','connection') NULL COMMENT 'set although what it names is gone',
  source_artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  source_table VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  source_connection_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  source_closed BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'it is gone, and not everybody could open it',
  seeded BOOLEAN NOT NULL COMMENT 'nobody has edited what was seeded',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  PRIMARY KEY (workspace_id, id),
  UNIQUE KEY catalog_entry_id (id),
  UNIQUE KEY catalog_entry_path (workspace_id, path_key),
  KEY catalog_entry_table (source_artifact_id, source_table),
  KEY catalog_entry_connection (source_connection_id),
  KEY catalog_entry_user (updated_by),
  CONSTRAINT catalog_entry_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE catalog_file (
  entry_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  content MEDIUMTEXT NOT NULL COMMENT 'as it was written',
  CONSTRAINT catalog_file_entry_fk FOREIGN KEY (entry_id) REFERENCES catalog_entry (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What an entry says that it comes from: a path, whether there is an entry of it or not.
CREATE TABLE catalog_upstream (
  entry_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  path_key BINARY(32) NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  PRIMARY KEY (entry_id, path_key),
  KEY catalog_upstream_of (workspace_id, path_key, entry_id),
  CONSTRAINT catalog_upstream_entry_fk FOREIGN KEY (entry_id) REFERENCES catalog_entry (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What a workspace's connections fill.
ALTER TABLE job ADD KEY job_feeds (workspace_id, connection_id);
