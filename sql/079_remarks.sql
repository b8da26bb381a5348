-- compatible: 58
-- Comments become remarks in threads: where on a version they are, whether they are settled, who may read them, and whom they name.
-- Programs from before write comments without a thread; each is then one of its own.

ALTER TABLE comment
  ADD COLUMN thread_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the first of its thread; NULL: it is the first',
  ADD COLUMN version_no INT UNSIGNED NULL COMMENT 'that its author saw',
  ADD COLUMN anchor TEXT NULL COMMENT 'JSON, of the first of a thread: where in the page',
  ADD COLUMN state ENUM('open','resolved') NOT NULL DEFAULT 'open' COMMENT 'of the thread, in each of its rows',
  ADD COLUMN audience ENUM('all','people') NOT NULL DEFAULT 'all' COMMENT 'of the thread, in each of its rows',
  ADD COLUMN via ENUM('person','agent','page') NOT NULL DEFAULT 'person',
  ADD COLUMN resolved_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'this and the next three: of the first of a thread',
  ADD COLUMN resolved_at BIGINT NULL,
  ADD COLUMN resolved_version_no INT UNSIGNED NULL,
  ADD COLUMN pending_version_no INT UNSIGNED NULL COMMENT 'the draft that resolves it when it goes live',
  ADD KEY comment_thread (thread_id, id),
  ADD KEY comment_state (artifact_id, state, id),
  ADD KEY comment_head (artifact_id, state, thread_id, audience, author_id),
  ADD KEY comment_pending (artifact_id, pending_version_no),
  ADD KEY comment_resolved_by (resolved_by);

UPDATE comment m JOIN (WITH RECURSIVE t (id, head) AS (SELECT id, id FROM comment WHERE reply_to IS NULL
  UNION ALL SELECT r.id, t.head FROM t JOIN comment r ON r.reply_to = t.id) SELECT id, head FROM t WHERE id <> head) s
  ON s.id = m.id SET m.thread_id = s.head;

CREATE TABLE comment_mention (
  comment_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  PRIMARY KEY (comment_id, user_id),
  KEY comment_mention_user (user_id),
  CONSTRAINT comment_mention_comment_fk FOREIGN KEY (comment_id) REFERENCES comment (id) ON DELETE CASCADE,
  CONSTRAINT comment_mention_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE artifact
  ADD COLUMN comments_from ENUM('signed_in','people') NOT NULL DEFAULT 'signed_in' COMMENT 'who may add one while comments are open',
  ALGORITHM=INSTANT;
