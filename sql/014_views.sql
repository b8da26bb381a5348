-- Views of pages by day, and how far the log that nginx writes has been counted.

CREATE TABLE view_day (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  day INT UNSIGNED NOT NULL COMMENT 'days since 1970, UTC',
  views BIGINT NOT NULL COMMENT 'of all its pages, not by programs that say that they are',
  entry_views BIGINT NOT NULL COMMENT 'of these, at the address /',
  version_views BIGINT NOT NULL COMMENT 'of these, at the own address of a version',
  bot_views BIGINT NOT NULL COMMENT 'beside these: by programs',
  PRIMARY KEY (artifact_id, day),
  KEY view_day_day (day),
  CONSTRAINT view_day_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- One row for each file that nginx has begun. Written in the transaction that adds the views, so a view is counted once.
CREATE TABLE view_log (
  file VARCHAR(80) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY COMMENT 'which file it is: device, inode, time of birth',
  counted BIGINT NOT NULL COMMENT 'bytes of it'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
