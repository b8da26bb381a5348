-- Up to which visibility a token may open something without a person.

ALTER TABLE agent_grant ADD COLUMN opens_to ENUM('private','unlisted','public') NOT NULL DEFAULT 'private' COMMENT 'it opens things so far without its person' AFTER scopes;
UPDATE agent_grant SET opens_to = 'public' WHERE may_open;
ALTER TABLE agent_grant DROP COLUMN IF EXISTS may_open;

ALTER TABLE token ADD COLUMN opens_to ENUM('private','unlisted','public') NULL COMMENT 'its ceiling: it opens things so far without a person; NULL: as far as its user' AFTER may_open;
UPDATE token SET opens_to = IF(may_open, 'public', 'private') WHERE grant_id IS NOT NULL;
ALTER TABLE token DROP COLUMN IF EXISTS may_open;

-- What a new artifact becomes when its publisher doesn't say. Of a folder NULL is what lies above it says, of a workspace private.

ALTER TABLE workspace ADD COLUMN default_visibility ENUM('private','unlisted','public') NULL AFTER member_access;
ALTER TABLE folder ADD COLUMN default_visibility ENUM('private','unlisted','public') NULL AFTER name_key;
