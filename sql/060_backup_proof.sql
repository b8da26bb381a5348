-- compatible: 58
-- Proofs of the continuous backup: each week the newest base and its log are restored.

CREATE TABLE backup_proof (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  proved_at BIGINT NOT NULL,
  to_second BIGINT NOT NULL COMMENT 'the second that was restored; 0 if it failed before',
  seconds BIGINT NOT NULL COMMENT 'that it took',
  bytes BIGINT NOT NULL COMMENT 'of the objects that were read',
  base VARCHAR(300) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'the name of the base',
  why TEXT NULL COMMENT 'NULL: all was right'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
