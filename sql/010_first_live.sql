-- A version is seen at its own address by everybody once it has been live; until then by those who see drafts.

ALTER TABLE version ADD COLUMN first_live_at BIGINT NULL COMMENT 'NULL: never live' AFTER created_by;

-- What was live earlier is not known, and a draft must not pass for it: of the versions that there are, the live ones count. An older one
-- is seen by all again once its owner has made it live.
UPDATE version v JOIN artifact a ON a.id = v.artifact_id AND a.live_no = v.version_no SET v.first_live_at = v.created_at;

-- The runner moves the trees of the others out of the web server's reach.
INSERT IGNORE INTO outbox (id, kind, subject, due_at)
  SELECT CONCAT('out_', SUBSTRING(v.artifact_id, 5)), 'project', v.artifact_id, 0 FROM version v JOIN artifact a ON a.id = v.artifact_id
  WHERE v.first_live_at IS NULL AND a.owner_id IS NOT NULL GROUP BY v.artifact_id;
