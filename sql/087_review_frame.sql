-- compatible: 58
-- Hosts that show one version of an artifact in the review view: rows of viewer of another kind, whose hash is of the host's name.

ALTER TABLE viewer
  MODIFY COLUMN kind ENUM('ticket','cookie','frame') NOT NULL,
  ADD COLUMN version_no INT UNSIGNED NULL COMMENT 'of a frame',
  ALGORITHM=INSTANT;
