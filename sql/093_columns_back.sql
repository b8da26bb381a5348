-- compatible: 58
-- A dropped column can come back for 30 days (src/data/deleted.h). Former programs would give its slot to another column, so columns are kept from a day after this migration on.

ALTER TABLE data_table
  MODIFY COLUMN kept MEDIUMTEXT NULL COMMENT 'like fields: dropped columns that can come back; in rows ~ and the slot is their name',
  ALGORITHM=INSTANT;
