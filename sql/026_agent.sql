-- Tokens of agents, plans that operators give, what agents are told of a workspace, how long browsers stay signed in.

ALTER TABLE token
  ADD COLUMN made_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'who made it for an agent or for a member; NULL: its user',
  ADD COLUMN hint VARCHAR(8) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'its last characters, to tell it by',
  ADD KEY token_maker (made_by),
  ADD CONSTRAINT token_maker_fk FOREIGN KEY (made_by) REFERENCES user (id);

ALTER TABLE workspace
  ADD COLUMN plan_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'given by an operator; NULL: the default one' AFTER people,
  ADD COLUMN plan_until BIGINT NULL COMMENT 'when it falls back to the default one' AFTER plan_id,
  ADD COLUMN features_on INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'bits of features that an operator gave beside the plan' AFTER plan_until,
  ADD COLUMN features_off INT UNSIGNED NOT NULL DEFAULT 0 COMMENT '… or took away' AFTER features_on,
  ADD COLUMN session_max_days TINYINT UNSIGNED NULL COMMENT 'of its members; NULL: the setting session_days' AFTER features_off,
  ADD COLUMN context_entry VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'a name in context_file' AFTER session_max_days;

-- So that a session is judged by the row of its user, however many workspaces they are in.
ALTER TABLE user ADD COLUMN session_max_days TINYINT UNSIGNED NULL COMMENT 'the least that a workspace of theirs sets, but for those in the trash';

CREATE TABLE context_file (
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  name VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  content MEDIUMTEXT NOT NULL,
  sha256 BINARY(32) NOT NULL COMMENT 'its ETag',
  size_bytes INT UNSIGNED NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  PRIMARY KEY (workspace_id, name),
  KEY context_file_author (updated_by),
  CONSTRAINT context_file_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id),
  CONSTRAINT context_file_author_fk FOREIGN KEY (updated_by) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
