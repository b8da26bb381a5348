-- compatible: 58
-- Reviews: named people approve exactly the bytes of a version, or send them back. A version has a digest of all that is served of it.
-- A program from before writes none; it is computed when somebody needs it.

ALTER TABLE version
  ADD COLUMN digest BINARY(32) NULL COMMENT 'site/digest.h; NULL: not computed yet',
  ADD COLUMN next_sha256 BINARY(32) NULL COMMENT 'of next_name, next_policy and next_agent as they were published; NULL: there were none',
  ALGORITHM=INSTANT;

ALTER TABLE artifact
  ADD COLUMN review_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the open one',
  ADD COLUMN reviewed_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'this and the next four: of the last one that was approved',
  ADD COLUMN reviewed_no INT UNSIGNED NULL,
  ADD COLUMN reviewed_at BIGINT NULL,
  ADD COLUMN reviewed_digest BINARY(32) NULL,
  ADD COLUMN reviewed_live INT UNSIGNED NULL COMMENT 'the last live version with that digest; it applies while this is live_no',
  ALGORITHM=INSTANT;

CREATE TABLE review (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  version_no INT UNSIGNED NOT NULL,
  digest BINARY(32) NOT NULL COMMENT 'the version''s',
  message VARCHAR(1000) NULL,
  status ENUM('open','approved','sent_back','closed','superseded','expired') NOT NULL DEFAULT 'open',
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  created_at BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  decided_at BIGINT NULL,
  look_at BIGINT NOT NULL COMMENT 'when the runner looks who can still answer',
  open_of VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(status = 'open', artifact_id, NULL)) PERSISTENT,
  wake_at BIGINT AS (IF(status = 'open', LEAST(due_at, look_at), NULL)) PERSISTENT,
  UNIQUE KEY review_open (open_of),
  KEY review_wake (wake_at),
  KEY review_of (artifact_id, id),
  KEY review_maker (created_by),
  CONSTRAINT review_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE,
  CONSTRAINT review_maker_fk FOREIGN KEY (created_by) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE review_asked (
  review_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  n TINYINT UNSIGNED NOT NULL COMMENT 'its place in the list',
  kind ENUM('person','client') NOT NULL,
  subject_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'a user or a sharee',
  given_email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'the address that was asked; NULL: by id',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'who answered',
  answer ENUM('approve','send_back') NULL,
  note VARCHAR(2000) NULL,
  at BIGINT NULL,
  gone BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'can''t answer any more, and needn''t',
  PRIMARY KEY (review_id, n),
  KEY review_asked_subject (subject_id),
  KEY review_asked_user (user_id),
  CONSTRAINT review_asked_review_fk FOREIGN KEY (review_id) REFERENCES review (id) ON DELETE CASCADE,
  CONSTRAINT review_asked_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
