-- compatible: 58
-- Pictures of pages in two versions, and what differs in them. A row is a page of a pair of versions.

CREATE TABLE compare_picture (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  from_no INT UNSIGNED NOT NULL,
  to_no INT UNSIGNED NOT NULL,
  page_no TINYINT UNSIGNED NOT NULL COMMENT '0: the entry page',
  path VARCHAR(1024) NOT NULL,
  due_at BIGINT NULL COMMENT 'when a runner may open it: while one does, when its lease ends; NULL: none is to',
  attempts INT UNSIGNED NOT NULL DEFAULT 0,
  looked_at BIGINT NOT NULL COMMENT 'when somebody last looked at the pair, to a day',
  found TEXT NULL COMMENT 'JSON: what differs; NULL while due, and if it failed',
  from_sha256 BINARY(32) NULL COMMENT 'of the picture, a PNG; NULL: there is none',
  from_size BIGINT NULL,
  to_sha256 BINARY(32) NULL,
  to_size BIGINT NULL,
  PRIMARY KEY (artifact_id, from_no, to_no, page_no),
  KEY compare_picture_due (due_at, artifact_id),
  KEY compare_picture_looked (looked_at),
  KEY compare_picture_from (from_sha256),
  KEY compare_picture_to (to_sha256),
  CONSTRAINT compare_picture_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
