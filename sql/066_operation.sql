-- compatible: 58
-- Work on users' tables that takes longer than a request: the runner does it in pieces.

CREATE TABLE operation (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  table_no BIGINT NOT NULL,
  table_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  state ENUM('waiting','running','done','failed') NOT NULL DEFAULT 'waiting',
  total BIGINT NOT NULL DEFAULT 0 COMMENT 'rows',
  done BIGINT NOT NULL DEFAULT 0,
  batch_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  asked MEDIUMTEXT NOT NULL COMMENT 'JSON of the kind: what to do',
  place TEXT NULL COMMENT 'JSON of the kind: where it goes on',
  error TEXT NULL,
  attempts INT NOT NULL DEFAULT 0,
  due_at BIGINT NULL COMMENT 'when a runner may claim it; NULL: ended',
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT NULL,
  KEY operation_due (due_at),
  KEY operation_ended (ended_at),
  KEY operation_artifact (artifact_id),
  KEY operation_user (created_by)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
