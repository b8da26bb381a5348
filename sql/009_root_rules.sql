-- Rules and headers for "/" hold whatever the entry page is named: the runner projects the artifacts that may have such again.

INSERT IGNORE INTO outbox (id, kind, subject, due_at)
  SELECT CONCAT('out_', SUBSTRING(f.artifact_id, 5)), 'project', f.artifact_id, 0 FROM version_file f JOIN version v ON v.artifact_id = f.artifact_id AND v.version_no = f.version_no
  WHERE f.path IN ('_redirects', '_headers') AND v.entrypoint <> 'index.html' GROUP BY f.artifact_id;
