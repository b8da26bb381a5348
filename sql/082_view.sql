-- compatible: 58
-- Views: pages that show the files of a version which has none of its own, or beside them. Their bytes are objects.

CREATE TABLE view (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  version_no INT UNSIGNED NOT NULL,
  path VARBINARY(1024) NOT NULL COMMENT 'in the version, beside its files',
  source VARBINARY(1024) NOT NULL COMMENT 'the file that it shows; a folder ends with a slash',
  kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  renderer VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  sha256 BINARY(32) NOT NULL,
  size_bytes BIGINT NOT NULL,
  title VARCHAR(200) NOT NULL,
  problem VARCHAR(200) NULL COMMENT 'why it shows plain text or a download',
  made_at BIGINT NOT NULL,
  PRIMARY KEY (artifact_id, version_no, path),
  KEY view_sha256 (sha256),
  CONSTRAINT view_version_fk FOREIGN KEY (artifact_id, version_no) REFERENCES version (artifact_id, version_no) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
