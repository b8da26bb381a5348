-- compatible: 58
-- What the other machines of a cluster have to show or close, and what they counted. A machine that is alone is the node ''.

CREATE TABLE node_outbox (
  node VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'who has to do it',
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'of the row of outbox, by which the active machine does it',
  kind VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'as in outbox; all: project everything anew',
  subject VARCHAR(255) NOT NULL,
  closes BOOLEAN NOT NULL COMMENT 'a reply waits until this is FALSE, or the row is gone',
  at BIGINT NOT NULL COMMENT 'by the clock of the machine that wrote it',
  due_at BIGINT NOT NULL DEFAULT 0 COMMENT 'by the clock of the node: after a failure, later',
  PRIMARY KEY (node, id),
  KEY node_outbox_due (node, closes, id),
  KEY node_outbox_subject (node, subject),
  KEY node_outbox_at (at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE node_views (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  sums MEDIUMTEXT NOT NULL COMMENT 'JSON, as the round views makes it; the active machine adds them'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE view_log MODIFY file VARCHAR(120) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'which file it is: node, device, inode, time of birth';

ALTER TABLE sweep ADD COLUMN node VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT '' FIRST,
  DROP PRIMARY KEY, ADD PRIMARY KEY (node, name);

ALTER TABLE heartbeat ADD COLUMN node VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT '' FIRST,
  DROP PRIMARY KEY, ADD PRIMARY KEY (node, name);

ALTER TABLE damage ADD COLUMN node VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT '' FIRST,
  DROP PRIMARY KEY, ADD PRIMARY KEY (node, subject), DROP KEY damage_checked, ADD KEY damage_checked (node, checked_at);

-- The names that a machine has made links of. A foreign key would lock rows that others change. The purge deletes these.
ALTER TABLE site_link DROP FOREIGN KEY site_link_fk;

ALTER TABLE site_link ADD COLUMN node VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT '' AFTER artifact_id,
  DROP PRIMARY KEY, ADD PRIMARY KEY (artifact_id, node, name);
