-- compatible: 58
-- Index entries of users' tables are made late, for columns that somebody searches by. Tables that are there keep the entries of all columns.

ALTER TABLE data_table
  ADD COLUMN indexed BIGINT NOT NULL DEFAULT -1 COMMENT 'bits: slots of which each row has an entry',
  ADD COLUMN indexing BIGINT NOT NULL DEFAULT 0 COMMENT 'bits: slots whose entries the runner is making',
  ADD COLUMN change_no BIGINT NOT NULL DEFAULT 0 COMMENT 'grows with each change of rows or columns',
  ALGORITHM=INSTANT;
