-- Signing in: passwords, sessions, providers, devices; seeing private artifacts; asking for access.
-- Of every secret only the SHA-256 is stored, except for passwords (yescrypt) and a token that waits for its device (sealed with the key file).

CREATE TABLE password (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  hash VARCHAR(191) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'as crypt(5) writes it',
  changed_at BIGINT NOT NULL,
  CONSTRAINT password_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE session (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  hash BINARY(32) NOT NULL COMMENT 'of the cookie',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  kind ENUM('password','provider') NOT NULL COMMENT 'how the person signed in: decides the name of the cookie',
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  agent VARCHAR(300) NOT NULL COMMENT 'User-Agent',
  UNIQUE KEY session_hash (hash),
  KEY session_user (user_id, id),
  KEY session_expires (expires_at),
  CONSTRAINT session_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Browsers from which a person has signed in before: guesses from elsewhere don't slow them down, and a new one is told of by e-mail.
CREATE TABLE known_browser (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  hash BINARY(32) NOT NULL COMMENT 'of the cookie',
  last_used_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, hash),
  KEY known_browser_used (last_used_at),
  CONSTRAINT known_browser_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A link sent by e-mail with which a password can be set, once.
CREATE TABLE password_link (
  hash BINARY(32) NOT NULL PRIMARY KEY,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  expires_at BIGINT NOT NULL,
  KEY password_link_user (user_id),
  KEY password_link_expires (expires_at),
  CONSTRAINT password_link_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who a provider says somebody is. A person may have several.
CREATE TABLE identity (
  issuer VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  subject VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  email VARCHAR(254) NOT NULL COMMENT 'as the provider last said',
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE KEY identity_id (id),
  KEY identity_user (user_id),
  CONSTRAINT identity_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Addresses of accounts that were merged into another.
CREATE TABLE email_alias (
  email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY COMMENT 'lower case',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  KEY email_alias_user (user_id),
  CONSTRAINT email_alias_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- One attempt to sign in at a provider, bound to the browser that began it.
CREATE TABLE provider_login (
  state_hash BINARY(32) NOT NULL PRIMARY KEY,
  browser_hash BINARY(32) NOT NULL,
  provider VARCHAR(63) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  nonce VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  verifier VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  next VARCHAR(2048) NOT NULL COMMENT 'where the browser goes afterwards',
  link_session_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'which wants to link it; NULL: a sign-in',
  expires_at BIGINT NOT NULL,
  KEY provider_login_expires (expires_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A program that waits for a person to approve it.
CREATE TABLE device_login (
  device_hash BINARY(32) NOT NULL PRIMARY KEY,
  user_code_hash BINARY(32) NOT NULL,
  state ENUM('pending','approved','denied') NOT NULL,
  expected_email VARCHAR(254) NULL,
  address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'where it was asked for',
  agent VARCHAR(300) NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  poll_s INT UNSIGNED NOT NULL COMMENT 'seconds between polls; grows when the program does not keep to it',
  polled_at BIGINT NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'who approved',
  sealed_token VARCHAR(400) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  warn VARCHAR(600) NULL,
  UNIQUE KEY device_login_code (user_code_hash),
  KEY device_login_expires (expires_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What lets a browser see a private artifact on its own host: a ticket is carried over once, and becomes a cookie there.
CREATE TABLE viewer (
  hash BINARY(32) NOT NULL PRIMARY KEY,
  kind ENUM('ticket','cookie') NOT NULL,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  session_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  expires_at BIGINT NOT NULL,
  KEY viewer_session (session_id),
  KEY viewer_expires (expires_at),
  CONSTRAINT viewer_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE,
  CONSTRAINT viewer_session_fk FOREIGN KEY (session_id) REFERENCES session (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE access_request (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'lower case',
  message VARCHAR(2000) NOT NULL,
  state ENUM('pending','approved','denied') NOT NULL,
  created_at BIGINT NOT NULL,
  decided_at BIGINT NULL,
  UNIQUE KEY access_request_artifact (artifact_id, email),
  KEY access_request_created (created_at),
  CONSTRAINT access_request_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
