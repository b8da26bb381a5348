-- compatible: 58
-- Objects are also kept in a store that somebody else runs, if store_url is set.

CREATE TABLE object_stored (
  sha256 BINARY(32) NOT NULL PRIMARY KEY COMMENT 'the store has it',
  at BIGINT NOT NULL
) ENGINE=InnoDB;

CREATE TABLE object_due (
  sha256 BINARY(32) NOT NULL PRIMARY KEY COMMENT 'to be put there, perhaps again',
  due_at BIGINT NOT NULL,
  KEY object_due_at (due_at)
) ENGINE=InnoDB;

CREATE TABLE object_doomed (
  sha256 BINARY(32) NOT NULL PRIMARY KEY COMMENT 'no row named it',
  state TINYINT NOT NULL COMMENT '0: waits, 1: is being deleted from the store, 2: was deleted',
  at BIGINT NOT NULL COMMENT 'since when',
  KEY object_doomed_state (state, at)
) ENGINE=InnoDB;
