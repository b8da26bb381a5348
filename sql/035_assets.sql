-- The asset library: of a workspace, or of a person.

-- What a library holds, which its limits are held against; there from its first file on.
CREATE TABLE asset_bucket (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY COMMENT 'bkt_ and what follows the prefix of whose it is',
  files BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  reserved BIGINT NOT NULL DEFAULT 0 COMMENT 'bytes of uploads whose first piece is there'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A place where bytes can be sent once. What is over is swept.
CREATE TABLE asset_upload (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  hash BINARY(32) NOT NULL COMMENT 'of the secret in its address',
  bucket_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the library is its maker''s own',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  filename VARCHAR(255) NULL COMMENT 'as announced',
  size_bytes BIGINT NULL COMMENT 'as announced',
  sha256 BINARY(32) NULL COMMENT 'as announced',
  blob_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: it is not all there yet',
  total BIGINT NULL COMMENT 'of what comes in pieces; reserved in the bucket until it ends',
  received BIGINT NOT NULL DEFAULT 0 COMMENT 'of it, durably',
  expires_at BIGINT NOT NULL,
  UNIQUE KEY asset_upload_hash (hash),
  KEY asset_upload_user (user_id, blob_id, expires_at),
  KEY asset_upload_workspace (workspace_id, user_id),
  KEY asset_upload_expires (expires_at),
  CONSTRAINT asset_upload_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A file's bytes: loose, or a version of a deliverable.
CREATE TABLE asset_blob (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  bucket_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the library is a person''s own',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'who has sent it, or has inherited it',
  deliverable_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: it is loose',
  filename VARCHAR(255) NOT NULL,
  mime VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'by its bytes and name, not by who sent it',
  sha256 BINARY(32) NOT NULL,
  size_bytes BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  KEY asset_blob_loose (bucket_id, deliverable_id, user_id, id),
  KEY asset_blob_deliverable (deliverable_id),
  KEY asset_blob_user (user_id, workspace_id),
  KEY asset_blob_sha256 (sha256),
  CONSTRAINT asset_blob_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE deliverable (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  bucket_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the library is its owner''s own',
  owner_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  folder_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  name VARCHAR(255) NOT NULL COMMENT 'NFC',
  visibility ENUM('private','workspace') NOT NULL,
  version INT UNSIGNED NOT NULL COMMENT 'the latest',
  blob_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'of that, too, so that lists need not look it up',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  KEY deliverable_list (bucket_id, id),
  KEY deliverable_owner (owner_id, workspace_id),
  KEY deliverable_folder (folder_id),
  CONSTRAINT deliverable_owner_fk FOREIGN KEY (owner_id) REFERENCES user (id),
  CONSTRAINT deliverable_folder_fk FOREIGN KEY (folder_id) REFERENCES folder (id) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE deliverable_version (
  deliverable_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  version INT UNSIGNED NOT NULL,
  blob_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  created_at BIGINT NOT NULL,
  PRIMARY KEY (deliverable_id, version),
  UNIQUE KEY deliverable_version_blob (blob_id),
  KEY deliverable_version_author (created_by),
  CONSTRAINT deliverable_version_fk FOREIGN KEY (deliverable_id) REFERENCES deliverable (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
