-- compatible: 58
-- Merges: what a publish that met a conflict would have published, for an hour, until its maker has settled the conflicts.

CREATE TABLE merge_candidate (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'its maker',
  version_no INT UNSIGNED NOT NULL COMMENT 'the version that was live, with which it is united',
  request LONGTEXT NOT NULL COMMENT 'JSON: the publish, without its files',
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  KEY merge_candidate_artifact (artifact_id),
  KEY merge_candidate_user (user_id),
  KEY merge_candidate_expires (expires_at),
  CONSTRAINT merge_candidate_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id),
  CONSTRAINT merge_candidate_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE merge_file (
  candidate_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  path VARBINARY(1024) NOT NULL,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  sha256 BINARY(32) NOT NULL COMMENT 'of a conflict in a text: with marks',
  size_bytes BIGINT NOT NULL,
  mime VARCHAR(255) NOT NULL,
  declared BOOLEAN NOT NULL,
  conflict BOOLEAN NOT NULL,
  PRIMARY KEY (candidate_id, path),
  KEY merge_file_artifact (artifact_id),
  KEY merge_file_sha256 (sha256),
  CONSTRAINT merge_file_candidate_fk FOREIGN KEY (candidate_id) REFERENCES merge_candidate (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
