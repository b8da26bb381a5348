-- Invites into workspaces, one row for each address that a workspace has invited: inviting it again renews the row.

CREATE TABLE invite (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  email VARCHAR(254) NOT NULL COMMENT 'lower case, as it was given',
  role ENUM('member','admin') NOT NULL,
  status ENUM('pending','accepted','declined','revoked') NOT NULL COMMENT 'pending past expires_at: expired',
  hash BINARY(32) NOT NULL COMMENT 'of the secret in the link, which is in the e-mail alone',
  invited_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  created_at BIGINT NOT NULL,
  sent_at BIGINT NOT NULL COMMENT 'when its link was made',
  mailed BOOLEAN NOT NULL COMMENT 'an e-mail with the link was queued',
  expires_at BIGINT NOT NULL,
  UNIQUE KEY invite_address (workspace_id, email),
  UNIQUE KEY invite_hash (hash),
  KEY invite_list (workspace_id, status, id),
  KEY invite_email (email),
  KEY invite_inviter (invited_by, workspace_id),
  KEY invite_expires (expires_at),
  CONSTRAINT invite_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id),
  CONSTRAINT invite_inviter_fk FOREIGN KEY (invited_by) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- An attempt to sign in that an invite's page began: the account may be made for it.
ALTER TABLE provider_login ADD COLUMN invite_hash BINARY(32) NULL AFTER link_session_id;

-- What somebody has in a workspace is found beside all that they have elsewhere.
ALTER TABLE artifact ADD KEY artifact_member (workspace_id, owner_id, deleted_at);

-- What somebody has published since a day is counted without a look at all that they ever did.
ALTER TABLE version DROP KEY version_author, ADD KEY version_author (created_by, created_at);

-- The kinds are the program's own words, to which others may add.
ALTER TABLE mail_budget MODIFY kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL;
