-- compatible: 58
-- What bounds a table's history: the size that the table had at most of late. So emptying a table doesn't remove its history.

ALTER TABLE data_table
  ADD COLUMN size_most BIGINT NOT NULL DEFAULT 0 COMMENT 'the largest size_bytes before a change, of 30 days',
  ADD COLUMN size_most_at BIGINT NOT NULL DEFAULT 0 COMMENT 'of that change',
  ALGORITHM=INSTANT;
