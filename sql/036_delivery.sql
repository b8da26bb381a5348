-- Deliveries: files of an asset library, bundled, behind links that let others in.

CREATE TABLE asset_collection (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  bucket_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the library is its maker''s own',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'its maker, whose alone it is',
  name VARCHAR(255) NOT NULL COMMENT 'NFC',
  created_at BIGINT NOT NULL,
  KEY asset_collection_list (bucket_id, user_id, id),
  KEY asset_collection_user (user_id, workspace_id),
  CONSTRAINT asset_collection_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A file that is deleted leaves its collections.
CREATE TABLE asset_collection_file (
  collection_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  place SMALLINT UNSIGNED NOT NULL,
  deliverable_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  PRIMARY KEY (collection_id, place),
  KEY asset_collection_file_deliverable (deliverable_id),
  CONSTRAINT asset_collection_file_fk FOREIGN KEY (collection_id) REFERENCES asset_collection (id) ON DELETE CASCADE,
  CONSTRAINT asset_collection_file_deliverable_fk FOREIGN KEY (deliverable_id) REFERENCES deliverable (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A link: it shows the files of its collection that its maker may see.
CREATE TABLE delivery_link (
  id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL PRIMARY KEY,
  hash BINARY(32) NOT NULL COMMENT 'of the secret in its address',
  sealed VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'the secret, for its maker and for what the web server has',
  collection_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: it is gone, and the link revoked',
  bucket_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'NULL: the library is its maker''s own',
  user_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'its maker; NULL: the account is gone, and the link revoked',
  name VARCHAR(255) NOT NULL COMMENT 'the collection''s when it was made',
  recipient VARCHAR(254) NULL COMMENT 'whom it was sent to',
  gate ENUM('none','password','domain') NOT NULL,
  gate_epoch INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'raised when the gate changes: who was let in before is not any more',
  password VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'as crypt(5) has it',
  domains TEXT CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'between spaces',
  expires_at BIGINT NULL,
  revoked_at BIGINT NULL,
  views BIGINT NOT NULL DEFAULT 0,
  opened_at BIGINT NULL COMMENT 'for the first time',
  created_at BIGINT NOT NULL,
  UNIQUE KEY delivery_link_hash (hash),
  KEY delivery_link_list (bucket_id, id),
  KEY delivery_link_maker (bucket_id, user_id, id),
  KEY delivery_link_user (user_id, workspace_id),
  KEY delivery_link_collection (collection_id),
  KEY delivery_link_revoked (revoked_at),
  KEY delivery_link_expires (expires_at),
  CONSTRAINT delivery_link_collection_fk FOREIGN KEY (collection_id) REFERENCES asset_collection (id) ON DELETE SET NULL,
  CONSTRAINT delivery_link_user_fk FOREIGN KEY (user_id) REFERENCES user (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- A code that was mailed to somebody at a domain that a link lets in.
CREATE TABLE delivery_code (
  link_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  email VARCHAR(254) NOT NULL COMMENT 'folded',
  code CHAR(6) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  tries TINYINT UNSIGNED NOT NULL DEFAULT 0,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (link_id, email),
  KEY delivery_code_expires (expires_at),
  CONSTRAINT delivery_code_fk FOREIGN KEY (link_id) REFERENCES delivery_link (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
