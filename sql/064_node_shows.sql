-- compatible: 58
-- Says that a machine of a cluster shows no pages, so that nobody who closes one waits for it.

ALTER TABLE node ADD COLUMN shows BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'FALSE: it has hidden its pages, and says TRUE before it shows them';
