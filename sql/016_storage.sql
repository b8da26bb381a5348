-- What people store: how much by artifact, and by person with the person's own limit.

-- An artifact's row goes when it is purged, before its other rows do.
CREATE TABLE artifact_storage (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  bytes BIGINT NOT NULL COMMENT 'each file once, however many versions have it',
  CONSTRAINT artifact_storage_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who has no row stores nothing, and has the usual limit.
CREATE TABLE storage (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'the sum of what their artifacts store',
  limit_bytes BIGINT NULL COMMENT 'NULL: storage_per_user; 0: none',
  CONSTRAINT storage_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

INSERT INTO artifact_storage (artifact_id, bytes)
  SELECT a.id, COALESCE(SUM(x.size_bytes), 0) FROM artifact a LEFT JOIN (
    SELECT DISTINCT artifact_id, sha256, size_bytes FROM version_file
    UNION ALL SELECT DISTINCT artifact_id, mobile_sha256, mobile_size FROM version WHERE mobile_sha256 IS NOT NULL
    UNION ALL SELECT DISTINCT artifact_id, icon_sha256, icon_size FROM version WHERE icon_sha256 IS NOT NULL
  ) x ON x.artifact_id = a.id WHERE a.owner_id IS NOT NULL GROUP BY a.id
  ON DUPLICATE KEY UPDATE bytes = VALUES(bytes);

INSERT INTO storage (user_id, bytes)
  SELECT a.owner_id, SUM(s.bytes) FROM artifact a JOIN artifact_storage s ON s.artifact_id = a.id WHERE a.owner_id IS NOT NULL GROUP BY a.owner_id
  ON DUPLICATE KEY UPDATE bytes = VALUES(bytes);
