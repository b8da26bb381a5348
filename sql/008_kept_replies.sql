-- Replies that are kept for their Idempotency-Key are sealed; a device login remembers for how long its polls have kept to the interval.

ALTER TABLE idempotency MODIFY COLUMN body LONGTEXT NOT NULL COMMENT 'headers and body of the reply, sealed';

ALTER TABLE idempotency DROP COLUMN IF EXISTS location;

-- What lay in the clear goes. The keys stay: a request that was carried out must not be carried out again.
UPDATE idempotency SET body = '';

ALTER TABLE device_login ADD COLUMN kept_polls INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'polls in a row that kept to poll_s' AFTER poll_s;
