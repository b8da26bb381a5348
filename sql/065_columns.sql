-- compatible: 58
-- Columns of users' tables: dates, choices, links, and renames are in data_table.fields; keys are here.

ALTER TABLE data_table
  ADD COLUMN key_slot TINYINT NOT NULL DEFAULT -1 COMMENT 'the slot of the column whose values differ; -1: none',
  ADD COLUMN history_no BIGINT NOT NULL DEFAULT 0 COMMENT 'the number that the table first had; 0: it still has it',
  ADD COLUMN held_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the operation during which nobody else writes rows',
  ALGORITHM=INSTANT;

CREATE TABLE data_key (
  table_no BIGINT NOT NULL,
  k VARBINARY(161) NOT NULL COMMENT 'the key; rows without a value have none',
  row_id BINARY(16) NOT NULL,
  PRIMARY KEY (table_no, k)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
