-- What a workspace pays for: its subscription with all that became of it, invoices, and what is sent to and heard from the payment provider.

ALTER TABLE workspace
  ADD COLUMN paid_plan VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'what its subscription gives it',
  ADD COLUMN paid_until BIGINT NULL COMMENT 'as long as that counts; only entitle() writes these',
  ADD COLUMN paid_seats INT UNSIGNED NULL;

-- Who pays. No number of a card is ever here: the provider has it, and this is what it calls it.
CREATE TABLE billing_account (
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  customer VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the provider''s name for it',
  card_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: none is stored',
  card_brand VARCHAR(100) NULL,
  card_last4 VARCHAR(100) NULL,
  card_exp_month INT UNSIGNED NULL,
  card_exp_year INT UNSIGNED NULL,
  card_print BINARY(32) NULL COMMENT 'SHA-256 of what the provider says is the same for the same card',
  card_saved_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the provider said it by itself, or the account is gone',
  card_saved_at BIGINT NULL,
  trial_used_at BIGINT NULL,
  last_invoice_no INT UNSIGNED NOT NULL DEFAULT 0,
  name_line VARCHAR(200) NULL COMMENT 'on invoices',
  tax_line VARCHAR(200) NULL,
  KEY billing_account_user (card_saved_by),
  CONSTRAINT billing_account_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Cards that a trial was begun with, so that each begins one. It names no workspace, and stays when that is gone.
CREATE TABLE billing_trial_card (
  card_print BINARY(32) NOT NULL PRIMARY KEY,
  used_at BIGINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Its state is no column: billing/subscription.c makes it of these times and the clock.
CREATE TABLE subscription (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  live_of VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'workspace_id; NULL once it has ended',
  plan_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  price_cents BIGINT NOT NULL COMMENT 'a seat and period, as it was when the plan was chosen',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  seats INT UNSIGNED NOT NULL,
  pending_seats INT UNSIGNED NULL COMMENT 'from the next period on',
  pending_plan_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  trial_ends_at BIGINT NULL,
  anchor_at BIGINT NOT NULL COMMENT 'periods end at its day and time of later months',
  period_start BIGINT NOT NULL COMMENT 'of what is paid; of the trial until something is',
  period_end BIGINT NOT NULL,
  cancelled_at BIGINT NULL,
  ends_at BIGINT NULL COMMENT 'of a cancelled one',
  ended_at BIGINT NULL,
  tries INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'failed ones, of renewing the period',
  told_at BIGINT NULL COMMENT 'that the trial is to end',
  due_at BIGINT NULL COMMENT 'when the runner has to look at it; NULL: never',
  lease_until BIGINT NULL COMMENT 'a runner is at it',
  provider_subscription VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  created_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  created_at BIGINT NOT NULL,
  UNIQUE KEY subscription_live (live_of),
  KEY subscription_workspace (workspace_id, created_at),
  KEY subscription_due (due_at),
  KEY subscription_provider (provider_subscription),
  KEY subscription_user (created_by),
  CONSTRAINT subscription_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Each move of one: rows are added, never changed.
CREATE TABLE subscription_move (
  subscription_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  no INT UNSIGNED NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  what VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the runner, or the account is gone',
  event_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'the provider''s, by which it came',
  invoice_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  amount_cents BIGINT NULL COMMENT 'what was paid; less than 0: paid back',
  was TEXT NULL COMMENT 'JSON of the row',
  became TEXT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (subscription_id, no),
  KEY subscription_move_workspace (workspace_id, at),
  KEY subscription_move_user (user_id),
  CONSTRAINT subscription_move_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Numbers are given when an invoice is made, and each is used: what was never paid stays, as failed.
CREATE TABLE invoice (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  no INT UNSIGNED NOT NULL,
  subscription_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'which its payment may only make',
  kind ENUM('start','renew','upgrade','activate') NOT NULL,
  status ENUM('open','paid','failed','refunded') NOT NULL DEFAULT 'open',
  amount_cents BIGINT NOT NULL,
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  period_start BIGINT NOT NULL,
  period_end BIGINT NOT NULL,
  description VARCHAR(300) NOT NULL,
  line_items TEXT NOT NULL COMMENT 'JSON: what, seats, unit_cents, amount_cents',
  intent TEXT NOT NULL COMMENT 'JSON: what the subscription becomes when it is paid',
  name_line VARCHAR(200) NULL,
  tax_line VARCHAR(200) NULL,
  asked_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the runner, or the account is gone',
  tries INT UNSIGNED NOT NULL DEFAULT 0,
  busy_of VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'workspace_id, while what became of a try is unknown',
  busy_at BIGINT NULL,
  payment_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  paid_at BIGINT NULL,
  created_at BIGINT NOT NULL,
  check_at BIGINT NULL DEFAULT (UNIX_TIMESTAMP() + 3600) COMMENT 'when the provider is asked what became of its payment (billing/reconcile.c); NULL: never',
  UNIQUE KEY invoice_no (workspace_id, no),
  UNIQUE KEY invoice_busy_of (busy_of),
  UNIQUE KEY invoice_payment (payment_id),
  KEY invoice_list (workspace_id, id),
  KEY invoice_busy (busy_at),
  KEY invoice_subscription (subscription_id, status),
  KEY invoice_paid (paid_at),
  KEY invoice_check (check_at),
  KEY invoice_user (asked_by),
  CONSTRAINT invoice_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspace (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Each time a stored card was charged for one; the provider knows the try as <invoice>.<no>.
CREATE TABLE invoice_try (
  invoice_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  no INT UNSIGNED NOT NULL,
  at BIGINT NOT NULL,
  state ENUM('sent','paid','declined','lost') NOT NULL DEFAULT 'sent' COMMENT 'lost: it never got there',
  payment_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  why VARCHAR(300) NULL,
  check_at BIGINT NULL DEFAULT (UNIX_TIMESTAMP() + 3600) COMMENT 'as of an invoice: whether what was lost got there after all',
  PRIMARY KEY (invoice_id, no),
  KEY invoice_try_check (check_at),
  CONSTRAINT invoice_try_invoice_fk FOREIGN KEY (invoice_id) REFERENCES invoice (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Links to the provider's page, by the digest of the nonce that it gives back with what was paid there.
CREATE TABLE billing_checkout (
  nonce_sha256 BINARY(32) NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: it is gone, and what is paid goes back',
  purpose ENUM('activate','card') NOT NULL,
  plan_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  seats INT UNSIGNED NULL,
  amount_cents BIGINT NOT NULL,
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  link_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  made_by VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  made_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL COMMENT 'the row is gone then; what is paid later is nobody''s',
  used_at BIGINT NULL,
  payment_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  check_at BIGINT NULL DEFAULT (UNIX_TIMESTAMP() + 600) COMMENT 'as of an invoice: whether somebody paid and never came back',
  UNIQUE KEY billing_checkout_payment (payment_id),
  KEY billing_checkout_check (check_at),
  KEY billing_checkout_workspace (workspace_id),
  KEY billing_checkout_expires (expires_at),
  KEY billing_checkout_user (made_by)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Payments that could not be used, and go back.
CREATE TABLE billing_refund (
  payment_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  why VARCHAR(300) NOT NULL,
  made_at BIGINT NOT NULL,
  due_at BIGINT NULL COMMENT 'NULL: it went back, or never will, see outcome',
  tries INT UNSIGNED NOT NULL DEFAULT 0,
  outcome VARCHAR(300) NULL,
  KEY billing_refund_due (due_at),
  KEY billing_refund_workspace (workspace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- What the provider's webhooks named. It is believed nothing: the runner asks what there is of it.
CREATE TABLE billing_event (
  id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  kind VARCHAR(100) NOT NULL,
  payment_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
  subscription_id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'as the provider calls it',
  received_at BIGINT NOT NULL,
  due_at BIGINT NULL COMMENT 'NULL: it is settled',
  tries INT UNSIGNED NOT NULL DEFAULT 0,
  says VARCHAR(300) NULL,
  KEY billing_event_due (due_at),
  KEY billing_event_received (received_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
