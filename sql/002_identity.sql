-- E-mail: what is counted when one is queued, and what was given up.

CREATE TABLE mail_budget (
  kind ENUM('user','artifact','recipient') NOT NULL,
  subject VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'id, or the address in lower case',
  day INT UNSIGNED NOT NULL COMMENT 'days since 1970, UTC',
  used INT UNSIGNED NOT NULL,
  PRIMARY KEY (kind, subject, day),
  KEY mail_budget_day (day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Without the values: a link with a secret does not outlive the attempt.
CREATE TABLE mail_failed (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY COMMENT 'of the outbox row; left side of the Message-ID',
  recipient VARCHAR(255) NOT NULL,
  template VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  attempts INT UNSIGNED NOT NULL,
  failed_at BIGINT NOT NULL,
  reason VARCHAR(1000) NOT NULL,
  KEY mail_failed_at (failed_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A token minted for a given number of days ends then; any other lives on by being used.
ALTER TABLE token ADD COLUMN slide_s BIGINT NULL COMMENT 'life that each use renews; NULL: expires_at stands';

UPDATE token SET slide_s = 31536000 WHERE expires_at - COALESCE(last_used_at, created_at) = 31536000;

-- Shared with an address that has no account yet; becomes a collaborator when its person is known to own it.
CREATE TABLE collaborator_pending (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'lower case',
  role ENUM('viewer','editor') NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (artifact_id, email),
  KEY collaborator_pending_email (email),
  CONSTRAINT collaborator_pending_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
