-- When the runner looks whether a workspace's plan still has what is on, so that it need not look at all of them.

ALTER TABLE workspace
  ADD COLUMN plan_due BIGINT NULL COMMENT 'when what its plan includes has changed, or may' AFTER plan_until,
  ADD KEY workspace_plan_due (plan_due);
UPDATE workspace SET plan_due = plan_until WHERE plan_until IS NOT NULL;

-- Whoever wrote a file of a context may have been deleted.
ALTER TABLE context_file MODIFY updated_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL;
