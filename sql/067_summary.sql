-- compatible: 58
-- Answers of summaries, which are used again while their table is unchanged.

CREATE TABLE data_summary (
  table_no BIGINT NOT NULL,
  digest BINARY(32) NOT NULL COMMENT 'of the query and of what binds the reader',
  change_no BIGINT NOT NULL COMMENT 'of the table',
  body MEDIUMTEXT NOT NULL COMMENT 'JSON: the groups',
  row_n BIGINT NOT NULL,
  group_n BIGINT NOT NULL,
  truncated BOOLEAN NOT NULL,
  as_of BIGINT NOT NULL,
  PRIMARY KEY (table_no, digest)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
