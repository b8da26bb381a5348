-- Who a request speaks for: a person or an agent, both rows of user, and what its token is confined to.

ALTER TABLE user
  ADD COLUMN kind ENUM('person','agent') NOT NULL DEFAULT 'person' AFTER id,
  MODIFY email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'lower case; an agent has none',
  ADD CONSTRAINT user_person_has_email CHECK (kind = 'agent' OR email IS NOT NULL);

ALTER TABLE token
  ADD COLUMN scopes INT UNSIGNED NULL COMMENT 'one bit each, as in domain/principal.h; NULL: all that its user may do',
  ADD COLUMN workspace_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL COMMENT 'it acts in this workspace only',
  ADD COLUMN grants_only BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'it acts through grants only, whatever its user owns';

ALTER TABLE artifact ADD KEY artifact_workspace (workspace_id, id), ADD KEY artifact_slug (slug);
