-- The scrub: what it has found damaged and could not mend, until it is whole again. Where it stands is a row of sweep.

CREATE TABLE damage (
  subject VARBINARY(300) NOT NULL PRIMARY KEY COMMENT 'below data_dir: an object, a version''s tree, an address',
  why VARCHAR(1000) NOT NULL,
  found_at BIGINT NOT NULL,
  checked_at BIGINT NOT NULL,
  KEY damage_checked (checked_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Whether an artifact's projection waits.
ALTER TABLE outbox ADD KEY outbox_subject (subject);
