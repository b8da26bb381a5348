-- Who governs a workspace decides about requests for its artifacts.

ALTER TABLE access_request
  ADD COLUMN workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'as its artifact has it' AFTER artifact_id,
  ADD KEY access_request_workspace (workspace_id, state, id);

UPDATE access_request q JOIN artifact a ON a.id = q.artifact_id SET q.workspace_id = a.workspace_id WHERE a.workspace_id IS NOT NULL;

-- What left its workspace under a pause by an admin: only an operator can end that.
UPDATE artifact SET pauser = 'operator' WHERE pauser = 'admin' AND workspace_id IS NULL;
