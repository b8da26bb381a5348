-- compatible: 58
-- Domains of one's own: hosts of others at which an artifact is served.

CREATE TABLE domain (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  host VARCHAR(253) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  state ENUM('waiting','proven','active','failed','lost') NOT NULL DEFAULT 'waiting',
  held VARCHAR(253) CHARACTER SET ascii COLLATE ascii_nopad_bin
    AS (IF(state IN ('proven','active'), host, NULL)) PERSISTENT COMMENT 'one artifact has a host',
  secret VARCHAR(24) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'of its TXT record',
  answer VARCHAR(24) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL
    COMMENT 'what this service answers at the host',
  redirect BOOLEAN NOT NULL DEFAULT 0,
  reason VARCHAR(400) NULL COMMENT 'what is missing, or why it ended, in words',
  attempts BIGINT NOT NULL DEFAULT 0 COMMENT 'looks since it waits',
  due_at BIGINT NULL COMMENT 'of the next look; a runner that looks sets this ahead',
  asked_at BIGINT NULL COMMENT 'when somebody last asked for a look',
  checked_at BIGINT NULL,
  gone_at BIGINT NULL COMMENT 'since when its TXT record is missing',
  silent_at BIGINT NULL COMMENT 'since when its name servers don''t answer',
  lapsed_at BIGINT NULL COMMENT 'since when the plan doesn''t include it',
  waits_at BIGINT NOT NULL COMMENT 'since when it waits',
  certificate_expires_at BIGINT NULL,
  certificate_due_at BIGINT NULL COMMENT 'of the next attempt to get one; an attempt sets this ahead',
  certificate_failures BIGINT NOT NULL DEFAULT 0 COMMENT 'attempts without a success since',
  created_at BIGINT NOT NULL,
  ended_at BIGINT NULL COMMENT 'failed or lost',
  UNIQUE KEY domain_held (held),
  KEY domain_host (host),
  KEY domain_artifact (artifact_id, id),
  KEY domain_due (due_at),
  KEY domain_certificate_due (certificate_due_at),
  KEY domain_ended (ended_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE domain_certificate_try (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  host VARCHAR(253) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  tenant VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'the workspace or owner',
  tried_at BIGINT NOT NULL,
  KEY domain_certificate_try_at (tried_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT 'attempts to get first certificates, for a day; rows of domains may be gone sooner';

ALTER TABLE artifact
  ADD COLUMN domains VARCHAR(2600) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL
    COMMENT 'its active hosts, with spaces between them',
  ADD COLUMN moved_to VARCHAR(253) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL
    COMMENT 'the one to which its plain address redirects',
  ALGORITHM=INSTANT;

ALTER TABLE site_link
  MODIFY COLUMN name VARCHAR(253) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  ALGORITHM=INSTANT;
