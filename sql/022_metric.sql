-- Measures of users' tables that people are told of when they change: watches, alerts, and whom an alert tells.

-- table_name, column_name: as their designer calls them, so that a table that is made anew goes on to be watched.
CREATE TABLE metric_watch (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  table_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  kind ENUM('row_count','sum','avg','min','max','distinct','latest') NOT NULL,
  column_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  threshold_pct DOUBLE NOT NULL,
  baseline DOUBLE NULL COMMENT 'what a change is measured from; NULL: there was nothing to measure yet',
  value_last DOUBLE NULL,
  last_checked_at BIGINT NULL,
  last_fired_at BIGINT NULL,
  checks BIGINT NOT NULL DEFAULT 0 COMMENT 'whoever writes a check down has read this; of two, one does',
  created_at BIGINT NOT NULL,
  KEY metric_watch_table (artifact_id, table_name, id),
  KEY metric_watch_maker (created_by, id),
  CONSTRAINT metric_watch_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE,
  CONSTRAINT metric_watch_maker_fk FOREIGN KEY (created_by) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE metric_alert (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  name VARCHAR(120) NOT NULL,
  table_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  kind ENUM('row_count','sum','avg','min','max','distinct','latest') NOT NULL,
  column_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  op ENUM('above','below','change_pct') NOT NULL,
  value DOUBLE NOT NULL,
  breaches TINYINT UNSIGNED NOT NULL COMMENT 'checks in a row until it fires',
  breached TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'how many there have been',
  enabled BOOLEAN NOT NULL,
  state ENUM('ok','firing','no_data') NOT NULL DEFAULT 'ok',
  state_since BIGINT NOT NULL,
  value_last DOUBLE NULL,
  last_checked_at BIGINT NULL,
  checks BIGINT NOT NULL DEFAULT 0 COMMENT 'whoever writes a check down has read this; of two, one does',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  KEY metric_alert_table (artifact_id, table_name, id),
  CONSTRAINT metric_alert_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- People who want to be told by e-mail, each by themself.
CREATE TABLE metric_subscription (
  alert_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  email VARCHAR(254) NULL COMMENT 'another address of theirs; NULL: that of the account',
  created_at BIGINT NOT NULL,
  PRIMARY KEY (alert_id, user_id),
  KEY metric_subscription_user (user_id),
  CONSTRAINT metric_subscription_alert_fk FOREIGN KEY (alert_id) REFERENCES metric_alert (id) ON DELETE CASCADE,
  CONSTRAINT metric_subscription_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What its managers have it tell: an address, or a job that calls somebody.
CREATE TABLE metric_destination (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  alert_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  place TINYINT UNSIGNED NOT NULL COMMENT 'in the list',
  type ENUM('email','webhook','chat_a','chat_b') NOT NULL,
  email VARCHAR(254) NULL,
  job_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'of trigger_type alert',
  KEY metric_destination_alert (alert_id, place),
  KEY metric_destination_job (job_id),
  CONSTRAINT metric_destination_alert_fk FOREIGN KEY (alert_id) REFERENCES metric_alert (id) ON DELETE CASCADE,
  CONSTRAINT metric_destination_job_fk FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE data_table ADD COLUMN watched BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'whoever writes to it has its measures checked' AFTER dropped;

-- metric: what watches and alerts tell.
ALTER TABLE mail_budget MODIFY kind ENUM('user','artifact','recipient','shared','signin','notice','comment','job','metric') NOT NULL;
