-- What a connected agent's change replaced, so that its person can take it back.

ALTER TABLE agent_act
  ADD COLUMN was_live INT UNSIGNED NULL COMMENT 'the version that was live before; NULL: no other has become live',
  ADD COLUMN now_live INT UNSIGNED NULL COMMENT 'the one that has',
  ADD COLUMN was_visibility ENUM('private','unlisted','public') NULL COMMENT 'NULL: it stayed as it was',
  ADD COLUMN now_visibility ENUM('private','unlisted','public') NULL,
  ADD COLUMN was_name VARCHAR(200) NULL COMMENT 'NULL: it stayed as it was; what it became is in name',
  ADD COLUMN trashed BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'it moved the artifact to the trash';
