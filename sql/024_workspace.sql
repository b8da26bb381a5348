-- Workspaces, who is in them, and what was decided in them.

CREATE TABLE workspace (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  name VARCHAR(120) NOT NULL,
  slug VARCHAR(30) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'kept when deleted, so that it can be restored',
  description VARCHAR(500) NULL,
  member_access ENUM('viewer','editor','none') NOT NULL DEFAULT 'viewer' COMMENT 'what members are on its private artifacts',
  people INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'its members but agents: the seats that are used',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT NULL,
  KEY workspace_deleted (deleted_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who holds a slug, as in the table slug of artifacts.
CREATE TABLE workspace_slug (
  slug VARCHAR(30) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  released_at BIGINT NULL,
  KEY workspace_slug_of (workspace_id),
  KEY workspace_slug_released (released_at),
  CONSTRAINT workspace_slug_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- An agent is a member without a seat. One owner at most: owner_of.
CREATE TABLE member (
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  role ENUM('agent','member','admin','owner') NOT NULL,
  joined_at BIGINT NOT NULL,
  owner_of VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(role = 'owner', workspace_id, NULL)) PERSISTENT,
  PRIMARY KEY (workspace_id, user_id),
  KEY member_user (user_id, workspace_id),
  UNIQUE KEY member_owner (owner_of),
  CONSTRAINT member_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id),
  CONSTRAINT member_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Rows are added and, after a year, taken away; none is changed.
CREATE TABLE audit (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  at BIGINT NOT NULL,
  actor_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: an operator or the service itself',
  actor_name VARCHAR(254) NOT NULL COMMENT 'as it was then',
  token_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  request_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  action VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  target_type VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  target_id VARCHAR(254) NOT NULL,
  target_name VARCHAR(254) NOT NULL,
  before_it TEXT NULL COMMENT 'JSON',
  after_it TEXT NULL COMMENT 'JSON',
  KEY audit_list (workspace_id, id),
  KEY audit_actor (actor_id, workspace_id, id),
  KEY audit_target (workspace_id, target_id, id),
  KEY audit_at (at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE token ADD KEY token_workspace (workspace_id, id);

ALTER TABLE artifact
  ADD COLUMN by_agent BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'its owner is an agent' AFTER workspace_id,
  ADD COLUMN closed BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'its workspace is in the trash' AFTER deleted_at;
