-- Programs that a person has connected, the tokens they hold, and what they changed.

CREATE TABLE agent_grant (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'it acts in this workspace only',
  own_only BOOLEAN NOT NULL COMMENT 'it acts outside of workspaces only',
  scopes INT UNSIGNED NOT NULL COMMENT 'as in token',
  may_open BOOLEAN NOT NULL COMMENT 'it may let strangers in',
  client_id VARCHAR(4000) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  name VARCHAR(100) NOT NULL COMMENT 'what the program calls itself',
  host VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'where its person was sent back to',
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT NULL,
  ended_at BIGINT NULL,
  code_hash BINARY(32) NOT NULL COMMENT 'SHA-256 of the code that it began with',
  code_until BIGINT NOT NULL,
  redeemed BOOLEAN NOT NULL DEFAULT FALSE,
  redirect_uri VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  challenge CHAR(43) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'SHA-256 of the program''s verifier',
  reap_at BIGINT NOT NULL,
  UNIQUE KEY agent_grant_code (code_hash),
  KEY agent_grant_user (user_id, id),
  KEY agent_grant_workspace (workspace_id, user_id),
  KEY agent_grant_reap (reap_at),
  CONSTRAINT agent_grant_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE agent_refresh (
  hash BINARY(32) NOT NULL PRIMARY KEY COMMENT 'SHA-256 of the refresh token',
  grant_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT NULL COMMENT 'when it was first traded for another',
  uses INT UNSIGNED NOT NULL DEFAULT 0,
  KEY agent_refresh_grant (grant_id),
  KEY agent_refresh_expiry (expires_at),
  CONSTRAINT agent_refresh_grant_fk FOREIGN KEY (grant_id) REFERENCES agent_grant (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What a program changed, for its person to see.
CREATE TABLE agent_act (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  grant_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  at BIGINT NOT NULL,
  what VARCHAR(200) NOT NULL COMMENT 'the route, in words',
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  name VARCHAR(200) NULL COMMENT 'the artifact''s at the time',
  request_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  KEY agent_act_grant (grant_id, id),
  KEY agent_act_artifact (artifact_id),
  KEY agent_act_at (at),
  CONSTRAINT agent_act_grant_fk FOREIGN KEY (grant_id) REFERENCES agent_grant (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE token
  ADD COLUMN grant_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the program that holds it',
  ADD COLUMN own_only BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'it acts outside of workspaces only',
  ADD COLUMN may_open BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'it may let strangers in',
  ADD KEY token_grant (grant_id, expires_at),
  ADD CONSTRAINT token_grant_fk FOREIGN KEY (grant_id) REFERENCES agent_grant (id) ON DELETE CASCADE;

-- A request of a program to be connected is longer than other addresses of ours.
ALTER TABLE provider_login MODIFY COLUMN next VARCHAR(4096) NOT NULL COMMENT 'where the browser goes afterwards';
ALTER TABLE factor_login MODIFY COLUMN next VARCHAR(4096) NULL COMMENT 'where the browser goes afterwards';
