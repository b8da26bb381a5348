-- Published names that the web server would take for compressed forms of others leave pub/: the runner projects these artifacts again.

INSERT IGNORE INTO outbox (id, kind, subject, due_at)
  SELECT CONCAT('out_', SUBSTRING(artifact_id, 5)), 'project', artifact_id, 0 FROM version_file WHERE path LIKE '%.gz' OR path LIKE '%.br' GROUP BY artifact_id;
