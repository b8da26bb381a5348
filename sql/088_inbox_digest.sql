-- compatible: 58
-- A mail once a day with what is new in a person's inbox. Programs from before take such a kind as one without mail.

ALTER TABLE inbox_way
  MODIFY COLUMN way ENUM('page','mail','off','digest') NOT NULL,
  ADD COLUMN since BIGINT NOT NULL DEFAULT 0 COMMENT 'of this way';

ALTER TABLE inbox_item ADD COLUMN listed_at BIGINT NULL COMMENT 'when a daily mail had it; NULL: it is new to it';

CREATE TABLE inbox_digest (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  at_minute SMALLINT UNSIGNED NOT NULL DEFAULT 480 COMMENT 'of the day in zone',
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT 'UTC',
  next_at BIGINT NULL COMMENT 'NULL: no kind comes once a day',
  told_at BIGINT NOT NULL DEFAULT 0 COMMENT 'when the last one was queued',
  KEY inbox_digest_next (next_at),
  CONSTRAINT inbox_digest_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
