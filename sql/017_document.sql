-- The JSON document of an artifact.

CREATE TABLE document (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  body LONGTEXT NOT NULL COMMENT 'an object, compact; numbers and names as they were sent',
  sha256 BINARY(32) NOT NULL COMMENT 'of body; its first bytes are the ETag',
  size_bytes INT UNSIGNED NOT NULL,
  updated_at BIGINT NOT NULL,
  CONSTRAINT document_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
