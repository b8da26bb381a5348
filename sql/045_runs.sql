-- What runs by itself in a workspace, for its admins: whose jobs and runs are, how many of them ended how on which day, and who is told.

ALTER TABLE job
  ADD COLUMN workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the artifact''s' AFTER artifact_id,
  ADD COLUMN noticed BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'those in run_notice know that it is failing' AFTER told,
  ADD COLUMN state TINYINT AS (IF(enabled, failures > 0, 2)) VIRTUAL COMMENT '1: failing, 2: paused';
UPDATE job j JOIN artifact a ON a.id = j.artifact_id SET j.workspace_id = a.workspace_id WHERE a.workspace_id IS NOT NULL;
ALTER TABLE job
  ADD KEY job_workspace (workspace_id, trigger_type, id),
  ADD KEY job_state (workspace_id, trigger_type, state, id);

ALTER TABLE job_run
  ADD COLUMN workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the artifact''s, which leads: of many, some follow a move later (job_move)' AFTER artifact_id,
  ADD COLUMN surface ENUM('schedule','automation') NULL COMMENT 'by its job; NULL: an alert''s' AFTER workspace_id;
UPDATE job_run r JOIN job j ON j.id = r.job_id SET r.workspace_id = j.workspace_id, r.surface = CASE j.trigger_type WHEN 'cron' THEN 'schedule' WHEN 'event' THEN 'automation' END;
ALTER TABLE job_run
  DROP KEY job_run_job,
  ADD KEY job_run_job (job_id, id, status),
  ADD KEY job_run_surface (workspace_id, surface, id),
  ADD KEY job_run_outcome (workspace_id, surface, status, id);

-- Artifacts in another workspace than some of their runs.
CREATE TABLE job_move (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  after_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'runs up to this one have followed',
  CONSTRAINT job_move_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE run_day (
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  day INT UNSIGNED NOT NULL COMMENT 'days since 1970, UTC',
  surface ENUM('schedule','automation') NOT NULL,
  success INT UNSIGNED NOT NULL,
  failed INT UNSIGNED NOT NULL,
  skipped INT UNSIGNED NOT NULL,
  took_ms BIGINT NOT NULL COMMENT 'sum of those that weren''t skipped',
  longest_ms BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, day, surface),
  KEY run_day_day (day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Runs that ended up to here are counted in run_day. One row.
CREATE TABLE run_counted (
  one TINYINT NOT NULL PRIMARY KEY,
  finished_at BIGINT NOT NULL,
  run_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'of those that ended in this second'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
INSERT INTO run_counted VALUES (1, 0, '');

CREATE TABLE run_notice (
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  PRIMARY KEY (workspace_id, user_id),
  KEY run_notice_user (user_id),
  CONSTRAINT run_notice_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id),
  CONSTRAINT run_notice_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
