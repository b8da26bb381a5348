-- Up to which visibility a token may open something without a person.

ALTER TABLE agent_grant ADD COLUMN opens_to ENUM('private','unlisted','public') NOT NULL DEFAULT 'private' COMMENT 'it opens things so far without its person' AFTER scopes;
UPDATE agent_grant SET opens_to = 'public' WHERE may_open;
ALTER TABLE agent_grant DROP COLUMN IF EXISTS may_open;

ALTER TABLE token ADD COLUMN opens_to ENUM('private','unlisted','public') NULL COMMENT 'its ceiling: it opens things so far without a person; NULL: as far as its user' AFTER may_open;
UPDATE token SET opens_to = IF(may_open, 'public', 'private') WHERE grant_id IS NOT NULL;
ALTER TABLE token DROP COLUMN IF EXISTS may_open;

-- What a new artifact becomes when its publisher doesn't say. Of a folder NULL is what lies above it says, of a workspace private.

ALTER TABLE workspace ADD COLUMN default_visibility ENUM('private','unlisted','public') NULL AFTER member_access;
ALTER TABLE folder ADD COLUMN default_visibility ENUM('private','unlisted','public') NULL AFTER name_key;

-- Which connected agent published a version, and which agents may refresh a page that others see without being asked about each time: of each who lets one do so, a row.

ALTER TABLE version ADD COLUMN grant_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the connected agent that published it' AFTER created_by;

CREATE TABLE standing_approval (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  grant_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the agent: a connected one',
  agent_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT '… or one of the workspace',
  visibility ENUM('unlisted','public') NOT NULL COMMENT 'it holds while the artifact is no more open',
  granted_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  UNIQUE KEY standing_grant (artifact_id, grant_id, granted_by),
  UNIQUE KEY standing_agent (artifact_id, agent_id, granted_by),
  KEY standing_of_grant (grant_id),
  KEY standing_of_agent (agent_id),
  KEY standing_by (granted_by),
  KEY standing_expiry (expires_at),
  CONSTRAINT standing_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE,
  CONSTRAINT standing_grant_fk FOREIGN KEY (grant_id) REFERENCES agent_grant (id) ON DELETE CASCADE,
  CONSTRAINT standing_agent_fk FOREIGN KEY (agent_id) REFERENCES user (id),
  CONSTRAINT standing_by_fk FOREIGN KEY (granted_by) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
