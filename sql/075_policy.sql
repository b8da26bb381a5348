-- compatible: 58
-- Versions of rules for data, and how many rows people have lately added.

CREATE TABLE policy_version (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  no INT NOT NULL,
  text MEDIUMTEXT NULL COMMENT 'as it was written; NULL: no rules',
  at BIGINT NULL COMMENT 'NULL: older than the record of versions',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  PRIMARY KEY (artifact_id, no),
  KEY policy_version_user (user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE data_pace (
  table_no BIGINT NOT NULL COMMENT 'data_table.history_no',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  hour BIGINT NOT NULL COMMENT 'since 1970',
  n INT NOT NULL COMMENT 'rows added in that hour',
  n_before INT NOT NULL COMMENT 'in the hour before',
  PRIMARY KEY (table_no, user_id),
  KEY data_pace_user (user_id),
  KEY data_pace_hour (hour)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
