-- What a draft changes of its artifact takes effect when it goes live, and not before.

ALTER TABLE version
  ADD COLUMN next_name VARCHAR(200) NULL COMMENT 'the name of the artifact once this draft goes live; NULL: as it is then',
  ADD COLUMN next_policy LONGTEXT NULL COMMENT 'its access_policy from then on; empty: none',
  ADD COLUMN next_agent LONGTEXT NULL COMMENT 'its agent from then on; empty: none';

-- A version has an address of its own, which is open once it has been live while the artifact was. What was live only while the artifact
-- was private stays closed when that is opened, until its owner opens it.
ALTER TABLE version ADD COLUMN is_open BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'who sees the artifact sees it at its own address' AFTER first_live_at;

-- What is open now stays open.
UPDATE version v JOIN artifact a ON a.id = v.artifact_id SET v.is_open = TRUE WHERE v.first_live_at IS NOT NULL AND a.visibility <> 'private';

-- The runner moves the trees of the others out of the web server's reach.
INSERT IGNORE INTO outbox (id, kind, subject, due_at)
  SELECT CONCAT('out_', SUBSTRING(v.artifact_id, 5)), 'project', v.artifact_id, 0 FROM version v JOIN artifact a ON a.id = v.artifact_id
  WHERE v.first_live_at IS NOT NULL AND NOT v.is_open AND NOT v.version_no <=> a.live_no AND a.owner_id IS NOT NULL GROUP BY v.artifact_id;
