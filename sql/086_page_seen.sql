-- compatible: 58
-- What a browser of ours saw of versions, in place of page_check. That table stays for programs of the former release, which write it;
-- a later release drops it.

CREATE TABLE page_seen (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  version_no INT UNSIGNED NOT NULL,
  wanted_at BIGINT NOT NULL DEFAULT 0 COMMENT 'since when what is seen next is awaited; 0: it is not',
  waiter_until BIGINT NOT NULL DEFAULT 0 COMMENT 'until when somebody waits for it, who goes first; 0: nobody asked',
  due_at BIGINT NULL COMMENT 'when a runner may open it: while one does, when its lease ends; NULL: none is to',
  attempts INT UNSIGNED NOT NULL DEFAULT 0,
  begun_at BIGINT NOT NULL DEFAULT 0 COMMENT 'when the last attempt began',
  seen_at BIGINT NULL,
  seen MEDIUMTEXT NULL COMMENT 'JSON: what was seen, or why nothing was; set with seen_at',
  sha256 BINARY(32) NULL COMMENT 'of the picture, a PNG',
  size_bytes BIGINT NULL,
  phone_sha256 BINARY(32) NULL COMMENT 'of the picture on a phone',
  phone_size BIGINT NULL,
  PRIMARY KEY (artifact_id, version_no),
  KEY page_seen_due (due_at, artifact_id),
  KEY page_seen_waiter (waiter_until),
  KEY page_seen_sha256 (sha256),
  KEY page_seen_phone (phone_sha256),
  CONSTRAINT page_seen_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

INSERT IGNORE INTO page_seen (artifact_id, version_no, wanted_at, due_at, begun_at, seen_at, seen)
  SELECT artifact_id, version_no, IF(found IS NULL, wanted_at, 0), due_at, begun_at, checked_at, found FROM page_check;

-- Checks: what a browser must see of a version before it goes live.

ALTER TABLE artifact ADD COLUMN checks TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'bits of those that its versions must pass', ALGORITHM=INSTANT;
ALTER TABLE version
  ADD COLUMN checks TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'bits of those that it must pass',
  ADD COLUMN check_state VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'waiting, passed, failed, unseen, moved; NULL: it has none',
  ADD COLUMN check_why VARCHAR(1000) NULL,
  ALGORITHM=INSTANT;

CREATE TABLE version_hold (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  version_no INT UNSIGNED NOT NULL,
  live_no INT UNSIGNED NULL COMMENT 'what was live when it was published',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'who published it, and makes it live',
  token_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'with which; NULL: in a browser',
  goes_live BOOLEAN NOT NULL COMMENT 'FALSE: something else holds it, too',
  until_at BIGINT NOT NULL,
  PRIMARY KEY (artifact_id, version_no),
  KEY version_hold_until (until_at),
  KEY version_hold_user (user_id),
  CONSTRAINT version_hold_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
