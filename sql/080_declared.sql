-- compatible: 58
-- What vitrine.yaml of a version says of its artifact's data.

ALTER TABLE version
  ADD COLUMN next_app MEDIUMTEXT NULL COMMENT 'vitrine.yaml, applied when the version goes live; NULL: none',
  ALGORITHM=INSTANT;

CREATE TABLE declared (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  text MEDIUMTEXT NOT NULL COMMENT 'the vitrine.yaml that was applied last',
  marks MEDIUMTEXT NOT NULL COMMENT 'JSON: digests of what it made, by section.name',
  at BIGINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
