-- Which programs that people have connected may work in a workspace.

ALTER TABLE workspace
  ADD COLUMN agents ENUM('on','read_only','off') NOT NULL DEFAULT 'on' COMMENT 'what connected programs may there' AFTER publish_policy,
  ADD COLUMN agent_hosts VARCHAR(13000) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'where these come from, with commas between; NULL: from anywhere' AFTER agents;

UPDATE agent_grant SET host = LOWER(host) WHERE host <> LOWER(host);
