-- compatible: 58
-- The inbox: what waits for a person, and what they should know. Nouns write and end the items in their own transactions; src/inbox/README.md.
-- Programs from before write none. vitrinectl fsck --repair adds and ends those.

CREATE TABLE inbox_item (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  sort VARCHAR(30) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'ITEM() in noun.def of the folders',
  box ENUM('waiting','know') NOT NULL,
  need ENUM('self','see','own','admin') NOT NULL COMMENT 'the right without which it is not shown',
  subject VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'id of what it is about',
  actor_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  who VARCHAR(254) NULL COMMENT 'the actor, without a name or an account',
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  thing VARCHAR(200) NULL COMMENT 'its name, unless it is the artifact or the workspace',
  word VARCHAR(120) NULL COMMENT '{word} of its sentence',
  excerpt VARCHAR(140) NULL,
  n INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'how often it happened while it was open',
  changes INT UNSIGNED NOT NULL DEFAULT 1,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  seen_at BIGINT NULL,
  done_at BIGINT NULL,
  ends_at BIGINT NULL COMMENT 'from then on it no longer waits',
  open_of VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(done_at IS NULL, subject, NULL)) PERSISTENT,
  shelf VARCHAR(7) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(done_at IS NULL, IF(box = 'know', 'know', 'waiting'), 'done')) PERSISTENT,
  place VARCHAR(60) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (CONCAT(LPAD(updated_at, 12, '0'), id)) PERSISTENT COMMENT 'orders a list',
  UNIQUE KEY inbox_item_open (user_id, kind, open_of),
  KEY inbox_item_list (user_id, shelf, place),
  KEY inbox_item_subject (subject, sort),
  KEY inbox_item_artifact (artifact_id),
  KEY inbox_item_workspace (workspace_id, user_id),
  KEY inbox_item_actor (actor_id),
  KEY inbox_item_ends (shelf, ends_at),
  KEY inbox_item_old (shelf, updated_at),
  CONSTRAINT inbox_item_user_fk FOREIGN KEY (user_id) REFERENCES user (id),
  CONSTRAINT inbox_item_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE inbox_way (
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  way ENUM('page','mail','off') NOT NULL,
  PRIMARY KEY (user_id, kind),
  CONSTRAINT inbox_way_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Who decides in a workspace of any size.
ALTER TABLE member ADD KEY member_role (workspace_id, role);

-- What waits now, as the nouns' INBOX_WAITS say it.
INSERT INTO inbox_item (id, user_id, kind, sort, box, need, subject, actor_id, who, artifact_id, workspace_id, thing, word, excerpt, ends_at, created_at, updated_at)
  SELECT CONCAT('inb_0', LEFT(MD5(CONCAT(w.user_id, w.subject)), 25)), w.user_id, w.kind, w.sort, 'waiting', w.need, w.subject, w.actor_id, w.who, w.artifact_id,
    w.workspace_id, w.thing, w.word, NULLIF(LEFT(REPLACE(w.excerpt, '\n', ' '), 140), ''), w.ends_at, w.at, w.at
  FROM (SELECT m.user_id, 'approval' AS kind, 'approval_asked' AS sort, 'admin' AS need, p.id AS subject, p.requested_by AS actor_id, r.email AS who,
      p.artifact_id, p.workspace_id, NULL AS thing, p.visibility AS word, NULL AS excerpt, p.expires_at AS ends_at, p.created_at AS at
    FROM approval p JOIN user r ON r.id = p.requested_by JOIN member m ON m.workspace_id = p.workspace_id AND m.role IN ('admin', 'owner')
    LEFT JOIN version v ON v.artifact_id = p.artifact_id AND v.version_no = p.version_no LEFT JOIN approver o ON o.approval_id = p.id AND o.user_id = m.user_id
    WHERE p.status = 'pending' AND m.user_id <> p.requested_by AND NOT (v.created_by <=> m.user_id) AND o.decision IS NULL AND (COALESCE(o.named, FALSE)
      OR NOT EXISTS (SELECT 1 FROM approver n WHERE n.approval_id = p.id AND n.named))
    UNION ALL SELECT d.user_id, 'request', 'access_asked', 'own', q.id, NULL, q.email, q.artifact_id, q.workspace_id, NULL, NULL, q.message, NULL, q.created_at
    FROM access_request q JOIN (SELECT id, owner_id AS user_id FROM artifact WHERE owner_id IS NOT NULL
      UNION SELECT a.id, m.user_id FROM artifact a JOIN member m ON m.workspace_id = a.workspace_id AND m.role IN ('admin', 'owner')) d ON d.id = q.artifact_id
    WHERE q.state = 'pending'
    UNION ALL SELECT o.id, 'invitation', 'invited', 'self', v.id, v.invited_by, b.email, NULL, v.workspace_id, k.brand_name,
      IF(v.role = 'admin', 'an admin', 'a member'), NULL, v.expires_at, v.created_at
    FROM invite v JOIN user b ON b.id = v.invited_by JOIN workspace k ON k.id = v.workspace_id LEFT JOIN email_alias al ON al.email = v.email
    JOIN user o ON o.id = COALESCE(al.user_id, (SELECT x.id FROM user x WHERE x.email = v.email)) WHERE v.status = 'pending') w
  JOIN user u ON u.id = w.user_id AND u.kind = 'person' AND u.disabled_at IS NULL AND NOT (u.id <=> w.actor_id);
