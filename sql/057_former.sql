-- A publish need not look at texts that stay the same.

ALTER TABLE version ADD COLUMN utf8 BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'its texts that declare no character set are UTF-8';
