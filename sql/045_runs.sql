-- A workspace's runs: which are its, by their newest, by outcome, and by artifact and job.

ALTER TABLE job_run
  ADD COLUMN workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the artifact''s' AFTER artifact_id;

UPDATE job_run r JOIN artifact a ON a.id = r.artifact_id SET r.workspace_id = a.workspace_id WHERE a.workspace_id IS NOT NULL;
