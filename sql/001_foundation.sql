-- Foundation: people, tokens, artifacts, versions, files, the outbox.
-- Ids, slugs, tokens and paths compare by bytes. Times are Unix seconds. Each statement ends with ";" at the end of a line.

CREATE TABLE user (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'lower case',
  name VARCHAR(200) NOT NULL DEFAULT '',
  created_at BIGINT NOT NULL,
  disabled_at BIGINT NULL,
  UNIQUE KEY user_email (email)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE token (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  hash BINARY(32) NOT NULL COMMENT 'SHA-256 of the token',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  name VARCHAR(200) NOT NULL DEFAULT '',
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT NULL,
  revoked_at BIGINT NULL,
  UNIQUE KEY token_hash (hash),
  KEY token_user (user_id, id),
  CONSTRAINT token_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE artifact (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  owner_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  name VARCHAR(200) NOT NULL,
  slug VARCHAR(63) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'kept when deleted, so that it can be restored',
  visibility ENUM('private','unlisted','public') NOT NULL,
  live_no INT UNSIGNED NULL COMMENT 'NULL while there are only drafts',
  last_no INT UNSIGNED NOT NULL,
  social_title VARCHAR(300) NULL,
  social_description VARCHAR(1000) NULL,
  social_image_url VARCHAR(2048) NULL,
  access_policy LONGTEXT NULL,
  agent LONGTEXT NULL,
  paused_at BIGINT NULL,
  deleted_at BIGINT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  KEY artifact_owner (owner_id, id),
  KEY artifact_deleted (deleted_at),
  CONSTRAINT artifact_owner_fk FOREIGN KEY (owner_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who holds a slug. An artifact's present slug has released_at NULL; one it was renamed away from, or whose artifact is deleted, stays with
-- its owner until trash_days have passed.
CREATE TABLE slug (
  slug VARCHAR(63) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  owner_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'outlives a purged artifact',
  released_at BIGINT NULL,
  KEY slug_artifact (artifact_id),
  KEY slug_released (released_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE version (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  version_no INT UNSIGNED NOT NULL,
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  created_at BIGINT NOT NULL,
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  message VARCHAR(1000) NULL,
  entrypoint VARBINARY(1024) NOT NULL,
  routing ENUM('static','spa') NOT NULL DEFAULT 'static',
  mobile_sha256 BINARY(32) NULL COMMENT 'object of mobile_html',
  mobile_size BIGINT NULL,
  pwa LONGTEXT NULL COMMENT 'as accepted, without the icon bytes',
  icon_sha256 BINARY(32) NULL COMMENT 'object of the PNG icon as sent',
  icon_size BIGINT NULL,
  file_count INT UNSIGNED NOT NULL,
  size_bytes BIGINT NOT NULL,
  PRIMARY KEY (artifact_id, version_no),
  UNIQUE KEY version_id (id),
  CONSTRAINT version_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE version_file (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  version_no INT UNSIGNED NOT NULL,
  path VARBINARY(1024) NOT NULL,
  sha256 BINARY(32) NOT NULL,
  size_bytes BIGINT NOT NULL,
  mime VARCHAR(255) NOT NULL,
  declared BOOLEAN NOT NULL COMMENT 'mime was sent and differs from what the extension gives',
  PRIMARY KEY (artifact_id, version_no, path),
  KEY version_file_sha256 (sha256),
  CONSTRAINT version_file_version_fk FOREIGN KEY (artifact_id, version_no) REFERENCES version (artifact_id, version_no) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The bytes a user has published: what a publish by digest alone may name.
CREATE TABLE owned_object (
  owner_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  sha256 BINARY(32) NOT NULL,
  size_bytes BIGINT NOT NULL,
  PRIMARY KEY (owner_id, sha256)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE collaborator (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  role ENUM('viewer','editor') NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (artifact_id, user_id),
  KEY collaborator_user (user_id, artifact_id),
  CONSTRAINT collaborator_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE,
  CONSTRAINT collaborator_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE favorite (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, artifact_id),
  KEY favorite_artifact (artifact_id),
  CONSTRAINT favorite_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE,
  CONSTRAINT favorite_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- First reply to an Idempotency-Key, written in the transaction of its effect.
CREATE TABLE idempotency (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  idem_key VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  request_sha256 BINARY(32) NOT NULL COMMENT 'method, path and body',
  status SMALLINT UNSIGNED NOT NULL,
  location VARCHAR(1024) NULL,
  body LONGTEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, idem_key),
  KEY idempotency_age (created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Effects outside the database, decided in the transaction and carried out after it: the worker tries at once, the runner makes sure.
CREATE TABLE outbox (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  kind VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  subject VARCHAR(255) NOT NULL COMMENT 'what it is about; project: the artifact id',
  payload LONGTEXT NULL,
  due_at BIGINT NOT NULL,
  attempts INT UNSIGNED NOT NULL DEFAULT 0,
  KEY outbox_due (due_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
