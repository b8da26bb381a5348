-- Pictures of public pages, for their cards, and which are to be made.

CREATE TABLE picture (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  version_no INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'which was looked at last; 0: none',
  sha256 BINARY(32) NULL COMMENT 'NULL: there is no picture, a card is drawn',
  size_bytes BIGINT NULL,
  wanted_at BIGINT NOT NULL COMMENT 'since when another one is',
  due_at BIGINT NULL COMMENT 'when somebody may make it: while somebody does, when the lease ends; NULL: none is to be made',
  attempts INT UNSIGNED NOT NULL DEFAULT 0,
  begun_at BIGINT NOT NULL DEFAULT 0 COMMENT 'when the last attempt was',
  KEY picture_due (due_at, artifact_id),
  KEY picture_sha256 (sha256),
  CONSTRAINT picture_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What is public already has its turn, ten a minute, so that what is published meanwhile need not wait for it.
INSERT IGNORE INTO picture (artifact_id, wanted_at, due_at)
  SELECT id, UNIX_TIMESTAMP(), UNIX_TIMESTAMP() + 6 * ROW_NUMBER() OVER (ORDER BY updated_at DESC) FROM artifact WHERE visibility = 'public' AND live_no IS NOT NULL
  AND paused_at IS NULL AND deleted_at IS NULL AND owner_id IS NOT NULL;
