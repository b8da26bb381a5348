-- compatible: 58
-- Pinned versions, and how long old versions are kept.

ALTER TABLE artifact
  ADD COLUMN pinned_no INT UNSIGNED NULL COMMENT 'the version that stays live',
  ADD COLUMN removed_n INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'how many versions were removed',
  ADD COLUMN retention VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'JSON {keep, days}; NULL: as its workspace',
  ALGORITHM=INSTANT;
ALTER TABLE workspace
  ADD COLUMN retention VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'JSON {keep, days}; NULL: all are kept',
  ALGORITHM=INSTANT;
