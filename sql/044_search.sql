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

-- Words of a space by what is left of them without a letter or two, and all of them by '='. Words that nothing has any more are taken away in time.
CREATE TABLE search_near (
  space INT UNSIGNED NOT NULL,
  near VARCHAR(64) NOT NULL,
  word VARCHAR(64) NOT NULL,
  PRIMARY KEY (space, near, word)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Things that the runner is to look at again.
CREATE TABLE search_due (
  kind TINYINT UNSIGNED NOT NULL,
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  anew BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'even what seems to be kept (vitrinectl reindex)',
  PRIMARY KEY (kind, id)
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

-- What there is already.
INSERT INTO search_due (kind, id)
  SELECT 1, id FROM artifact WHERE owner_id IS NOT NULL AND deleted_at IS NULL
  UNION ALL SELECT 2, id FROM folder
  UNION ALL SELECT 3, id FROM deliverable
  UNION ALL SELECT 4, CAST(no AS CHAR) FROM data_table
  UNION ALL SELECT DISTINCT 5, user_id FROM member WHERE role <> 'agent'
  UNION ALL SELECT 6, id FROM job
  UNION ALL SELECT 7, id FROM user WHERE kind = 'agent'
  UNION ALL SELECT 8, id FROM metric_alert
  UNION ALL SELECT 9, id FROM sharee;
