-- People are shown under the address by which others know them; what others can have mailed to an address is counted apart from what it asks for itself.

ALTER TABLE collaborator ADD COLUMN given_email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'the address that got the role; NULL: that of the account' AFTER role;

ALTER TABLE artifact ADD COLUMN owner_given VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'the address by which its people know the owner; NULL: that of the account' AFTER owner_id;

-- recipient: about an account, at the asking of anybody; shared: about artifacts, at the doing of others; signin: links past a lock-out; notice: what somebody did who was signed in.
ALTER TABLE mail_budget MODIFY kind ENUM('user','artifact','recipient','shared','signin','notice') NOT NULL;
