-- An unlisted page's link has a name of its own, by which nginx knows to keep search engines away: the runner projects those there are again.

INSERT IGNORE INTO outbox (id, kind, subject, due_at)
  SELECT CONCAT('out_', SUBSTRING(id, 5)), 'project', id, 0 FROM artifact WHERE visibility = 'unlisted' AND owner_id IS NOT NULL;
