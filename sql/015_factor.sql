-- A second factor for sign-ins by password: codes of an authenticator app (RFC 6238), and recovery codes.

-- There is a row while it is on.
CREATE TABLE factor (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  sealed VARCHAR(200) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'the secret, sealed with the key file',
  last_step BIGINT NOT NULL COMMENT 'codes of this time step and of those before it are used',
  on_at BIGINT NOT NULL,
  told_at BIGINT NOT NULL DEFAULT 0 COMMENT 'that somebody knows the password and guesses codes',
  CONSTRAINT factor_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Codes for who has no app at hand; each works once, and goes.
CREATE TABLE factor_recovery (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  hash BINARY(32) NOT NULL,
  PRIMARY KEY (user_id, hash),
  CONSTRAINT factor_recovery_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A secret that is being set up: shown in the browser that asked for it, and gone with its session.
CREATE TABLE factor_setup (
  session_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  sealed VARCHAR(200) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  created_at BIGINT NOT NULL,
  CONSTRAINT factor_setup_session_fk FOREIGN KEY (session_id) REFERENCES session (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A sign-in whose password was right and that waits for the code, in the browser that began it.
CREATE TABLE factor_login (
  hash BINARY(32) NOT NULL PRIMARY KEY COMMENT 'of the cookie',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  next VARCHAR(2048) NULL COMMENT 'where the browser goes afterwards',
  tries INT NOT NULL,
  expires_at BIGINT NOT NULL,
  KEY factor_login_user (user_id),
  KEY factor_login_expires (expires_at),
  CONSTRAINT factor_login_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Messages that wait to be sent, as the texts of this release want them.
UPDATE outbox SET payload = JSON_SET(payload, '$.template', 'invitation', '$.values.by', 'Whoever runs the service')
  WHERE kind = 'mail' AND IF(JSON_VALID(payload), JSON_VALUE(payload, '$.template'), '') = 'verify_email';
UPDATE outbox SET payload = JSON_SET(payload, '$.values.link', '/auth/account')
  WHERE kind = 'mail' AND IF(JSON_VALID(payload), JSON_VALUE(payload, '$.template'), '') = 'signin_new_device';
