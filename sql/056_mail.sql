-- E-mails for support that took too long to read once: the next time their text is left out.

CREATE TABLE mail_tried (
  digest BINARY(32) NOT NULL PRIMARY KEY COMMENT 'SHA-256 of the mail',
  tried_at BIGINT NOT NULL,
  KEY mail_tried_at (tried_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A text: each new kind of mail would alter the table.
ALTER TABLE mail_budget MODIFY kind VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL;
