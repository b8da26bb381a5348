-- Support tickets: what people ask whoever runs the service, what is answered, and a draft of how to sort it.

ALTER TABLE user
  MODIFY is_staff TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '0 none, 1 staff, 2 super',
  ADD KEY user_staff (is_staff);

CREATE TABLE ticket (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  requester_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: who wrote by mail, of whom nothing is proved',
  requester_email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'lower case; of who wrote by mail',
  requester_name VARCHAR(120) NULL COMMENT 'the same, as the mail has it',
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'that it is about',
  subject VARCHAR(200) NOT NULL,
  status ENUM('open','pending','resolved','closed') NOT NULL DEFAULT 'open',
  origin ENUM('web','api','email','chat_a','chat_b') NOT NULL,
  connection_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'of a chat: by which answers go there',
  channel VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the same',
  assignee_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  mail_key CHAR(26) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'random; in the address that answers by mail go to',
  mail_id VARCHAR(250) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'Message-ID of the last mail that came, which the next answer answers',
  messages INT UNSIGNED NOT NULL DEFAULT 0,
  notes INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'of these, those for staff alone',
  size_bytes INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'of them all',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  resolved_at BIGINT NULL,
  UNIQUE KEY ticket_mail_key (mail_key),
  KEY ticket_requester (requester_id, status, id),
  KEY ticket_of (requester_id, id),
  KEY ticket_mailbox (requester_email, created_at),
  KEY ticket_workspace (workspace_id, id),
  KEY ticket_workspace_status (workspace_id, status, id),
  KEY ticket_assignee (assignee_id, id),
  KEY ticket_assignee_status (assignee_id, status, id),
  KEY ticket_status (status, id),
  KEY ticket_resolved (status, resolved_at),
  CONSTRAINT ticket_requester_fk FOREIGN KEY (requester_id) REFERENCES user (id),
  CONSTRAINT ticket_assignee_fk FOREIGN KEY (assignee_id) REFERENCES user (id),
  CONSTRAINT ticket_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id),
  CONSTRAINT ticket_requester_known CHECK ((requester_id IS NULL) = (requester_email IS NOT NULL))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The first of each is what the ticket was opened with.
CREATE TABLE ticket_message (
  ticket_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  no INT UNSIGNED NOT NULL,
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  author_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: who wrote by mail, or staff whose account is gone',
  author_email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'lower case; of who wrote by mail',
  staff BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'written as staff',
  note BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'for staff alone',
  body MEDIUMTEXT NOT NULL,
  channel ENUM('web','api','email','chat_a','chat_b') NOT NULL COMMENT 'by which it came, or was answered',
  delivered BOOLEAN NULL COMMENT 'of an answer: it is on its way there',
  attachments_dropped LONGTEXT NULL COMMENT 'names, as JSON; of a mail',
  mail_digest BINARY(32) NULL COMMENT 'of a mail, so that it counts once',
  created_at BIGINT NOT NULL,
  PRIMARY KEY (ticket_id, no),
  UNIQUE KEY ticket_message_id (id),
  UNIQUE KEY ticket_message_mail (mail_digest),
  KEY ticket_message_author (author_id),
  CONSTRAINT ticket_message_ticket_fk FOREIGN KEY (ticket_id) REFERENCES ticket (id) ON DELETE CASCADE,
  CONSTRAINT ticket_message_author_fk FOREIGN KEY (author_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A draft that the runner makes, for staff to look at: it decides nothing.
CREATE TABLE ticket_triage (
  ticket_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  due_at BIGINT NULL COMMENT 'NULL: nothing to do',
  attempts INT UNSIGNED NOT NULL DEFAULT 0,
  category VARCHAR(20) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: none was made yet',
  priority ENUM('low','normal','high','urgent') NULL,
  summary VARCHAR(500) NULL,
  suggested_reply MEDIUMTEXT NULL,
  source ENUM('llm','rules') NULL,
  model VARCHAR(200) NULL,
  error VARCHAR(300) NULL COMMENT 'why not by the language model',
  made_at BIGINT NULL,
  KEY ticket_triage_due (due_at),
  KEY ticket_triage_priority (priority, ticket_id),
  CONSTRAINT ticket_triage_ticket_fk FOREIGN KEY (ticket_id) REFERENCES ticket (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
