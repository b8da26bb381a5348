-- compatible: 58
-- Saved views of users' tables, and charts of an artifact.

CREATE TABLE data_view (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  table_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  name VARCHAR(80) NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'whose; NULL: shared',
  whose VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (COALESCE(user_id, '')) PERSISTENT,
  where_json TEXT NULL,
  sorted VARCHAR(200) NULL,
  column_names TEXT NULL COMMENT 'JSON: an array',
  widths TEXT NULL COMMENT 'JSON: pixels by column',
  totals TEXT NULL COMMENT 'JSON: a figure by column',
  group_column VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE KEY data_view_name (artifact_id, table_name, whose, name),
  KEY data_view_user (user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE data_chart (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  place INT NOT NULL,
  name VARCHAR(120) NOT NULL,
  kind VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  table_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  view_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  where_json TEXT NULL,
  group_column VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  period VARCHAR(10) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  bins INT NULL,
  split_column VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  measure VARCHAR(700) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  alert_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  KEY data_chart_artifact (artifact_id, place, id),
  KEY data_chart_view (view_id),
  KEY data_chart_alert (alert_id),
  CONSTRAINT data_chart_view_fk FOREIGN KEY (view_id) REFERENCES data_view (id),
  CONSTRAINT data_chart_alert_fk FOREIGN KEY (alert_id) REFERENCES metric_alert (id) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
