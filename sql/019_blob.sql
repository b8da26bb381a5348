-- Files among an artifact's data. No foreign key leads to the artifact: a check of it would wait for whoever publishes, and keep them waiting.

CREATE TABLE artifact_blob (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  filename VARCHAR(255) NOT NULL,
  mime VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'by its bytes and name, not by who sent it',
  sha256 BINARY(32) NOT NULL,
  size_bytes BIGINT NOT NULL,
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: somebody who was not signed in, or whose account is gone',
  created_at BIGINT NOT NULL,
  KEY artifact_blob_list (artifact_id, id),
  KEY artifact_blob_sha256 (sha256),
  KEY artifact_blob_author (created_by)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- How many an artifact has and how large they are together: what its limits are held against. There from its first one on; a purge takes it away
-- before the files, so that none is added behind it.
CREATE TABLE blob_usage (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  blobs BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  CONSTRAINT blob_usage_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
