-- The runner: where each sweep stands, when it last ran, and an index for each question that it asks.

CREATE TABLE sweep (
  name VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  outer_at BIGINT NOT NULL DEFAULT 0 COMMENT 'where the round under way goes on: a prefix, a place in a directory, a time',
  inner_at BIGINT NOT NULL DEFAULT 0 COMMENT 'a place within that',
  id_at VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT '',
  started_at BIGINT NOT NULL COMMENT 'of the round under way, or the last',
  finished_at BIGINT NULL COMMENT 'of the last round that came to its end',
  under_way BOOLEAN NOT NULL,
  looked BIGINT NOT NULL DEFAULT 0 COMMENT 'in that round',
  removed BIGINT NOT NULL DEFAULT 0,
  looked_last BIGINT NOT NULL DEFAULT 0 COMMENT 'in the round before'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE heartbeat (
  name VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  beat_at BIGINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

ALTER TABLE version ADD KEY version_mobile (mobile_sha256), ADD KEY version_icon (icon_sha256), ADD KEY version_author (created_by);

ALTER TABLE outbox ADD KEY outbox_kind (kind, due_at, id);

-- Whose they are, when two accounts become one.
ALTER TABLE slug ADD KEY slug_owner (owner_id);

ALTER TABLE device_login ADD KEY device_login_user (user_id);

-- What is purged has no owner from then on, and so no way back; the runner takes the rows away, some at a time.
ALTER TABLE artifact MODIFY owner_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: purged, the runner removes it';
