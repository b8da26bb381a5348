-- A workspace's sources: servers that jobs ask with credentials that nobody sees again.

CREATE TABLE connection (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  provider VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'http, postgres, or a file''s name in connections_dir',
  kind ENUM('http','oauth2','postgres','chat') NOT NULL,
  name VARCHAR(100) NOT NULL COMMENT 'NFC',
  name_key VARCHAR(300) NOT NULL COMMENT 'the same for names that people take for the same',
  auth_mode ENUM('shared','member') NOT NULL,
  config TEXT NOT NULL COMMENT 'JSON, nothing secret',
  remote_account VARCHAR(255) NULL COMMENT 'whose it is at the provider, as that calls it; oauth2 and chat with shared credentials',
  last_used_at BIGINT NULL,
  last_error VARCHAR(500) NULL COMMENT 'in words; NULL: it worked',
  last_error_at BIGINT NULL,
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE KEY connection_name (workspace_id, name_key),
  UNIQUE KEY connection_account (workspace_id, provider, remote_account),
  KEY connection_of (workspace_id, id),
  KEY connection_maker (created_by),
  CONSTRAINT connection_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What a connection signs in with: everybody's, or one member's.
CREATE TABLE connection_credential (
  connection_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  holder VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'the user, or an empty text: shared',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the same, or NULL',
  sealed TEXT CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  expires_at BIGINT NULL COMMENT 'of an access token, which is renewed then',
  needs_auth BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'the provider takes it no longer',
  lease_until BIGINT NULL COMMENT 'somebody renews it until then, so that no lock is held over the network',
  used_at BIGINT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (connection_id, holder),
  KEY connection_credential_user (user_id),
  CONSTRAINT connection_credential_connection_fk FOREIGN KEY (connection_id) REFERENCES connection (id) ON DELETE CASCADE,
  CONSTRAINT connection_credential_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Somebody was sent to a provider, and comes back with this once.
CREATE TABLE connection_state (
  hash BINARY(32) NOT NULL PRIMARY KEY COMMENT 'SHA-256 of state',
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  provider VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  connection_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'which is to be renewed; NULL: a new one',
  sealed TEXT CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'session or token, verifier, what else the start said',
  expires_at BIGINT NOT NULL,
  KEY connection_state_old (expires_at),
  KEY connection_state_user (user_id),
  CONSTRAINT connection_state_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id),
  CONSTRAINT connection_state_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What a job asks, and what it fills: so that both ends find it. No foreign key: a job outlives its connection, and says so when it runs.
ALTER TABLE job
  ADD COLUMN connection_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL AFTER config,
  ADD COLUMN fills VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the table; an empty text: the document; NULL: neither' AFTER connection_id,
  ADD KEY job_connection (connection_id, id);
UPDATE job SET fills = COALESCE(JSON_VALUE(config, '$.target.table'), '') WHERE action = 'materialize';
UPDATE job SET fills = CASE WHEN JSON_VALUE(config, '$.save_to') = 'json' THEN '' ELSE SUBSTR(JSON_VALUE(config, '$.save_to'), 7) END
  WHERE action = 'http_get' AND (JSON_VALUE(config, '$.save_to') = 'json' OR JSON_VALUE(config, '$.save_to') LIKE 'table:%');
