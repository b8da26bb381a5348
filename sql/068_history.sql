-- compatible: 58
-- What rows were before each change, for 30 days, and deleted tables and columns that can come back.

CREATE TABLE data_change (
  history_no BIGINT NOT NULL COMMENT 'the table, or the first of those that replaced one another',
  row_id BINARY(16) NOT NULL COMMENT 'the first, if several rows were added',
  rev INT NOT NULL COMMENT 'data_row.rev before; -1: the row is new',
  batch BINARY(16) NOT NULL COMMENT 'bat_: one request, run or import; begins with its time',
  at BIGINT NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  via VARCHAR(8) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  act TINYINT NOT NULL COMMENT '0: added, 1: changed, 2: deleted',
  last_id BINARY(16) NULL COMMENT 'several rows were added: the last of them; ids between are theirs',
  n INT NOT NULL COMMENT 'rows',
  shape_no INT NULL COMMENT 'of doc',
  doc MEDIUMTEXT NULL COMMENT 'the row before; NULL: added',
  PRIMARY KEY (history_no, row_id, rev, batch),
  KEY data_change_batch (history_no, batch),
  KEY data_change_last (history_no, last_id),
  KEY data_change_user (user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE data_row
  ADD COLUMN rev INT NOT NULL DEFAULT 0 COMMENT 'grows with each change of the row',
  ALGORITHM=INSTANT;

ALTER TABLE data_table
  ADD COLUMN history_since BIGINT NOT NULL DEFAULT 0 COMMENT 'changes after this second are in data_change',
  ADD COLUMN history_bytes BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN trim_at BIGINT NULL COMMENT 'when changes must be deleted',
  ADD COLUMN kept MEDIUMTEXT NULL COMMENT 'like fields: dropped columns that can come back',
  ALGORITHM=INSTANT;

ALTER TABLE data_table ADD KEY data_table_trim (trim_at), ALGORITHM=INPLACE;

UPDATE data_table SET history_since = UNIX_TIMESTAMP();

CREATE TABLE data_deleted (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  table_no BIGINT NOT NULL,
  name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'of the table',
  slot TINYINT NULL COMMENT 'of a column; NULL: the whole table',
  column_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  deleted_at BIGINT NOT NULL,
  KEY data_deleted_artifact (artifact_id, deleted_at),
  KEY data_deleted_table (table_no),
  KEY data_deleted_user (user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
