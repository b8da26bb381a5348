-- Which entries of the data catalog texts link to: notes, by the address of an entry's page, and entries, by that or by the entry's file.

CREATE TABLE note_mention (
  note_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  entry_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'whether there is such an entry or not',
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  PRIMARY KEY (note_id, entry_id),
  KEY note_mention_of (workspace_id, entry_id, note_id),
  CONSTRAINT note_mention_note_fk FOREIGN KEY (note_id) REFERENCES note (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE catalog_mention (
  entry_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  to_key BINARY(32) NOT NULL COMMENT 'a path''s, as catalog_entry.path_key, or SHA-256 of an entry''s id',
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  PRIMARY KEY (entry_id, to_key),
  KEY catalog_mention_of (workspace_id, to_key, entry_id),
  CONSTRAINT catalog_mention_entry_fk FOREIGN KEY (entry_id) REFERENCES catalog_entry (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
