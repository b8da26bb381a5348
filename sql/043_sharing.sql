-- Sharing with people outside of a workspace: clients, their people, what each may open, notes about them, and what they did.

-- A guest was invited by address and has not signed in: no address of an account's, so that nothing finds them by it. Whoever first
-- proves to have invited_email becomes a person with the same id.
ALTER TABLE user DROP CONSTRAINT user_person_has_email;
ALTER TABLE user
  MODIFY kind ENUM('person','agent','guest') NOT NULL DEFAULT 'person',
  ADD COLUMN invited_email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'lower case; a guest has one' AFTER email,
  ADD COLUMN outside BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'may have something by a grant; FALSE: has nothing',
  ADD UNIQUE KEY user_invited (invited_email),
  ADD KEY user_kind (kind),
  ADD CONSTRAINT user_has_email CHECK ((email IS NOT NULL) = (kind = 'person') AND (invited_email IS NOT NULL) = (kind = 'guest'));

-- A client organisation.
CREATE TABLE sharee (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  name VARCHAR(120) NOT NULL COMMENT 'NFC',
  name_key VARCHAR(360) NOT NULL COMMENT 'the same for names that people take for the same',
  type VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT 'client',
  properties LONGTEXT NULL COMMENT 'a flat object',
  logo CHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'last part of its address; random, another one for each image',
  logo_sha256 BINARY(32) NULL,
  logo_size INT UNSIGNED NULL,
  color CHAR(7) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  created_at BIGINT NOT NULL,
  UNIQUE KEY sharee_name (workspace_id, name_key),
  UNIQUE KEY sharee_logo (logo),
  KEY sharee_logo_object (logo_sha256),
  KEY sharee_of (workspace_id, id),
  KEY sharee_maker (created_by),
  CONSTRAINT sharee_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- One of its people.
CREATE TABLE sharee_member (
  sharee_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'the client''s',
  given_email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'the address that was invited; NULL: that of the account',
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  created_at BIGINT NOT NULL,
  PRIMARY KEY (sharee_id, user_id),
  KEY sharee_member_user (user_id, workspace_id, sharee_id),
  KEY sharee_member_workspace (workspace_id, user_id),
  KEY sharee_member_maker (created_by),
  CONSTRAINT sharee_member_sharee_fk FOREIGN KEY (sharee_id) REFERENCES sharee (id) ON DELETE CASCADE,
  CONSTRAINT sharee_member_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What a client, or one person, may do with one thing. Neither side has a foreign key, since each is of several tables.
CREATE TABLE share_grant (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'of the thing, too, or else it gives nothing',
  subject_type ENUM('sharee','external_user') NOT NULL,
  subject_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'a sharee or a user',
  resource_type ENUM('folder','artifact','file') NOT NULL,
  resource_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'a folder, artifact, or deliverable',
  capability ENUM('view','comment','create','edit') NOT NULL,
  expires_at BIGINT NULL COMMENT 'NULL: it stays',
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  created_at BIGINT NOT NULL,
  UNIQUE KEY share_grant_pair (subject_id, resource_id),
  KEY share_grant_subject (subject_id, workspace_id),
  KEY share_grant_workspace (workspace_id, id),
  KEY share_grant_resource (resource_id, id),
  KEY share_grant_maker (created_by),
  CONSTRAINT share_grant_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What members know of a client; the client never sees it.
CREATE TABLE sharee_note (
  sharee_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  name VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  content MEDIUMTEXT NOT NULL,
  sha256 BINARY(32) NOT NULL COMMENT 'its ETag',
  size_bytes INT UNSIGNED NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the account is gone',
  PRIMARY KEY (sharee_id, name),
  KEY sharee_note_author (updated_by),
  CONSTRAINT sharee_note_sharee_fk FOREIGN KEY (sharee_id) REFERENCES sharee (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What people outside did: of the same by the same within ten minutes, one row.
CREATE TABLE sharee_act (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  action ENUM('view','download','comment','create','edit') NOT NULL,
  resource_type ENUM('folder','artifact','file') NOT NULL,
  resource_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  resource_name VARCHAR(255) NOT NULL COMMENT 'at the time',
  at BIGINT NOT NULL COMMENT 'the first of them',
  slice BIGINT NOT NULL COMMENT 'at DIV 600',
  UNIQUE KEY sharee_act_once (user_id, resource_id, action, slice),
  KEY sharee_act_workspace (workspace_id, id),
  KEY sharee_act_user (workspace_id, user_id, id),
  KEY sharee_act_at (at),
  CONSTRAINT sharee_act_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A token of one of a client's people: what the client has, and the person themselves.
ALTER TABLE token
  ADD COLUMN sharee_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the client through which it acts; with grants_only' AFTER grants_only,
  ADD KEY token_sharee (sharee_id, user_id);
