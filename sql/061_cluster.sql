-- compatible: 58
-- A cluster's machines, and which of them is active (src/cluster). Without the setting cluster_node nobody reads these tables.

CREATE TABLE node (
  name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY COMMENT 'its cluster_node and wsrep_node_name',
  address VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  priority TINYINT UNSIGNED NOT NULL DEFAULT 100 COMMENT 'the lowest takes over first; 255 never does',
  joined_at BIGINT NOT NULL,
  left_at BIGINT NULL,
  beat BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'counts its commits of this row',
  version VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT '' COMMENT 'of its programs',
  clock BIGINT NOT NULL DEFAULT 0 COMMENT 'its time of day at its last beat, in milliseconds'
) ENGINE=InnoDB;

CREATE TABLE cluster_active (
  one TINYINT UNSIGNED NOT NULL PRIMARY KEY COMMENT 'there is one row',
  node VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: it has handed over',
  epoch BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'one more after each takeover',
  since BIGINT NOT NULL DEFAULT 0,
  beat BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'counts the active machine''s beats: of a beat and a takeover at once, one fails',
  wanted VARCHAR(32) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the machine that an operator wants to be active'
) ENGINE=InnoDB;

INSERT IGNORE INTO cluster_active (one) VALUES (1);
