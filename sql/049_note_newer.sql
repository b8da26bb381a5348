-- What a page says now whose note people have changed, until somebody takes it.

CREATE TABLE note_newer (
  note_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  version_no INT UNSIGNED NOT NULL,
  title VARCHAR(200) NOT NULL,
  content MEDIUMTEXT NOT NULL,
  learned_at BIGINT NOT NULL,
  CONSTRAINT note_newer_note_fk FOREIGN KEY (note_id) REFERENCES note (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Those whose text was read before there was a place for it are read once more.
UPDATE learning SET outcome = 'waiting', stage = 'page', attempts = 0, due_at = at WHERE outcome = 'kept' AND NOT forgotten;
