-- Comments on an artifact, and what its owner has been mailed of them; the hosts that its pages may fetch from through the service.

CREATE TABLE comment (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  author_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  reply_to VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'another one of the same artifact',
  path VARBINARY(1024) NULL COMMENT 'of the page that it is about',
  body VARCHAR(5000) NOT NULL,
  created_at BIGINT NOT NULL,
  edited_at BIGINT NULL,
  KEY comment_artifact (artifact_id, id),
  KEY comment_path (artifact_id, path, id),
  KEY comment_author (author_id),
  KEY comment_reply (reply_to),
  CONSTRAINT comment_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE,
  CONSTRAINT comment_author_fk FOREIGN KEY (author_id) REFERENCES user (id),
  CONSTRAINT comment_reply_fk FOREIGN KEY (reply_to) REFERENCES comment (id) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE artifact
  ADD COLUMN comments_open BOOLEAN NOT NULL DEFAULT TRUE AFTER agent,
  ADD COLUMN comment_mails BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'the owner is told of comments' AFTER comments_open,
  ADD COLUMN comments_told_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT '' COMMENT 'up to this one, that is' AFTER comment_mails,
  ADD COLUMN comments_told_at BIGINT NOT NULL DEFAULT 0 AFTER comments_told_id;

-- comment: news of comments, which use up nothing of what invitations and requests need.
ALTER TABLE mail_budget MODIFY kind ENUM('user','artifact','recipient','shared','signin','notice','comment') NOT NULL;

CREATE TABLE proxy_host (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  host VARCHAR(253) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'lower case',
  PRIMARY KEY (artifact_id, host),
  CONSTRAINT proxy_host_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
