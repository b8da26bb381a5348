-- What is found by words. Spaces are audiences (core/find.h), words are folded (search/fold.h).

CREATE TABLE search_space (
  no INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  audience VARCHAR(41) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  UNIQUE KEY search_space_audience (audience)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A thing, and what of it stands in search_post, by which that is taken away again.
CREATE TABLE search_thing (
  no BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'the later it was made, the higher',
  kind TINYINT UNSIGNED NOT NULL,
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  spaces TEXT CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'JSON: numbers',
  words MEDIUMTEXT NOT NULL COMMENT 'JSON: words with the field that they stand in',
  page_words MEDIUMTEXT NOT NULL DEFAULT '[]' COMMENT 'JSON: what stands in search_page',
  UNIQUE KEY search_thing_id (kind, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE search_post (
  space INT UNSIGNED NOT NULL,
  word VARCHAR(64) NOT NULL,
  thing BIGINT NOT NULL,
  kind TINYINT UNSIGNED NOT NULL,
  field TINYINT UNSIGNED NOT NULL COMMENT '1 name, 2 slug or address, 3 text',
  PRIMARY KEY (space, word, thing)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The same of things with a page, which has many words: all of its own and of that. It is found when all that is asked for stands there as it is spelled.
CREATE TABLE search_page (
  space INT UNSIGNED NOT NULL,
  word VARCHAR(64) NOT NULL,
  thing BIGINT NOT NULL,
  kind TINYINT UNSIGNED NOT NULL,
  field TINYINT UNSIGNED NOT NULL,
  PRIMARY KEY (space, word, thing)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Words of a space by what is left of them without a letter or two, and all of them by '='. Words that nothing has any more are taken away in time.
CREATE TABLE search_near (
  space INT UNSIGNED NOT NULL,
  near VARCHAR(64) NOT NULL,
  word VARCHAR(64) NOT NULL,
  PRIMARY KEY (space, near, word)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Things that are to be looked at again: by whoever changed them, after the reply, else by the runner.
CREATE TABLE search_due (
  kind TINYINT UNSIGNED NOT NULL,
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'who changed it; NULL: it is the runner''s',
  anew BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'even what seems to be kept (vitrinectl reindex)',
  PRIMARY KEY (kind, id),
  KEY search_due_user (user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What somebody looked at last.
CREATE TABLE search_recent (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  kind TINYINT UNSIGNED NOT NULL,
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (user_id, kind, id),
  KEY search_recent_at (user_id, at),
  KEY search_recent_thing (kind, id),
  KEY search_recent_old (at),
  CONSTRAINT search_recent_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What a browser of ours read on an artifact's live version.
CREATE TABLE page_text (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  version_no INT UNSIGNED NOT NULL COMMENT 'which was read',
  body MEDIUMTEXT NOT NULL COMMENT 'one line of plain text',
  CONSTRAINT page_text_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What is live already has its turn, ten a minute.
UPDATE page_check k JOIN (SELECT artifact_id, ROW_NUMBER() OVER (ORDER BY wanted_at DESC) AS turn FROM page_check WHERE due_at IS NULL) t
  ON t.artifact_id = k.artifact_id SET k.due_at = UNIX_TIMESTAMP() + 6 * t.turn, k.attempts = 0;

-- What there is already.
INSERT INTO search_due (kind, id)
  SELECT 1, id FROM artifact WHERE owner_id IS NOT NULL AND deleted_at IS NULL
  UNION ALL SELECT 2, id FROM folder
  UNION ALL SELECT 3, id FROM deliverable
  UNION ALL SELECT 4, CAST(no AS CHAR CHARACTER SET ascii) FROM data_table
  UNION ALL SELECT DISTINCT 5, user_id FROM member WHERE role <> 'agent'
  UNION ALL SELECT 6, id FROM job
  UNION ALL SELECT 7, id FROM user WHERE kind = 'agent'
  UNION ALL SELECT 8, id FROM metric_alert
  UNION ALL SELECT 9, id FROM sharee;
