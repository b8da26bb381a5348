-- What was too long for the runner waits, and others' go on.

ALTER TABLE search_due
  ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0 COMMENT 'put off until then',
  ADD KEY search_due_at (due_at, kind, id);

CREATE TABLE too_long (
  name VARCHAR(60) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY COMMENT 'of a lane, or round. and that of a round',
  n BIGINT NOT NULL COMMENT 'statements that were ended since the table was made'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
