-- What a workspace's pages say, as notes: learned from them, written and corrected by people.

ALTER TABLE workspace
  ADD COLUMN knowledge BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'it is switched on',
  ADD COLUMN knowledge_summaries BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'a language model writes one for each page';

-- The tree reads all of a workspace, so its rows lie side by side, and the texts elsewhere.
CREATE TABLE note (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  path VARCHAR(255) NULL COMMENT 'NFC; NULL: learned, it is pages/, the artifact''s slug, and .md',
  path_key BINARY(32) NULL COMMENT 'SHA-256 of what is the same for paths that people take for the same',
  title VARCHAR(200) NOT NULL,
  size_bytes INT UNSIGNED NOT NULL,
  sha256 BINARY(32) NOT NULL,
  origin ENUM('learned','human') NOT NULL,
  edited BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'a person has changed what was learned, which stays',
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'of a learned one',
  version_no INT UNSIGNED NULL,
  learned_at BIGINT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: learning, or the account is gone',
  PRIMARY KEY (workspace_id, id),
  UNIQUE KEY note_id (id),
  UNIQUE KEY note_path (workspace_id, path_key),
  UNIQUE KEY note_artifact (artifact_id),
  KEY note_user (updated_by),
  CONSTRAINT note_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id),
  CONSTRAINT note_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE note_text (
  note_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  content MEDIUMTEXT NOT NULL,
  CONSTRAINT note_text_note_fk FOREIGN KEY (note_id) REFERENCES note (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- [[links]] of a note's text, in its order, whether there is such a note or not: to a person's note by the path's key, to a learned one by a
-- slug that its artifact has or had.
CREATE TABLE note_link (
  note_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  no INT UNSIGNED NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  path VARCHAR(255) NOT NULL,
  path_key BINARY(32) NULL,
  slug VARCHAR(63) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  said_before VARCHAR(200) NOT NULL COMMENT 'what stands around it',
  said VARCHAR(255) NOT NULL,
  said_after VARCHAR(200) NOT NULL,
  PRIMARY KEY (note_id, no),
  KEY note_link_path (workspace_id, path_key, note_id),
  KEY note_link_slug (workspace_id, slug, note_id),
  CONSTRAINT note_link_note_fk FOREIGN KEY (note_id) REFERENCES note (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What a note was before each change by a person.
CREATE TABLE note_edit (
  note_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  no INT UNSIGNED NOT NULL,
  content MEDIUMTEXT NOT NULL,
  size_bytes INT UNSIGNED NOT NULL,
  at BIGINT NOT NULL COMMENT 'since when it said that',
  learned BOOLEAN NOT NULL COMMENT 'nobody had changed it',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'who wrote that; NULL: learning, or the account is gone',
  PRIMARY KEY (note_id, no),
  KEY note_edit_user (user_id),
  CONSTRAINT note_edit_note_fk FOREIGN KEY (note_id) REFERENCES note (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Where learning of an artifact stands.
CREATE TABLE learning (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'in which it is learned; the artifact''s own row decides',
  outcome ENUM('waiting','learned','kept','skipped','failed') NOT NULL DEFAULT 'waiting',
  version_no INT UNSIGNED NULL COMMENT 'which was read',
  says VARCHAR(300) NULL COMMENT 'what came of it, in words',
  forgotten BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'never learned again',
  wanted_at BIGINT NOT NULL,
  due_at BIGINT NULL COMMENT 'NULL: nothing to do',
  attempts INT UNSIGNED NOT NULL DEFAULT 0,
  at BIGINT NOT NULL COMMENT 'of the outcome',
  KEY learning_due (due_at),
  KEY learning_of (workspace_id, at),
  KEY learning_outcome (workspace_id, outcome, forgotten),
  CONSTRAINT learning_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Summaries of a day, which are bounded.
CREATE TABLE learning_day (
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  day DATE NOT NULL,
  summaries INT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, day),
  KEY learning_day_old (day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
