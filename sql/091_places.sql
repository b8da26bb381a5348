-- compatible: 58
-- Where remarks are in other versions than theirs (src/talk/place.h).

CREATE TABLE comment_place (
  comment_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  version_no INT UNSIGNED NOT NULL,
  status ENUM('here','changed','gone','unknown') NOT NULL,
  PRIMARY KEY (comment_id, version_no),
  CONSTRAINT comment_place_comment_fk FOREIGN KEY (comment_id) REFERENCES comment (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE artifact ADD COLUMN anchored BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'it has had a comment with an anchor', ALGORITHM=INSTANT;
UPDATE artifact a SET a.anchored = TRUE WHERE EXISTS (SELECT 1 FROM comment m WHERE m.artifact_id = a.id AND m.anchor IS NOT NULL);
