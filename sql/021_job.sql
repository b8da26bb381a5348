-- Jobs of artifacts, what of them is to run and has run.

-- What is due is next_run_at <= now: it is NULL while a job has no schedule, is paused or deleted.
CREATE TABLE job (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'whose e-mails it counts as; NULL: the account has gone, and the job is off',
  name VARCHAR(120) NULL,
  action ENUM('email','webhook','chat_a','chat_b','http_get','materialize') NOT NULL,
  trigger_type ENUM('cron','event','alert') NOT NULL COMMENT 'alert: it is a destination of a metric alert, and stands in no list of jobs',
  schedule VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  timezone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT 'UTC',
  event_type ENUM('artifact.updated','artifact.viewed','comment.added') NULL,
  config MEDIUMTEXT NOT NULL COMMENT 'JSON, without what is secret',
  secrets MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the rest of it as JSON, sealed for job/<id>',
  max_attempts TINYINT UNSIGNED NOT NULL,
  backoff ENUM('fixed','exponential') NOT NULL,
  initial_delay INT UNSIGNED NOT NULL COMMENT 'seconds',
  enabled BOOLEAN NOT NULL DEFAULT TRUE,
  next_run_at BIGINT NULL,
  last_run_at BIGINT NULL,
  last_status ENUM('running','success','failed','retrying','skipped') NULL,
  failures INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'runs in a row that failed for good',
  told BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'its maker knows that it is failing',
  busy_run VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the one that is being carried out, so no other is',
  busy_until BIGINT NULL COMMENT 'when whoever carries it out counts as dead',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT NULL COMMENT 'the runner takes away its runs, then it',
  KEY job_due (next_run_at, id),
  KEY job_artifact (artifact_id, deleted_at, id),
  KEY job_event (artifact_id, event_type),
  KEY job_maker (created_by),
  KEY job_deleted (deleted_at),
  CONSTRAINT job_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE,
  CONSTRAINT job_maker_fk FOREIGN KEY (created_by) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A run stands in one of the queues (ready), in order of turn, or waits for due_at: for its next
-- attempt, for the end of the lease of who has it, for the run of its job that is being carried out.
CREATE TABLE job_run (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  job_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  occasion VARCHAR(80) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'what it runs for, once: a due time, an event, a minute',
  cause ENUM('cron','catch_up','event','manual','alert') NOT NULL,
  asked BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'somebody asked for it, so it runs though its job is paused',
  status ENUM('queued','running','retrying','success','failed','skipped') NOT NULL,
  lane TINYINT UNSIGNED NOT NULL COMMENT 'the queue that it belongs to, by its action: enum run_queue',
  ready TINYINT UNSIGNED NULL COMMENT 'the queue that it stands in',
  turn BIGINT NOT NULL COMMENT 'order in a queue, fair between artifacts: milliseconds',
  parked_of VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'its job, while it waits for another run of that',
  scheduled_for BIGINT NOT NULL,
  due_at BIGINT NULL COMMENT 'when it comes back into a queue: the next attempt, the end of a lease',
  attempt SMALLINT UNSIGNED NOT NULL DEFAULT 0,
  attempt_base SMALLINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'attempts before it was asked for once more',
  deaths SMALLINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'attempts of which nobody brought the end',
  fence INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'one more with each who takes it; who has an older one may not write any more',
  payload MEDIUMTEXT NULL COMMENT 'of an event or an alert: JSON',
  started_at BIGINT NULL COMMENT 'of the last attempt, as all below',
  finished_at BIGINT NULL COMMENT 'of the run',
  duration_ms BIGINT NULL,
  http_status SMALLINT UNSIGNED NULL,
  error VARCHAR(1000) NULL,
  output TEXT NULL COMMENT 'of the answer, 4 KiB at most',
  UNIQUE KEY job_run_occasion (job_id, occasion),
  KEY job_run_job (job_id, id),
  KEY job_run_artifact (artifact_id, id),
  KEY job_run_status (artifact_id, status, id),
  KEY job_run_ready (ready, turn, id),
  KEY job_run_due (due_at),
  KEY job_run_open (job_id, finished_at),
  KEY job_run_over (finished_at),
  CONSTRAINT job_run_job_fk FOREIGN KEY (job_id) REFERENCES job (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The attempts before the last one, which stands in job_run.
CREATE TABLE job_attempt (
  run_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  no SMALLINT UNSIGNED NOT NULL,
  started_at BIGINT NOT NULL,
  duration_ms BIGINT NULL COMMENT 'NULL: whoever made it died',
  http_status SMALLINT UNSIGNED NULL,
  error VARCHAR(1000) NULL,
  output TEXT NULL,
  PRIMARY KEY (run_id, no),
  CONSTRAINT job_attempt_run_fk FOREIGN KEY (run_id) REFERENCES job_run (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE mail_budget MODIFY kind ENUM('user','artifact','recipient','shared','signin','notice','comment','job') NOT NULL;
